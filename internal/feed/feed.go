// Package feed completes the events of a run for whoever watches it: the end of
// each phase with its duration, each control that works once, how many were
// discovered, and a sign of life when a run has been silent for long.
package feed

import (
	"fmt"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Silence is after how long without an event a sign of life is given. People and
// programs may take a run for dead that says nothing for 15 seconds.
const Silence = 10 * time.Second

// Feed stands between a run and a sink of events. It is safe for use by several
// goroutines; the sink is called by one at a time and must not block.
type Feed struct {
	run  string
	sink func(record.Event)
	quit chan struct{}
	done chan struct{}

	mu         sync.Mutex
	phase      string
	doing      string // what the phase is at
	began      time.Time
	last       time.Time       // when something was told
	discovered int             // how many controls were told of
	working    map[string]bool // controls of which it was told that they work
}

// New makes a feed for a run. Close ends it.
func New(run string, sink func(record.Event)) *Feed {
	f := &Feed{run: run, sink: sink, quit: make(chan struct{}), done: make(chan struct{}), last: time.Now(), working: map[string]bool{}}
	go f.live()
	return f
}

// Event passes an event on, after the end of the phase that it ends.
func (f *Feed) Event(e record.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Kind {
	case record.EventPhase:
		if f.phase == record.PhaseDiscover && f.discovered == 0 {
			f.discover(f.phase, len(f.working)) // the record has them when the game was played
		}
		f.end(e.Time)
		f.phase, f.began, f.doing = e.Phase, e.Time, e.Message
	case record.EventVerdict:
		f.end(e.Time)
	case record.EventProgress:
		f.doing = e.Message
	case record.EventControl:
		if f.working[e.Message] {
			return // an input may be observed on several screens
		}
		f.working[e.Message] = true
	}
	f.tell(e)
}

// Checkpoint tells what only a record shows. It is for qa.Options.Checkpoint.
func (f *Feed) Checkpoint(phase string, rec *record.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.discover(phase, len(rec.Discover.Controls))
	responsive := map[string]bool{}
	for _, t := range rec.Explore.Trials {
		responsive[t.ControlID] = responsive[t.ControlID] || t.Outcome == record.Responsive
	}
	for _, c := range rec.Discover.Controls {
		if text := c.Answers(); responsive[c.ID] && !f.working[text] {
			f.working[text] = true
			f.tell(record.Event{Time: time.Now(), RunID: f.run, Phase: phase, Kind: record.EventControl, Message: text})
		}
	}
}

// discover tells how many controls there are, when that is news.
func (f *Feed) discover(phase string, n int) {
	if n == 0 || n == f.discovered {
		return
	}
	f.discovered = n
	f.tell(record.Event{Time: time.Now(), RunID: f.run, Phase: phase, Kind: record.EventControls, Message: discovered(n), Done: n})
}

func discovered(n int) string {
	if n == 1 {
		return "discovered 1 control"
	}
	return fmt.Sprintf("discovered %d controls", n)
}

// Close gives no further sign of life.
func (f *Feed) Close() {
	close(f.quit)
	<-f.done
}

// end tells that the phase under way has ended.
func (f *Feed) end(at time.Time) {
	if f.phase == "" {
		return
	}
	took := at.Sub(f.began)
	f.tell(record.Event{
		Time: at, RunID: f.run, Phase: f.phase, Kind: record.EventPhaseEnded,
		Message: fmt.Sprintf("%s took %.1f seconds", f.phase, took.Seconds()), Seconds: record.Seconds(took),
	})
	f.phase = ""
}

func (f *Feed) tell(e record.Event) {
	f.last = time.Now()
	f.sink(e)
}

func (f *Feed) live() {
	defer close(f.done)
	for {
		f.mu.Lock()
		wait := Silence - time.Since(f.last)
		if wait <= 0 && f.phase != "" {
			now := time.Now()
			f.tell(record.Event{
				Time: now, RunID: f.run, Phase: f.phase, Kind: record.EventProgress,
				Message: fmt.Sprintf("still at it after %.0f seconds: %s", now.Sub(f.began).Seconds(), f.doing),
			})
		}
		if wait <= 0 {
			wait = Silence
		}
		f.mu.Unlock()
		select {
		case <-f.quit:
			return
		case <-time.After(wait):
		}
	}
}
