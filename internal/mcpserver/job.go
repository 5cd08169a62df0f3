package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/fix"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// The states of a run beside the verdicts.
const (
	waiting   = "waiting"
	running   = "running"
	cancelled = "cancelled"
)

// job is a run of this server.
type job struct {
	id      string
	game    string // as it was asked for
	cancel  context.CancelFunc
	mu      sync.Mutex
	changed chan struct{} // closed at every change of what follows
	state   string        // waiting, running, or "" when it has ended
	event   record.Event  // the last
	result  *Result       // when it has ended
}

// now is what is known, and a channel that is closed when more is.
func (j *job) now() (state string, e record.Event, r *Result, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state, j.event, j.result, j.changed
}

func (j *job) change(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
	close(j.changed)
	j.changed = make(chan struct{})
}

// jobs owns the runs and their goroutines.
type jobs struct {
	opts *Options
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
	room chan struct{}

	mu     sync.Mutex
	all    map[string]*job
	order  []string // ids of all, oldest first
	active int      // waiting or running
	closed bool
}

func newJobs(opts *Options) *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{opts: opts, ctx: ctx, stop: stop, room: make(chan struct{}, opts.Parallel), all: map[string]*job{}}
}

func (m *jobs) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.stop()
	m.wg.Wait()
}

var runID = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{8}$`)

// start begins a run, or lets it wait. The folder may be nil.
func (m *jobs) start(target record.Target, game string, f *folder) (*job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errors.New("the server is closing")
	}
	if m.active >= m.opts.Parallel+m.opts.Waiting {
		return nil, fmt.Errorf("%d runs are under way or waiting, which is the most: wait for one of them with playtest_status, then try again", m.active)
	}
	ctx, cancel := context.WithCancel(m.ctx)
	j := &job{id: qa.NewRunID(), game: game, cancel: cancel, changed: make(chan struct{}), state: waiting}
	m.all[j.id] = j
	m.order = append(m.order, j.id)
	m.active++
	m.wg.Go(func() {
		defer cancel()
		r := m.play(ctx, j, target, f)
		m.mu.Lock()
		m.active--
		m.mu.Unlock()
		m.prune()
		j.change(func() { j.state, j.result = "", r })
	})
	return j, nil
}

func (m *jobs) play(ctx context.Context, j *job, target record.Target, f *folder) *Result {
	failed := func(err error) *Result {
		if ctx.Err() != nil {
			return &Result{Run: j.id, Status: cancelled, Summary: "The run was cancelled before anything was measured."}
		}
		return &Result{Run: j.id, Status: string(record.VerdictError), Summary: clip("The game could not be played: "+err.Error(), 500)}
	}
	leave, err := m.enter(ctx)
	if err != nil {
		return failed(err)
	}
	defer leave()
	j.change(func() { j.state = running })
	var src *fix.Source
	if f != nil {
		served, err := f.serve(ctx)
		if err != nil {
			return failed(err)
		}
		defer served.Close()
		target.URL = served.URL()
		src = &fix.Source{Files: f.files(), Base: folderOf(served.URL())}
	}
	dir := filepath.Join(m.opts.Dir, j.id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failed(err)
	}
	rec, rep, err := m.opts.Play(ctx, Job{ID: j.id, Target: target, Dir: dir, Emit: func(e record.Event) {
		j.change(func() { j.event = e })
	}})
	if err != nil || rep == nil {
		if err == nil {
			err = errors.New("there is no report")
		}
		return failed(err)
	}
	r := newResult(j.id, dir, rep, fix.For(rep, rec, src))
	if ctx.Err() != nil {
		r.Status = cancelled
	}
	if err := r.save(dir); err != nil {
		m.opts.Log.Warn("keep the result", "run", j.id, "error", err)
	}
	return r
}

// enter waits until there is room for another game, and keeps it until leave is called.
func (m *jobs) enter(ctx context.Context) (leave func(), err error) {
	select {
	case m.room <- struct{}{}:
		return func() { <-m.room }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.ctx.Done():
		return nil, errors.New("the server is closing")
	}
}

// find is a run of this server, nil when it is not one of its own.
func (m *jobs) find(id string) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[id]
}

// dir is the folder of a run, of this server or of an earlier one.
func (m *jobs) dir(id string) (string, error) {
	if !runID.MatchString(id) {
		return "", fmt.Errorf("%q is no name of a run", clip(id, 60))
	}
	dir := filepath.Join(m.opts.Dir, id)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("there is no run %s, or no more", id)
	}
	return dir, nil
}

// result is what a run ended with; that of an earlier server is read from its folder.
func (m *jobs) result(id string) (*Result, error) {
	if j := m.find(id); j != nil {
		state, _, r, _ := j.now()
		if r == nil {
			return nil, fmt.Errorf("run %s is %s: wait for it with playtest_status", id, state)
		}
		return r, nil
	}
	dir, err := m.dir(id)
	if err != nil {
		return nil, err
	}
	return readResult(dir)
}

// latest are the newest runs, newest first.
func (m *jobs) latest(n int) []Listed {
	m.mu.Lock()
	mine := slices.Clone(m.order)
	m.mu.Unlock()
	slices.Reverse(mine)
	var out []Listed
	for _, id := range mine {
		if len(out) == n {
			break
		}
		j := m.find(id)
		if j == nil {
			continue
		}
		state, _, r, _ := j.now()
		l := Listed{Run: id, Game: clip(j.game, 200), Status: state}
		if r != nil {
			l.Status, l.Summary = r.Status, clip(r.Summary, 200)
		}
		out = append(out, l)
	}
	return out
}

// prune removes the oldest runs, those of earlier servers included. Nothing is
// removed that is not named like a run.
func (m *jobs) prune() {
	m.mu.Lock()
	defer m.mu.Unlock()
	entries, err := os.ReadDir(m.opts.Dir)
	if err != nil {
		return
	}
	var ids []string
	last := map[string]time.Time{} // when something was put into the folder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && runID.MatchString(e.Name()) {
			ids = append(ids, e.Name())
			last[e.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return last[a].Compare(last[b]) })
	for len(ids) > m.opts.Keep {
		if j := m.all[ids[0]]; j != nil {
			if state, _, _, _ := j.now(); state != "" {
				return // the oldest is still being played
			}
		}
		if err := os.RemoveAll(filepath.Join(m.opts.Dir, ids[0])); err != nil {
			m.opts.Log.Warn("remove an old run", "run", ids[0], "error", err)
			return
		}
		delete(m.all, ids[0])
		ids = ids[1:]
	}
	m.order = slices.DeleteFunc(m.order, func(id string) bool { return m.all[id] == nil })
	for len(m.order) > m.opts.Keep { // those that left no folder
		j := m.all[m.order[0]]
		if state, _, _, _ := j.now(); state != "" {
			return
		}
		delete(m.all, m.order[0])
		m.order = m.order[1:]
	}
}
