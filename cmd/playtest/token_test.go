package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
)

// Who may come in and what a project may use is in its log, whoever looks at it later.
func TestWhatOperatorsDoIsNoted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.db")
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := execute(append(args, "--db", file), strings.NewReader(""), &stdout, &stderr); code != 0 {
			t.Fatalf("%v: %d %s", args, code, stderr.String())
		}
		return strings.TrimSpace(stdout.String())
	}
	text := run("token", "create", "--project", "red", "--scope", "submit", "--scope", "read")
	id := strings.Split(text, "_")[1]
	run("project", "limit", "red", "--queued", "5")
	run("token", "revoke", id)
	notes, err := storetest.Open(t, file).Project("red").Noted(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range slices.Backward(notes) {
		if n.Actor != "the command line" || strings.Contains(n.Detail, text) {
			t.Errorf("noted %+v", n)
		}
		got = append(got, n.Action+" "+n.Subject+" "+n.Detail)
	}
	want := []string{"token.create " + id + " submit, read", "project.limit red queued 5, running any, longest run any, evidence any, dollars a day any", "token.revoke " + id + " "}
	if !slices.Equal(got, want) {
		t.Errorf("noted %q, not %q", got, want)
	}
	if others, err := storetest.Open(t, file).Project(store.DefaultProject).Noted(t.Context(), 0, 10); err != nil || len(others) != 0 {
		t.Errorf("another project's log has %+v, %v", others, err)
	}
}
