package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Message is what a live connection is told.
//
//	snapshot  how things stand: the run with its events so far, or the newest runs
//	event     one event of the run; seq is its number
//	run       a run as it is now
//	picture   what the run looks like now, for whoever asked for pictures
//	alive     nothing new, and the server lives
//
// Whoever comes back with the last seq as after gets the events that they missed
// in the snapshot.
type Message struct {
	Type   string        `json:"type"`
	Seq    int64         `json:"seq"`
	Run    *Run          `json:"run,omitempty"`
	Runs   []Run         `json:"runs,omitempty"`
	Events []store.Event `json:"events,omitempty"`
	Event  *store.Event  `json:"event,omitempty"`
	// Picture is a record.Glimpse.
	Picture json.RawMessage `json:"picture,omitempty"`
}

// said is a message as it is sent, made once for everybody.
type said struct {
	seq  int64
	kind string
	// chatter may be left out for whoever is slow.
	chatter bool
	body    []byte
}

func (m Message) say(chatter bool) said {
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // plain data
	}
	return said{m.Seq, m.Type, chatter, body}
}

const (
	// queued bounds the messages that wait for a client: many more than a run has
	// transitions. All clients share what the messages say.
	queued = 256
	// aliveEvery is how often a client hears something.
	aliveEvery = 15 * time.Second
	// listed is how many runs a snapshot of the list holds.
	listed = 50
	// snapshotEvents bounds the events that a newcomer gets.
	snapshotEvents = 500
	askTime        = 5 * time.Second
)

var (
	errTooSlow   = errors.New("the client is too slow")
	errFull      = problem(503, "Too many are watching. Try again in a moment.")
	errClosing   = errors.New("the server is shutting down")
	errLoggedOut = errors.New("the token or session has ended")
)

// client is somebody who watches. Its queue is bounded: when it is full, chatter
// gives way to news, and a client that has no room for news is dropped. Of pictures
// only the newest waits.
type client struct {
	pictures bool // it asked for them

	mu      sync.Mutex
	waiting []said
	slow    bool
	wake    chan struct{} // holds at most one sign
}

func newClient(pictures bool) *client {
	return &client{pictures: pictures, wake: make(chan struct{}, 1)}
}

// push never blocks. It reports false when the client is to be dropped.
func (c *client) push(m said) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slow {
		return false
	}
	if m.kind == "picture" {
		c.waiting = slices.DeleteFunc(c.waiting, func(w said) bool { return w.kind == "picture" })
	}
	if len(c.waiting) >= queued {
		i := slices.IndexFunc(c.waiting, func(w said) bool { return w.chatter })
		switch {
		case i >= 0:
			c.waiting = slices.Delete(c.waiting, i, i+1)
		case m.chatter:
			return true
		default:
			c.slow, c.waiting = true, nil
		}
	}
	if !c.slow {
		c.waiting = append(c.waiting, m)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return !c.slow
}

// take returns what waits. It returns nothing after the time of a sign of life.
func (c *client) take(ctx, closing context.Context) ([]said, error) {
	alive := time.NewTimer(aliveEvery)
	defer alive.Stop()
	for {
		c.mu.Lock()
		out, slow := c.waiting, c.slow
		c.waiting = nil
		c.mu.Unlock()
		switch {
		case slow:
			return nil, errTooSlow
		case len(out) > 0:
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-closing.Done():
			return nil, errClosing
		case <-alive.C:
			return nil, nil
		case <-c.wake:
		}
	}
}

// topic is what several may watch: a run, or the newest runs of a project.
type topic struct {
	project *store.Project
	run     string // "" for the list

	mu      sync.Mutex
	clients map[*client]bool
	last    int64             // the number of the last event that was told
	states  map[string]string // the runs as they were told last
	playing map[string]bool   // the runs of a list that were told as being played
	seen    glimpses
}

// stories is what the hub asks of the store beside a project's runs.
type stories interface {
	Events(ctx context.Context, id string, after int64, limit int) ([]store.Event, error)
	LastEvent(ctx context.Context, id string) (int64, error)
	WantGlimpses(ctx context.Context, run string, hold time.Duration) error
	Glimpse(ctx context.Context, run string, after int64) (number int64, body json.RawMessage, err error)
}

// hub asks the store about what is watched, once for all who watch it, and only
// while somebody does. Nothing that clients do reaches a run.
type hub struct {
	store   stories
	every   time.Duration
	most    int64
	log     *slog.Logger
	dropped atomic.Int64
	count   atomic.Int64

	closing context.Context
	close   func()

	mu      sync.Mutex
	topics  map[string]*topic
	polling sync.WaitGroup
}

func newHub(s stories, every time.Duration, most int, log *slog.Logger) *hub {
	h := &hub{store: s, every: every, most: int64(most), log: log, topics: map[string]*topic{}}
	closing, cancel := context.WithCancel(context.Background())
	h.closing = closing
	h.close = func() {
		cancel()
		h.polling.Wait()
	}
	return h
}

func (h *hub) clients() int64 { return h.count.Load() }

