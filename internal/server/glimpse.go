package server

import (
	"context"
	"errors"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

const (
	// wantFor is how long the mark holds that somebody watches, wantEvery how often it is
	// renewed: workers stop taking pictures soon after the last watcher has gone.
	wantFor   = 6 * time.Second
	wantEvery = 2 * time.Second
	// sharing is the time between two pictures for each who gets them, so that their number
	// a second is bounded whoever watches: a dozen see all, two hundred one in five seconds.
	// With all pictures for two hundred a run on two busy cores took a fifth longer, the
	// work of the clients included.
	sharing = 25 * time.Millisecond
)

// glimpses is what a topic knows of the pictures of its run.
type glimpses struct {
	wanted time.Time // when the mark was renewed last
	told   time.Time // when the newest was told
	number int64     // of the newest
	newest said      // guarded by the topic's mu: newcomers get it at once
}

// askGlimpse tells what a run that goes on looks like to those who asked for pictures,
// and lets its worker know that they are there.
func (h *hub) askGlimpse(ctx context.Context, t *topic, goesOn bool) error {
	watching := t.pictured()
	if !goesOn || watching == 0 {
		t.mu.Lock()
		t.seen.newest = said{}
		t.mu.Unlock()
		return nil
	}
	if now := time.Now(); now.Sub(t.seen.wanted) >= wantEvery {
		if err := h.store.WantGlimpses(ctx, t.run, wantFor); err != nil {
			return err
		}
		t.seen.wanted = now
	}
	if time.Since(t.seen.told) < time.Duration(watching)*sharing {
		return nil
	}
	number, body, err := h.store.Glimpse(ctx, t.run, t.seen.number)
	if errors.Is(err, store.ErrNotFound) {
		return nil // nothing new
	}
	if err != nil {
		return err
	}
	m := Message{Type: "picture", Seq: t.last, Picture: body}.say(true)
	t.seen.told = time.Now()
	t.mu.Lock()
	t.seen.number, t.seen.newest = number, m
	t.mu.Unlock()
	h.tell(t, m)
	return nil
}

// pictured counts those who asked for pictures.
func (t *topic) pictured() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.clients {
		if c.pictures {
			n++
		}
	}
	return n
}
