package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

// What a child process of TestReturningWorker is told: that it is a worker, the
// database, the folder for evidence.
const (
	childDB       = "PLAYTEST_TEST_WORKER_DB"
	childEvidence = "PLAYTEST_TEST_WORKER_EVIDENCE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childDB) != "" {
		if err := workInChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rhythm is fast, so that a rescue takes seconds.
func rhythm(name string) *queue.Options {
	return &queue.Options{Heartbeat: 300 * time.Millisecond, Silence: 3 * time.Second, Sweep: 500 * time.Millisecond, Worker: name, PerHost: -1,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
}

// workInChild is a worker in a process of its own.
func workInChild() error {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	db, err := store.Open(ctx, os.Getenv(childDB))
	if err != nil {
		return err
	}
	defer db.Close()
	q, err := queue.Open(ctx, db, rhythm(fmt.Sprint("child ", os.Getpid())))
	if err != nil {
		return err
	}
	kept, err := evidence.Open(os.Getenv(childEvidence), nil)
	if err != nil {
		return err
	}
	defer kept.Close()
	browsers := pool.New(nil)
	defer browsers.Close()
	w := worker.New(browsers, kept, &worker.Options{Version: "test"})
	return q.Work(ctx, w.Play, &queue.WorkOptions{Idle: true})
}

// A worker is stopped while it plays, another one plays the run to its end, and
// the first comes back: what the run names stays what it was.
func TestReturningWorker(t *testing.T) {
	server := os.Getenv(storetest.Variable)
	if server == "" {
		t.Skipf("two workers need Postgres: %s is not set", storetest.Variable)
	}
	if testing.Short() {
		t.Skip("plays a game twice")
	}
	page, err := games.Serve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	address, dir := storetest.Postgres(t, server), filepath.Join(t.TempDir(), "evidence")
	kept, err := evidence.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	db := storetest.Open(t, address)
	q, err := queue.Open(t.Context(), db, rhythm("test"))
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := q.Submit(t.Context(), store.Submission{Target: record.Target{URL: page.URL("noughts", 1), Seed: 1, Play: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	id := accepted[0].ID

	first := startChild(t, address, dir)
	state(t, db, id, func(r store.Run) bool { return r.Phase != "" }) // the first phase is behind it
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second := startChild(t, address, dir)
	run := state(t, db, id, func(r store.Run) bool { return r.Status.Ended() })
	if run.Status != store.Completed || run.Evidence != run.Lease || run.Lease != 2 || run.Manifest == "" {
		t.Errorf("the second worker ended it as %+v", run)
	}
	before := hashes(t, kept, id)
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, child := range []*exec.Cmd{first, second} {
		if err := child.Wait(); err != nil {
			t.Errorf("a worker ended with %v", err)
		}
	}
	after, err := db.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if after.Manifest != run.Manifest || after.Evidence != run.Evidence || after.Verdict != run.Verdict {
		t.Errorf("the run was %+v and is %+v", run, after)
	}
	if err := evidence.Verify(t.Context(), kept, id, int(run.Evidence), run.Manifest); err != nil {
		t.Error(err)
	}
	// A write that was under way when the worker was stopped may end, in the
	// folder of its own attempt. Nothing else is written.
	written := []string{}
	for name, data := range hashes(t, kept, id) {
		if before[name] != data {
			written = append(written, name)
		}
	}
	if len(written) > 1 || slices.ContainsFunc(written, func(name string) bool { return !strings.HasPrefix(name, "attempt-1/") }) {
		t.Errorf("the worker that came back wrote %q", written)
	} else {
		t.Logf("written after it came back: %q", written)
	}
	r, err := kept.Get(t.Context(), id, evidence.AttemptName(int(run.Evidence), "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rep record.Report
	if err := json.NewDecoder(r).Decode(&rep); err != nil || rep.Status != run.Verdict {
		t.Errorf("the database says %s, report.json %s, %v", run.Verdict, rep.Status, err)
	}
}

func startChild(t *testing.T, db, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDB+"="+db, childEvidence+"="+dir)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	return cmd
}

// state waits for a run to be as it should.
func state(t *testing.T, db *store.Store, id string, is func(store.Run) bool) store.Run {
	t.Helper()
	deadline := time.Now().Add(long)
	for {
		r, err := db.Get(t.Context(), id)
		if err == nil && is(r) {
			return r
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run is %+v, %v", r, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// hashes are the contents of a run's evidence.
func hashes(t *testing.T, s evidence.Store, run string) map[string]string {
	t.Helper()
	files, err := s.List(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		r, err := s.Get(t.Context(), run, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(data)
	}
	return out
}
