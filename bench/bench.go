package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/games/fault"
)

// Bench runs instances.
type Bench struct {
	Entrants []Entrant
	// Run is what is measured.
	Run func(ctx context.Context, url string, seed int64) (Outcome, error)
	// Witness looks whether the instance's fault can be seen, and how. Nil believes the labels.
	Witness WitnessFunc
	// Parallel is how many instances are run at a time.
	Parallel int
	// Build is the commit of the program that plays, where it is known. Results name it.
	Build string
	// Results remembers what was run already.
	Results *File
	// Progress is told of each result as it comes. It is called from one goroutine at a time.
	Progress func(done, total int, r Result)
}

// ServerError says that a game's server could not be reached, so that nothing is known about the game.
type ServerError struct {
	Game string
	Err  error
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("the server of %s does not answer: %v", e.Game, e.Err)
}

func (e *ServerError) Unwrap() error { return e.Err }

// Do runs the plan and returns the results in its order. What could not be run is missing from them, and named by the
// error; what was run is kept in any case.
func (b *Bench) Do(ctx context.Context, plan []Instance) ([]Result, error) {
	entrants := map[string]Entrant{}
	for _, e := range b.Entrants {
		entrants[e.Name] = e
	}
	var (
		mu      sync.Mutex
		done    int
		results = make([]*Result, len(plan))
		errs    []error
		workers sync.WaitGroup
	)
	note := func(n int, r Result, err error) {
		mu.Lock()
		defer mu.Unlock()
		done++
		if err != nil {
			errs = append(errs, err)
			return
		}
		if b.Progress != nil {
			b.Progress(done, len(plan), r)
		}
		r.Outcome.Record = nil
		results[n] = &r
	}
	next := make(chan int)
	for range max(1, b.Parallel) {
		workers.Go(func() {
			for n := range next {
				r, err := b.one(ctx, entrants[plan[n].Game], plan[n])
				note(n, r, err)
			}
		})
	}
feed:
	for n, i := range plan {
		if r, ok := b.Results.Done(i, b.Build); ok {
			note(n, r, nil)
			continue
		}
		select {
		case next <- n:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	var all []Result
	for _, r := range results {
		if r != nil {
			all = append(all, *r)
		}
	}
	return all, errors.Join(append(errs, ctx.Err())...)
}

func (b *Bench) one(ctx context.Context, e Entrant, i Instance) (Result, error) {
	r := Result{Instance: i, Build: b.Build}
	if e.Alive != nil {
		if err := e.Alive(); err != nil {
			return r, &ServerError{Game: e.Name, Err: err}
		}
	}
	if f, ok := fault.Get(i.Fault); ok && b.Witness != nil {
		observable, how, err := b.Witness(ctx, e, f, i.Seed)
		if err != nil {
			return r, fmt.Errorf("%s: %w", i.Key(), err)
		}
		if !observable {
			r.Excluded = how
			return r, b.Results.Add(r)
		}
		r.Seen = how
	}
	url, release, err := e.Address(i.Fault, i.Seed)
	if err != nil {
		return r, fmt.Errorf("%s: %w", i.Key(), err)
	}
	defer release()
	start := time.Now()
	r.Outcome, err = b.Run(ctx, url, i.Seed)
	r.Seconds = time.Since(start).Seconds()
	if ctx.Err() != nil {
		// Half a run is no result.
		return r, fmt.Errorf("%s: %w", i.Key(), ctx.Err())
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", i.Key(), err)
	}
	return r, b.Results.Add(r)
}
