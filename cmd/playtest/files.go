package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/metadata"
)

// maxFileBytes bounds the files that are named on the command line. Metadata
// has a smaller limit of its own.
const maxFileBytes = 64 << 10

// stdinName stands for the standard input.
const stdinName = "-"

// badFile is a file of the user's with a mistake in it. It counts as bad usage.
type badFile struct {
	command string
	name    string
	err     error
}

func (e *badFile) Error() string {
	if e.name == stdinName {
		return fmt.Sprintf("stdin: %v", e.err)
	}
	return fmt.Sprintf("%s: %v", e.name, e.err)
}

func (e *badFile) Unwrap() error { return e.err }

// As lets a mistake in a file pass for bad usage.
func (e *badFile) As(target any) bool {
	u, ok := target.(**usageError)
	if ok {
		*u = &usageError{e.Error(), e.command}
	}
	return ok
}

// openInput opens a file that is named on the command line, or stdin for "-".
func openInput(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == stdinName {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usage(cmd, "%v", withoutOp(err))
	}
	return f, nil
}

// readSmall reads a file, or stdin for "-".
func readSmall(cmd *cobra.Command, name string) ([]byte, error) {
	in, err := openInput(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err != nil {
		return nil, usage(cmd, "reading %s: %v", name, withoutOp(err))
	}
	if len(data) > maxFileBytes {
		return nil, usage(cmd, "%s is longer than %d bytes", name, maxFileBytes)
	}
	return data, nil
}

// withoutOp drops the name of the system call from a file's error.
func withoutOp(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// readRubric reads weights, a threshold and questions, as JSON or YAML.
func readRubric(cmd *cobra.Command, name string) (*metadata.Rubric, error) {
	data, err := readSmall(cmd, name)
	if err != nil {
		return nil, err
	}
	r, err := metadata.ParseRubric(data)
	if err != nil {
		return nil, &badFile{cmd.CommandPath(), name, err}
	}
	return r, nil
}
