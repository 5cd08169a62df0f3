package worker_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

// long bounds what a test waits for; it is only reached when something is broken.
const long = 5 * time.Minute

// room is a queue with a place for evidence.
type room struct {
	*queue.Queue
	kept evidence.Store
}

func newRoom(t *testing.T) *room {
	t.Helper()
	address := storetest.SQLite(t)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	q, err := queue.Open(t.Context(), storetest.Open(t, address), &queue.Options{Backoff: func(int) time.Duration { return time.Millisecond }, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.Open(filepath.Join(t.TempDir(), "evidence"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	return &room{q, kept}
}

// play submits a game and works until it has been played.
func (r *room) play(t *testing.T, browsers worker.Browsers, url string) store.Run {
	t.Helper()
	accepted, err := r.Submit(t.Context(), store.Submission{Target: record.Target{URL: url, Seed: 1, Play: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Store().WantGlimpses(t.Context(), accepted[0].ID, long); err != nil {
		t.Fatal(err)
	}
	r.workOff(t, browsers)
	run, err := r.Store().Get(t.Context(), accepted[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (r *room) workOff(t *testing.T, browsers worker.Browsers) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	w := worker.New(browsers, r.kept, &worker.Options{Meter: worker.NewMeter(), Version: "test"})
	if err := r.Work(ctx, w.Play, &queue.WorkOptions{Idle: true}); err != nil {
		t.Fatal(err)
	}
}

// A game is played from the queue: its verdict, its events, its checkpoints
// and its evidence are kept.
func TestPlay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays a game")
	}
	server, err := games.Serve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	browsers := pool.New(nil)
	defer browsers.Close()
	r := newRoom(t)
	run := r.play(t, browsers, server.URL("noughts", 1))
	if run.Status != store.Completed || run.Verdict != record.Pass {
		t.Fatalf("ended as %+v", run)
	}
	ctx := t.Context()
	events, err := r.Store().Events(ctx, run.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		if e.Kind == record.EventPhase {
			told = append(told, e.Phase)
		}
	}
	if want := []string{record.PhaseLoad, record.PhaseDiscover, record.PhaseExplore, record.PhaseEvaluate}; !slices.Equal(told, want) {
		t.Errorf("told of the phases %v, want %v", told, want)
	}
	for _, kind := range []string{record.EventControl, record.EventScreen} {
		if !slices.ContainsFunc(events, func(e store.Event) bool { return e.Kind == kind }) {
			t.Errorf("no event of the kind %q", kind)
		}
	}
	// Somebody watched. What was shown, and the watcher's mark with it, is taken away at the
	// end, but only when something was shown.
	if left, err := r.Store().GlimpsesWanted(ctx, run.ID); err != nil || left {
		t.Errorf("nothing was shown to who watched: %v, %v", left, err)
	}
	if last := events[len(events)-1]; last.Kind != record.EventVerdict {
		t.Errorf("the last event is %+v", last)
	}
	checkpoints, err := r.Store().Checkpoints(ctx, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	var behind []string
	for _, c := range checkpoints {
		behind = append(behind, c.Phase)
	}
	slices.Sort(behind)
	slices.Sort(told)
	if !slices.Equal(behind, told) {
		t.Errorf("checkpoints of the phases %v, want all", behind)
	}
	if err := evidence.Verify(ctx, r.kept, run.ID, int(run.Evidence), run.Manifest); err != nil {
		t.Error(err)
	}
	files, err := r.kept.List(ctx, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "report.html", "record.json", "console.log", "network.har"} {
		if !slices.ContainsFunc(files, func(f evidence.File) bool { return f.Name == evidence.AttemptName(1, name) }) {
			t.Errorf("%s is not among the evidence", name)
		}
	}
	rep, err := r.Store().Report(ctx, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rep.Screenshots {
		if !slices.ContainsFunc(files, func(f evidence.File) bool { return f.Name == evidence.AttemptName(1, s.Path) }) {
			t.Errorf("the report names %s, which is not among the evidence", s.Path)
		}
	}
}

// nobody has no browsers to lend.
type nobody struct{ t *testing.T }

func (n nobody) Borrow(context.Context) (*browser.Browser, func(), error) {
	n.t.Error("a browser was asked for")
	return nil, nil, errors.New("there are none")
}

// A run that lost its worker after it was explored is judged from its record.
func TestExploredRunIsNotPlayedAgain(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ctx := t.Context()
	accepted, err := r.Submit(ctx, store.Submission{Target: record.Target{URL: "http://localhost:1/"}})
	if err != nil {
		t.Fatal(err)
	}
	id := accepted[0].ID
	err = r.Store().Update(ctx, func(tx *store.Tx) error {
		run, err := tx.Claim(ctx, "doomed", 0)
		if err != nil {
			return err
		}
		now := time.Now()
		rec := &record.Record{Version: record.RecordVersion, RunID: id, Target: record.Target{URL: run.URL}, Started: now, Finished: now.Add(time.Second)}
		return tx.Checkpoint(ctx, store.Lease{RunID: id, Number: run.Lease}, record.PhaseExplore, rec, true)
	})
	if err != nil {
		t.Fatal(err)
	}
	r.workOff(t, nobody{t})
	run, err := r.Store().Get(ctx, id)
	if err != nil || run.Status != store.Completed || run.Attempts != 2 || run.Verdict == "" {
		t.Errorf("ended as %+v, %v", run, err)
	}
	if err := evidence.Verify(ctx, r.kept, id, int(run.Evidence), run.Manifest); err != nil {
		t.Error(err)
	}
}

// A game is not blamed for a Chromium that was killed: it is played again, and
// what the first attempt left is kept.
func TestChromiumIsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays a page")
	}
	lent := &lent{Pool: pool.New(nil)}
	defer lent.Close()
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		once.Do(func() {
			if err := syscall.Kill(lent.pid(), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		})
		http.NotFound(w, req) // which the second attempt judges at once
	}))
	defer server.Close()
	r := newRoom(t)
	run := r.play(t, lent, server.URL)
	if run.Status != store.Completed || run.Attempts != 1 {
		t.Fatalf("ended as %+v", run)
	}
	attempts, err := r.Store().Attempts(t.Context(), run.ID)
	if err != nil || len(attempts) != 2 || attempts[0].Outcome != store.OutcomeSpared || attempts[0].Error == "" {
		t.Errorf("attempts %+v, %v", attempts, err)
	}
	if err := evidence.Verify(t.Context(), r.kept, run.ID, int(run.Evidence), run.Manifest); err != nil {
		t.Error(err)
	}
}

// A page that takes its browser down every time pays for that with its attempts
// and is parked. A game that was played beside it in the same browser pays
// nothing: it is played again, alone, and its first attempt is not counted.
func TestDeadlyPageCostsItsNeighbourNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays pages")
	}
	browsers := pool.New(nil)
	defer browsers.Close()
	deadly, good := &lent{Pool: browsers}, &lent{Pool: browsers}
	loading := make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/deadly":
			select {
			case <-loading:
			case <-req.Context().Done():
			}
			if err := syscall.Kill(deadly.pid(), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		case "/good":
			once.Do(func() {
				close(loading)
				<-req.Context().Done() // until its browser is gone
			})
		}
		http.NotFound(w, req) // which is judged at once
	}))
	defer server.Close()
	r := newRoom(t)
	accepted, err := r.Submit(t.Context(),
		store.Submission{Target: record.Target{URL: server.URL + "/deadly", Seed: 1}},
		store.Submission{Target: record.Target{URL: server.URL + "/good", Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	players := map[string]*worker.Worker{
		accepted[0].ID: worker.New(deadly, r.kept, nil),
		accepted[1].ID: worker.New(good, r.kept, nil),
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	err = r.Work(ctx, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		return players[h.Run.ID].Play(ctx, h)
	}, &queue.WorkOptions{Slots: 2, Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		status        store.Status
		counted, made int
	}{{store.Parked, 3, 4}, {store.Completed, 1, 2}} {
		run, err := r.Store().Get(ctx, accepted[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		attempts, err := r.Store().Attempts(ctx, run.ID)
		if err != nil || run.Status != want.status || run.Attempts != want.counted || len(attempts) != want.made {
			t.Errorf("%s: %s after %d attempts that count, made %+v, %v", run.URL, run.Status, run.Attempts, attempts, err)
		}
	}
}

// lent remembers which browser was lent last.
type lent struct {
	*pool.Pool
	mu   sync.Mutex
	last *browser.Browser
}

func (l *lent) Borrow(ctx context.Context) (*browser.Browser, func(), error) {
	b, release, err := l.Pool.Borrow(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = b
	return b, release, err
}

func (l *lent) pid() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last.PID()
}
