package evidence_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// killedChild is set in the child processes of TestKilledWriter to the place
// they write to.
const (
	killedChild   = "PLAYTEST_TEST_KILLED_WRITER"
	killedAttempt = "PLAYTEST_TEST_KILLED_ATTEMPT"
)

// TestKilledWriter kills processes that write the evidence of one run, one
// attempt after the other, and looks for everything that was acknowledged.
func TestKilledWriter(t *testing.T) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			at := p.at(t)
			s := open(t, at)
			acknowledged := map[int][]string{}
			for attempt := 1; attempt <= 6; attempt++ {
				acknowledged[attempt] = killAfter(t, at, attempt, 1+5*attempt)
				for earlier := range acknowledged {
					if err := evidence.Verify(t.Context(), s, "run-1", earlier, ""); err != nil {
						t.Fatalf("attempt %d, after attempt %d: %v", earlier, attempt, err)
					}
				}
			}
			for attempt, names := range acknowledged {
				m, err := evidence.ReadManifest(t.Context(), s, "run-1", attempt)
				if err != nil {
					t.Fatal(err)
				}
				kept := map[string]bool{}
				for _, e := range m.Files {
					kept[e.Name] = true
				}
				for _, name := range names {
					if !kept[name] {
						t.Errorf("%s was acknowledged by attempt %d and is gone", name, attempt)
					}
				}
			}
		})
	}
}

// killAfter starts a child, kills it when it has acknowledged so many files,
// and returns all that it acknowledged.
func killAfter(t *testing.T, at string, attempt, files int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), killedChild+"="+at, killedAttempt+"="+strconv.Itoa(attempt))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var names []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, ok := strings.CutPrefix(lines.Text(), "kept ")
		if !ok {
			t.Errorf("the child says %q", lines.Text())
		}
		if names = append(names, name); len(names) == files {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || ctx.Err() != nil {
		t.Errorf("the child was not killed: %v", err)
	}
	return names
}

// writeUntilKilled writes pictures under new names and a log under the same.
func writeUntilKilled() int {
	fail := func(err error) int {
		fmt.Println(err)
		return 1
	}
	s, err := evidence.Open(os.Getenv(killedChild), nil)
	if err != nil {
		return fail(err)
	}
	attempt, err := strconv.Atoi(os.Getenv(killedAttempt))
	if err != nil {
		return fail(err)
	}
	w, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{
		Attempt:      attempt,
		Patience:     time.Minute,
		Buffer:       400_000, // a few pictures, so that the store is always at work
		Acknowledged: func(e evidence.Entry) { fmt.Println("kept " + e.Name) },
		Note:         func(text string) { fmt.Println(text) },
	})
	if err != nil {
		return fail(err)
	}
	for i := 0; ; i++ {
		name := fmt.Sprintf("%d-%d.png", os.Getpid(), i)
		if _, err := w.Picture(name, []byte(strings.Repeat(name, 5000))); err != nil {
			return fail(err)
		}
		if err := w.File("console.log", []byte(strings.Repeat(name+"\n", 1000))); err != nil {
			return fail(err)
		}
	}
}
