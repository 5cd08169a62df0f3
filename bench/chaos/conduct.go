package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// conductor starts workers, kills them and gives them something to do.
type conductor struct {
	s       *settings
	db      *store.Store
	q       *queue.Queue
	workers []*process
	wires   []*wire
	began   time.Time
	started int
	// What was done besides killing workers, how often.
	crashes, stopped, jumped, cutOff, cuts, filled int
	returning                                      sync.WaitGroup // stopped workers
	ends                                           []time.Duration
	late                                           []string

	// What workers are told: the same places as ours, through wires.
	workerDB, workerEvidence string

	accepted []string
	// want is the right verdict of a run, where there is one.
	want map[string]record.Verdict
	// killed is when the worker of that name was.
	killed map[string]time.Time
}

// process is a worker.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	once sync.Once
	// stopped: it has been sent SIGSTOP, and SIGCONT is on its way.
	stopped atomic.Bool
}

func newConductor(ctx context.Context, s *settings) (*conductor, error) {
	db, err := store.Open(ctx, s.db)
	if err != nil {
		return nil, err
	}
	s.name = "conductor"
	q, err := queue.Open(ctx, db, s.queueOptions())
	if err != nil {
		db.Close()
		return nil, err
	}
	c := &conductor{s: s, db: db, q: q, began: time.Now(), want: map[string]record.Verdict{}, killed: map[string]time.Time{}, workerDB: s.db, workerEvidence: s.evidence}
	if s.cuts == 0 {
		return c, nil
	}
	for _, address := range []*string{&c.workerDB, &c.workerEvidence} {
		through, w, err := wired(*address)
		if err != nil {
			db.Close()
			return nil, err
		}
		if w != nil {
			c.wires = append(c.wires, w)
		}
		*address = through
	}
	return c, nil
}

func (c *conductor) close() {
	for _, p := range c.workers {
		p.kill()
	}
	c.db.Close()
}

// start starts a worker.
func (c *conductor) start() error {
	c.started++
	p := &process{name: "worker " + strconv.Itoa(c.started), done: make(chan struct{})}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.cmd = exec.Command(self, "-work", "-name", p.name, "-db", c.workerDB, "-evidence", c.workerEvidence, "-dir", c.s.dir, "-slots", strconv.Itoa(c.s.slots),
		"-games="+strconv.FormatBool(c.s.games), "-v="+strconv.FormatBool(c.s.verbose))
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // how it ended is our doing
	}()
	c.workers = append(c.workers, p)
	return nil
}

// kill ends a worker without warning and waits until it is gone.
func (p *process) kill() {
	p.once.Do(func() { _ = p.cmd.Process.Kill() }) // it may have ended by itself; a stopped one dies, too
	<-p.done
}

// revive starts workers in the place of those that ended by themselves, as
// supervisors do: one that was started while its database was away.
func (c *conductor) revive() error {
	for i := 0; i < len(c.workers); i++ {
		select {
		case <-c.workers[i].done:
			c.workers = slices.Delete(c.workers, i, i+1)
			return c.start()
		default:
		}
	}
	return nil
}

// side is how many workers there are at a time: SQLite has one.
func (c *conductor) side() int {
	if c.db.Pool() == nil {
		return 1
	}
	return 2
}

// submit accepts n runs of the stand-in.
func (c *conductor) submit(ctx context.Context, n int) error {
	var subs []store.Submission
	for range n {
		subs = append(subs, store.Submission{Target: record.Target{URL: fmt.Sprintf("http://game%d.example/", rand.N(50))}})
	}
	accepted, err := c.q.Submit(ctx, subs...)
	for _, a := range accepted {
		c.accepted = append(c.accepted, a.ID)
	}
	return err
}

// fill sees to it that there is work. A database that was just crashed may need
// a moment.
func (c *conductor) fill(ctx context.Context) error {
	var err error
	if err := c.revive(); err != nil {
		return err
	}
	for range 20 {
		var queued int
		if queued, _, err = c.db.Active(ctx); err == nil && queued >= 20 {
			return nil
		}
		if err == nil {
			if err = c.submit(ctx, 20); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
	return err
}

// wait waits until no more than left runs wait or are under way.
func (c *conductor) wait(ctx context.Context, left int) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := c.revive(); err != nil {
			return err
		}
		queued, running, err := c.db.Active(ctx)
		if err == nil && queued+running <= left {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d runs wait and %d are under way: %w", queued, running, ctx.Err())
		case <-tick.C:
		}
	}
}

// played are the games whose verdicts are known to be right, healthy and dead.
var played = []struct {
	game, fault string
	want        record.Verdict
}{
	{"noughts", "", record.Pass}, {"noughts", "pointer-swallowed", record.Fail},
	{"ridge", "", record.Pass}, {"ridge", "keys-swallowed", record.Fail},
	{"crates", "", record.Pass}, {"crates", "keys-swallowed", record.Fail},
	{"inkwell", "", record.Pass}, {"inkwell", "keys-swallowed", record.Fail},
}

// playGames lets the workers play bundled games and kills one when half are done.
func (c *conductor) playGames(ctx context.Context) error {
	var faults fault.Switch
	server, err := games.Serve(ctx, &games.ServeOptions{Apply: faults.Apply})
	if err != nil {
		return err
	}
	defer server.Close()
	for i := range c.s.runs {
		g := played[i%len(played)]
		url := server.URL(g.game, 1)
		if g.fault != "" {
			url = server.FaultURL(g.game, fault.ID(g.fault, 1), 1)
		}
		accepted, err := c.q.Submit(ctx, store.Submission{Target: record.Target{URL: url, Seed: 1, MaxDuration: 3 * time.Minute}})
		if err != nil {
			return err
		}
		c.accepted = append(c.accepted, accepted[0].ID)
		c.want[accepted[0].ID] = g.want
	}
	for range c.side() {
		if err := c.start(); err != nil {
			return err
		}
	}
	if err := c.wait(ctx, c.s.runs/2); err != nil {
		return err
	}
	victim := c.workers[0]
	c.killed[victim.name] = time.Now()
	victim.kill()
	c.workers = c.workers[1:]
	fmt.Fprintf(os.Stderr, "killed %s\n", victim.name)
	if len(c.workers) == 0 { // SQLite: somebody has to go on
		if err := c.start(); err != nil {
			return err
		}
	}
	return c.wait(ctx, 0)
}

func (c *conductor) notes() string { return filepath.Join(c.s.dir, "notes") }
