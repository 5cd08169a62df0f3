package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Nobody notices that an example in deploy/ names a flag that is gone, until
// somebody's workers do not start: what the files call has to be there.
func TestDeployCallsWhatIsThere(t *testing.T) {
	seen := map[string]int{} // calls by file
	check := func(file string, args []string) {
		seen[file]++
		cmd, rest, err := newRoot().Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: playtest %s: %v", file, strings.Join(args, " "), err)
		}
	}
	line := regexp.MustCompile(`(?m)^\s*(?:- )?(?:run: |ExecStart=)?(?:/usr/bin/)?playtest ((?:run|worker|serve|lambda)\b[^>\n]*)`)
	list := regexp.MustCompile(`(?m)^(?:CMD|ENTRYPOINT) \["(?:/usr/local/bin/playtest", ")?(worker|lambda)"\]`)
	err := filepath.WalkDir("../../deploy", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range append(line.FindAllSubmatch(data, -1), list.FindAllSubmatch(data, -1)...) {
			check(file, strings.Fields(string(m[1])))
		}
		if ext := filepath.Ext(file); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		for documents := yaml.NewDecoder(bytes.NewReader(data)); ; {
			var document any
			if err := documents.Decode(&document); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				t.Errorf("%s: %v", file, err)
				return nil
			}
			for _, args := range calls(document) {
				check(file, args)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int{
		"Dockerfile": 1, "lambda/Dockerfile": 1, "compose.yaml": 2, "kubernetes/worker.yaml": 1, "ci/github.yml": 1, "ci/gitlab.yml": 1,
		"systemd/playtest.service": 1, "systemd/playtest-worker.service": 1,
	} {
		if got := seen[filepath.Join("../../deploy", file)]; got != want {
			t.Errorf("%s calls playtest %d times, want %d", file, got, want)
		}
	}
}

// calls are the lists of arguments of playtest's commands in a document.
func calls(document any) (out [][]string) {
	switch v := document.(type) {
	case map[string]any:
		for _, value := range v {
			out = append(out, calls(value)...)
		}
	case []any:
		var args []string
		for _, value := range v {
			if text, ok := value.(string); ok {
				args = append(args, text)
			}
			out = append(out, calls(value)...)
		}
		if len(args) == len(v) && len(args) > 0 && (args[0] == "serve" || args[0] == "worker") {
			out = append(out, args)
		}
	}
	return out
}
