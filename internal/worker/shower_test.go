package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// gallery counts what is asked of it.
type gallery struct {
	mu                         sync.Mutex
	wanted, away               bool
	asked, looks, put, dropped int
}

func (g *gallery) GlimpsesWanted(context.Context, string) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked++
	if g.away {
		return false, errors.New("away")
	}
	return g.wanted, nil
}

func (g *gallery) PutGlimpse(context.Context, store.Lease, *record.Glimpse) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.put++
	return nil
}

func (g *gallery) DropGlimpses(context.Context, string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dropped++
	return nil
}

// Look sees something new every other time.
func (g *gallery) Look(context.Context) (*record.Glimpse, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.looks++; g.looks%2 == 0 {
		return nil, nil
	}
	return &record.Glimpse{}, nil
}

// counts sets what the gallery says and returns what was asked of it in ten seconds.
func (g *gallery) counts(wanted, away bool) (asked, looks, put int) {
	g.mu.Lock()
	g.wanted, g.away = wanted, away
	g.mu.Unlock()
	time.Sleep(2 * askEvery) // until it is known
	g.mu.Lock()
	g.asked, g.looks, g.put = 0, 0, 0
	g.mu.Unlock()
	time.Sleep(10 * time.Second)
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked, g.looks, g.put
}

// A run is looked at only while somebody watches, a few times a second at most, and
// what was shown is gone when it ends.
func TestShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gallery{}
		stop := show(t.Context(), store.Lease{RunID: "run", Number: 1}, g, g, slog.New(slog.DiscardHandler))
		if asked, looks, put := g.counts(false, false); looks != 0 || put != 0 || asked > 10 {
			t.Errorf("nobody watches: asked %d times, looked %d times, showed %d", asked, looks, put)
		}
		if asked, looks, put := g.counts(true, false); looks < 20 || looks > 30 || put != looks/2 && put != looks/2+1 || asked > 10 {
			t.Errorf("somebody watches: asked %d times, looked %d times, showed %d", asked, looks, put)
		}
		if _, looks, _ := g.counts(false, true); looks != 0 {
			t.Errorf("the database is away: looked %d times", looks)
		}
		stop()
		if g.dropped != 1 {
			t.Errorf("dropped %d times", g.dropped)
		}
	})
}
