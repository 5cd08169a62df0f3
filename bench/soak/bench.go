package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/proc"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

// played is a game with the verdict that it should get.
type played struct {
	game, fault string
	want        record.Verdict
}

// mix is what is played: healthy and broken games, and a page that is not there.
var mix = []played{
	{"noughts", "", record.Pass}, {"ridge", "keys-swallowed", record.Fail}, {"nowhere", "", record.Fail}, {"crates", "", record.Pass},
	{"noughts", "pointer-swallowed", record.Fail}, {"ridge", "", record.Pass}, {"inkwell", "", record.Pass}, {"crates", "keys-swallowed", record.Fail},
}

// bench is a worker with everything it needs, in folders of its own.
type bench struct {
	dir      string
	temp     string // where everything under test leaves temporary files
	server   *games.Server
	db       *store.Store
	q        *queue.Queue
	kept     evidence.Store
	browsers *pool.Pool
	want     map[string]record.Verdict
	took     time.Duration

	mu      sync.Mutex
	done    []outcome
	samples []sample // when a run ended
	rests   []sample // between rounds
	stacks  string   // of what is left after the last round
	most    uint64   // bytes of memory, browsers included; known when play has ended
}

// outcome is how a run ended.
type outcome struct {
	run     string
	verdict record.Verdict
	took    time.Duration
}

func newBench(ctx context.Context) (*bench, error) {
	dir, err := os.MkdirTemp("", "playtest-soak-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, temp: filepath.Join(dir, "tmp"), want: map[string]record.Verdict{}}
	if err := b.open(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) open(ctx context.Context) error {
	if err := os.Mkdir(b.temp, 0o755); err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", b.temp); err != nil {
		return err
	}
	var faults fault.Switch
	var err error
	// It outlives an interrupt: a game whose server is gone is a game that fails.
	if b.server, err = games.Serve(context.WithoutCancel(ctx), &games.ServeOptions{Apply: faults.Apply}); err != nil {
		return err
	}
	if b.db, err = store.Open(ctx, filepath.Join(b.dir, "runs.db")); err != nil {
		return err
	}
	if b.q, err = queue.Open(ctx, b.db, &queue.Options{PerHost: -1}); err != nil {
		return err
	}
	b.kept, err = evidence.Open(filepath.Join(b.dir, "evidence"), nil)
	return err
}

// close leaves nothing behind.
func (b *bench) close() {
	if b.server != nil {
		b.server.Close()
	}
	if b.kept != nil {
		b.kept.Close()
	}
	if b.db != nil {
		b.db.Close()
	}
	os.Unsetenv("TMPDIR")
	os.RemoveAll(b.dir)
}

// submit queues the i-th game of the mix.
func (b *bench) submit(ctx context.Context, i int, limit time.Duration) error {
	g := mix[i%len(mix)]
	url := b.server.URL(g.game, 1)
	if g.fault != "" {
		url = b.server.FaultURL(g.game, fault.ID(g.fault, 1), 1)
	}
	accepted, err := b.q.Submit(ctx, store.Submission{Target: record.Target{URL: url, Seed: 1, MaxDuration: limit}})
	if err != nil {
		return err
	}
	b.want[accepted[0].ID] = g.want
	return nil
}

// play works runs off, so many at a time. They come in rounds: between two of
// them nothing is under way, and what the process holds then it holds for good.
func (b *bench) play(ctx context.Context, runs, at, round int) error {
	b.browsers = pool.New(&pool.Options{Browsers: (at + 3) / 4, PerBrowser: 4})
	defer b.browsers.Close()
	w := worker.New(b.browsers, b.kept, &worker.Options{Version: record.Version})
	began := time.Now()
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { b.most = proc.Highest(watching, os.Getpid(), time.Second) })
	err := b.rounds(ctx, b.measured(w.Play), runs, at, round)
	stop()
	watch.Wait()
	b.took = time.Since(began).Round(time.Second)
	return err
}

func (b *bench) rounds(ctx context.Context, play queue.Player, runs, at, round int) error {
	for first := 0; first < runs; first += round {
		for i := first; i < min(runs, first+round); i++ {
			if err := b.submit(ctx, i, 3*time.Minute); err != nil {
				return err
			}
		}
		if err := b.q.Work(ctx, play, &queue.WorkOptions{Slots: at, Idle: true}); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.GC()
		b.rests = append(b.rests, b.sample(0))
	}
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err == nil {
		b.stacks = stacks.String()
	}
	return nil
}

// measured notes how each run ends, and what the process holds then.
func (b *bench) measured(play queue.Player) queue.Player {
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		began := time.Now()
		rec, rep, err := play(ctx, h)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", h.Target.URL, err)
			return rec, rep, err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.done = append(b.done, outcome{h.Run.ID, rep.Status, time.Since(began)})
		b.samples = append(b.samples, b.sample(time.Since(began)))
		if n := len(b.done); n%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d runs played\n", n)
		}
		return rec, rep, err
	}
}

func (b *bench) right() int {
	n := 0
	for _, o := range b.done {
		if o.verdict == b.want[o.run] {
			n++
		}
	}
	return n
}

// wrong says which runs did not end as they should.
func (b *bench) wrong() []string {
	var out []string
	if len(b.done) != len(b.want) {
		out = append(out, fmt.Sprintf("%d of %d runs were played", len(b.done), len(b.want)))
	}
	for _, o := range b.done {
		if want := b.want[o.run]; o.verdict != want {
			out = append(out, fmt.Sprintf("run %s: %s, want %s", o.run, o.verdict, want))
		}
	}
	return out
}

// median is how many seconds a run takes.
func (b *bench) median() float64 {
	var all []float64
	for _, o := range b.done {
		all = append(all, o.took.Seconds())
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}