// watch adds a client to what it wants to watch. Leave takes it away again.
func (h *hub) watch(ctx context.Context, p *store.Project, run string, pictures bool) (c *client, leave func(), err error) {
	if h.count.Add(1) > h.most {
		h.count.Add(-1)
		return nil, nil, errFull
	}
	key := p.ID() + "/" + run
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing.Err() != nil {
		h.count.Add(-1)
		return nil, nil, errClosing
	}
	t := h.topics[key]
	if t == nil {
		t = &topic{project: p, run: run, clients: map[*client]bool{}, states: map[string]string{}, playing: map[string]bool{}}
		if run != "" {
			t.last, err = h.store.LastEvent(ctx, run)
		} else {
			// What is there already is for the snapshots to tell.
			var runs []store.Run
			runs, err = newest(ctx, p)
			for _, r := range runs {
				t.states[r.ID] = state(r)
				if r.Status == store.Running {
					t.playing[r.ID] = true
				}
			}
		}
		if err != nil {
			h.count.Add(-1)
			return nil, nil, err
		}
		h.topics[key] = t
		polling, stop := context.WithCancel(h.closing)
		h.polling.Go(func() {
			defer stop()
			h.poll(polling, key, t)
		})
	}
	c = newClient(pictures)
	t.mu.Lock()
	t.clients[c] = true
	if pictures && t.seen.newest.body != nil {
		c.push(t.seen.newest)
	}
	t.mu.Unlock()
	return c, func() {
		h.count.Add(-1)
		t.mu.Lock()
		delete(t.clients, c)
		t.mu.Unlock()
	}, nil
}

// poll asks until nobody watches any more.
func (h *hub) poll(ctx context.Context, key string, t *topic) {
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	for {
		h.ask(ctx, t)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		t.mu.Lock()
		empty := len(t.clients) == 0
		if empty {
			delete(h.topics, key)
		}
		t.mu.Unlock()
		h.mu.Unlock()
		if empty {
			return
		}
	}
}

func (h *hub) ask(ctx context.Context, t *topic) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var err error
	if t.run == "" {
		err = h.askList(ctx, t)
	} else {
		err = h.askRun(ctx, t)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrNotFound) {
		h.log.Warn("ask about what is watched", "error", err)
	}
}

// askRun tells new events first and then how the run stands: whoever is told of
// its end has heard everything.
func (h *hub) askRun(ctx context.Context, t *topic) error {
	run, err := t.project.Get(ctx, t.run)
	if err != nil {
		return err
	}
	for {
		events, err := h.store.Events(ctx, t.run, t.last, 200)
		if err != nil {
			return err
		}
		for _, e := range events {
			t.last = e.ID
			h.tell(t, Message{Type: "event", Seq: e.ID, Event: &e}.say(e.Chatter()))
		}
		if len(events) < 200 {
			break
		}
	}
	h.tellRun(t, run)
	return h.askGlimpse(ctx, t, !run.Status.Ended())
}

func (h *hub) askList(ctx context.Context, t *topic) error {
	runs, err := newest(ctx, t.project)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, run := range slices.Backward(runs) {
		seen[run.ID] = true
		h.tellRun(t, run)
	}
	// What was being played and is not listed any more has ended, or waits again.
	for id := range t.playing {
		if seen[id] {
			continue
		}
		run, err := t.project.Get(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil {
			h.tellRun(t, run)
		}
	}
	clear(t.playing)
	for _, run := range runs {
		if run.Status == store.Running {
			t.playing[run.ID] = true
		}
	}
	if len(t.states) > 10*listed {
		clear(t.states) // bounded; whoever watches is told everything once more
	}
	return nil
}

// newest are the runs that a list shows first, and those being played.
func newest(ctx context.Context, p *store.Project) ([]store.Run, error) {
	runs, err := p.List(ctx, store.Filter{Limit: listed})
	if err != nil {
		return nil, err
	}
	busy, err := p.List(ctx, store.Filter{Status: store.Running, Limit: listed})
	if err != nil {
		return nil, err
	}
	for _, b := range busy {
		if !slices.ContainsFunc(runs, func(r store.Run) bool { return r.ID == b.ID }) {
			runs = append(runs, b)
		}
	}
	return runs, nil
}

// state is what of a run is worth telling when it changes.
func state(r store.Run) string {
	cancelling := ""
	if r.CancelRequested {
		cancelling = "cancelling"
	}
	return string(r.Status) + "/" + r.Phase + "/" + string(r.Verdict) + "/" + cancelling + "/" + r.Error
}

func (h *hub) tellRun(t *topic, run store.Run) {
	now := state(run)
	if t.states[run.ID] == now {
		return
	}
	t.states[run.ID] = now
	v := shown(run)
	h.tell(t, Message{Type: "run", Seq: t.last, Run: &v}.say(false))
}

func (h *hub) tell(t *topic, m said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.clients {
		if m.kind == "picture" && !c.pictures {
			continue
		}
		if !c.push(m) {
			delete(t.clients, c)
			h.dropped.Add(1)
		}
	}
}

// snapshot is what a client gets first. It is taken after the client was added,
// so nothing is missed between; what it holds already is not told again.
func (h *hub) snapshot(ctx context.Context, p *store.Project, id string, after int64) (Message, error) {
	m := Message{Type: "snapshot", Seq: after}
	if id == "" {
		runs, err := newest(ctx, p)
		m.Runs = []Run{}
		for _, r := range runs {
			m.Runs = append(m.Runs, shown(r))
		}
		return m, err
	}
	m.Events = []store.Event{}
	for {
		events, err := h.store.Events(ctx, id, m.Seq, 1000)
		if err != nil {
			return m, err
		}
		if len(events) > 0 {
			m.Seq = events[len(events)-1].ID
			m.Events = append(m.Events, events...)
			// Chatter is what is left out of a long story.
			if len(m.Events) > snapshotEvents {
				m.Events = slices.DeleteFunc(m.Events, func(e store.Event) bool { return e.Kind == record.EventProgress })
			}
			if over := len(m.Events) - snapshotEvents; over > 0 && after == 0 {
				m.Events = slices.Delete(m.Events, 0, over)
			}
		}
		if len(events) < 1000 {
			break
		}
	}
	run, err := p.Get(ctx, id)
	if err != nil {
		return m, err
	}
	v := shown(run)
	m.Run = &v
	return m, nil
}
