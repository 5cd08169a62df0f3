package evidence_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// writeAll writes files in one attempt and closes it.
func writeAll(t *testing.T, s evidence.Store, attempt int, files map[string]string) *evidence.Manifest {
	t.Helper()
	w, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{Attempt: attempt})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := w.File(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Attempts do not meet: whichever writes last, each keeps what it wrote, and
// the manifest of each is right.
func TestAttemptsHaveNamesOfTheirOwn(t *testing.T) {
	conform(t, func(t *testing.T, s evidence.Store) {
		slow, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{Attempt: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := slow.File("report.json", []byte(`{"status":"error"}`)); err != nil {
			t.Fatal(err)
		}
		done := writeAll(t, s, 2, map[string]string{"report.json": `{"status":"pass"}`, "console.log": "second"})
		if done.SHA256 == "" {
			t.Fatal("the manifest's hash is not told")
		}
		// The first attempt's worker comes back when all is over.
		if err := slow.File("console.log", []byte("first")); err != nil {
			t.Fatal(err)
		}
		if _, err := slow.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := evidence.Verify(t.Context(), s, "run-1", 2, done.SHA256); err != nil {
			t.Errorf("what the second attempt left has changed: %v", err)
		}
		if err := evidence.Verify(t.Context(), s, "run-1", 1, ""); err != nil {
			t.Error(err)
		}
		if got := get(t, s, "run-1", "attempt-2/report.json"); !strings.Contains(got, "pass") {
			t.Errorf("the report is %s", got)
		}
		attempts, err := evidence.Attempts(t.Context(), s, "run-1")
		if err != nil || !slices.Equal(attempts, []int{1, 2}) {
			t.Errorf("attempts %v, %v", attempts, err)
		}
		// A file that changed behind our back is found, and so is a manifest.
		put(t, s, "run-1", "attempt-2/console.log", "other")
		if err := evidence.Verify(t.Context(), s, "run-1", 2, ""); err == nil || !strings.Contains(err.Error(), "console.log") {
			t.Errorf("a changed file: %v", err)
		}
		writeAll(t, s, 2, map[string]string{"console.log": "second"})
		if err := evidence.Verify(t.Context(), s, "run-1", 2, done.SHA256); err == nil {
			t.Error("a manifest that changed is taken for the one that the run names")
		}
	})
}

// counted counts what reaches a store.
type counted struct {
	evidence.Store
	puts int
}

func (c *counted) Put(ctx context.Context, run, name string, r io.Reader) (evidence.File, error) {
	c.puts++
	return c.Store.Put(ctx, run, name, r)
}

// A writer that has lost its run writes nothing any more: no file, no manifest.
func TestFencedWriterWritesNothing(t *testing.T) {
	s := &counted{Store: open(t, t.TempDir())}
	errLost := errors.New("the run is somebody else's")
	w, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{Fence: func(context.Context) error { return errLost }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.File("console.log", []byte("late")); err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }
	if err := w.Stream(t.Context(), "video.webm", 1, open); !errors.Is(err, errLost) && !errors.Is(err, evidence.ErrClosed) {
		t.Errorf("streaming: %v", err)
	}
	m, err := w.Close(t.Context())
	if !errors.Is(err, errLost) || len(m.Files) != 0 || m.SHA256 != "" {
		t.Errorf("closed with %+v, %v", m, err)
	}
	if s.puts != 0 {
		t.Errorf("%d files were put", s.puts)
	}
}

// An attempt that judges what an earlier one recorded has its files, too.
func TestAdopt(t *testing.T) {
	conform(t, func(t *testing.T, s evidence.Store) {
		writeAll(t, s, 1, map[string]string{"console.log": "first", "network.log": "first"})
		w, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{Attempt: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, attempt := range []int{1, 7} { // the seventh left nothing
			if err := w.Adopt(t.Context(), attempt); err != nil {
				t.Fatal(err)
			}
		}
		m, err := w.Close(t.Context())
		if err != nil || len(m.Files) != 2 {
			t.Fatalf("%+v, %v", m, err)
		}
		// The first worker comes back and writes on: that is its own.
		writeAll(t, s, 1, map[string]string{"console.log": "first, later"})
		if err := evidence.Verify(t.Context(), s, "run-1", 2, m.SHA256); err != nil {
			t.Error(err)
		}
		if got := get(t, s, "run-1", "attempt-2/console.log"); got != "first" {
			t.Errorf("adopted %q", got)
		}
	})
}
