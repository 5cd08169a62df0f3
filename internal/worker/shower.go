package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

const (
	// showEvery is the least time between two glimpses of a run.
	showEvery = 350 * time.Millisecond
	// askEvery is how often it is asked whether somebody watches.
	askEvery = time.Second
	// showing bounds one glimpse, with what the database takes for it.
	showing = 5 * time.Second
)

// glimpses is where what is seen goes, and where watchers leave their mark.
// *store.Store is one.
type glimpses interface {
	GlimpsesWanted(ctx context.Context, run string) (bool, error)
	PutGlimpse(ctx context.Context, l store.Lease, g *record.Glimpse) error
	DropGlimpses(ctx context.Context, run string) error
}

// looker sees a run. *view.View is one.
type looker interface {
	Look(context.Context) (*record.Glimpse, error)
}

// show shows a run to those who watch until stop is called, which waits. It works beside
// the run, and not at all while nobody watches.
func show(ctx context.Context, l store.Lease, seen looker, into glimpses, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		s := shower{lease: l, seen: seen, into: into, log: log}
		tick := time.NewTicker(showEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				s.end(context.WithoutCancel(ctx))
				return
			case <-tick.C:
				s.glimpse(ctx)
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

type shower struct {
	lease store.Lease
	seen  looker
	into  glimpses
	log   *slog.Logger

	asked  time.Time
	wanted bool
	shown  bool
}

// glimpse shows what can be seen now, if somebody watches and it is new.
func (s *shower) glimpse(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, showing)
	defer cancel()
	var err error
	if now := time.Now(); now.Sub(s.asked) >= askEvery {
		s.asked = now
		s.wanted, err = s.into.GlimpsesWanted(ctx, s.lease.RunID)
	}
	if err == nil && s.wanted {
		var g *record.Glimpse
		if g, err = s.seen.Look(ctx); err == nil && g != nil {
			s.shown = true
			err = s.into.PutGlimpse(ctx, s.lease, g)
		}
	}
	if err != nil && ctx.Err() == nil {
		// A page may be busy, and a database away. There is another one soon.
		s.log.Debug("show the run", "error", err)
	}
}

// end takes away what was shown.
func (s *shower) end(ctx context.Context) {
	if !s.shown {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, showing)
	defer cancel()
	if err := s.into.DropGlimpses(ctx, s.lease.RunID); err != nil {
		s.log.Debug("take away what was shown", "error", err)
	}
}
