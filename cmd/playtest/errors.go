package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/metadata"
)

// Exit codes.
const (
	codePass        = 0
	codeFail        = 1
	codeUnjudged    = 2
	codeUsage       = 64
	codeInterrupted = 130
)

// usageError is a command line that cannot be understood.
type usageError struct {
	message string
	command string // whose --help explains it
}

func (e *usageError) Error() string { return e.message }

func usage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), cmd.CommandPath()}
}

func isUsage(err error) bool {
	var u *usageError
	return errors.As(err, &u)
}

// noSuchCommand refuses the arguments of a command that only has commands of its own.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// showHelp is what such a command does by itself.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func unknownCommand(cmd *cobra.Command, name string) error {
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return hint(usage(cmd, "there is no command %q", name), "did you mean %s %s?", cmd.CommandPath(), near[0])
	}
	return usage(cmd, "there is no command %q", name)
}

// arguments checks the number of positional arguments.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd, "%s is missing", what)
		case len(args) > most:
			return usage(cmd, "too many arguments: %s", strings.Join(args[most:], " "))
		}
		return nil
	}
}

// hintError adds what a person can do about an error.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

func hint(err error, format string, args ...any) error {
	return &hintError{err, fmt.Sprintf(format, args...)}
}

// verdictError carries the exit code of a run that ended as it should. There
// is nothing more to say: the summary has said it.
type verdictError struct{ code int }

func (e *verdictError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// printError writes an error as a person should read it.
func printError(w io.Writer, err error) {
	var judged *verdictError
	if err == nil || errors.As(err, &judged) {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(w, "error: %s\n", line)
	}
	for _, h := range hints(err) {
		fmt.Fprintf(w, "hint: %s\n", h)
	}
}

func hints(err error) []string {
	var h *hintError
	if errors.As(err, &h) {
		return []string{h.hint}
	}
	var u *usageError
	var m *metadata.Error
	var rubric *metadata.RubricError
	switch {
	case errors.As(err, &m):
		return []string{"the fields of the metadata file are explained in docs/metadata.md"}
	case errors.As(err, &rubric):
		return []string{"the fields of a rubric file are explained in docs/evaluation.md"}
	case errors.As(err, &u):
		return []string{u.command + " --help explains it"}
	case errors.Is(err, browser.ErrNotFound):
		return []string{"install one with: sudo apt-get install chromium (or name yours with --browser PATH)"}
	}
	return nil
}
