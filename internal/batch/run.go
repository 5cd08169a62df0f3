package batch

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Play plays one game and returns its result. An error means that no game can be
// played, and ends the batch; a game that cannot be judged is a result.
type Play func(ctx context.Context, g Game) (Result, error)

// Options of a batch.
type Options struct {
	// Parallel is how many games are played at a time, one if zero.
	Parallel int
	// FailFast ends the batch at the first game that fails.
	FailFast bool
	// Ledger remembers results; nil remembers nothing.
	Ledger *Ledger
	// Started and Ended are told about each game, one at a time. They may be nil.
	Started func(Game)
	Ended   func(r Result, p Progress)
}

// Progress is how far a batch got.
type Progress struct {
	Done, Total int
	// Left is how long the rest will take, by what was played until now; zero
	// before that can be told.
	Left time.Duration
}

// Summary is a whole batch.
type Summary struct {
	// Results are in the order of the games, those of earlier attempts included.
	Results []Result `json:"results"`
	// Passed, Failed and Undecided count them; Again those that were taken over.
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Undecided int `json:"undecided"`
	Again     int `json:"takenOver"`
	// NotPlayed names the games that the batch did not come to.
	NotPlayed []string `json:"notPlayed,omitempty"`
	Seconds   float64  `json:"seconds"`
}

// Worst is the verdict of a batch: a failed game weighs more than one that could
// not be judged, for somebody can mend it.
func (s *Summary) Worst() record.Verdict {
	switch {
	case s.Failed > 0:
		return record.Fail
	case s.Undecided > 0 || len(s.NotPlayed) > 0:
		return record.VerdictError
	}
	return record.Pass
}

// errFailed ends a batch that ends at the first failure.
var errFailed = errors.New("a game failed")

// Run plays the games that the ledger does not know. It returns a summary also
// when it was interrupted or a game could not be played, together with the error.
func Run(ctx context.Context, games []Game, play Play, opts *Options) (*Summary, error) {
	if opts == nil {
		opts = &Options{}
	}
	b := &run{opts: opts, begin: time.Now(), results: make([]*Result, len(games)), total: len(games)}
	var waiting []int
	for i, g := range games {
		if opts.Ledger != nil {
			if r, ok := opts.Ledger.Done(g); ok {
				b.results[i] = &r
				b.again++
				continue
			}
		}
		waiting = append(waiting, i)
	}
	playing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var players sync.WaitGroup
	for range min(max(opts.Parallel, 1), max(len(waiting), 1)) {
		players.Go(func() {
			for i := range next {
				if err := b.one(playing, i, games[i], play); err != nil {
					stop(err)
				}
			}
		})
	}
feed:
	for _, i := range waiting {
		select {
		case next <- i:
		case <-playing.Done():
			break feed
		}
	}
	close(next)
	players.Wait()
	err := context.Cause(playing)
	if errors.Is(err, errFailed) {
		err = nil
	}
	return b.summary(games), err
}

type run struct {
	opts  *Options
	begin time.Time
	total int
	again int

	mu      sync.Mutex
	results []*Result
	played  int
	spent   float64 // seconds of all games together
}

func (b *run) one(ctx context.Context, i int, g Game, play Play) error {
	if ctx.Err() != nil {
		return nil
	}
	b.mu.Lock()
	if b.opts.Started != nil {
		b.opts.Started(g)
	}
	b.mu.Unlock()
	begin := time.Now()
	r, err := play(ctx, g)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Name, err)
	}
	if ctx.Err() != nil {
		return nil // what was cut off is no result: it will be played again
	}
	r.Name, r.URL, r.Finished = g.Name, g.URL, time.Now().UTC()
	if r.Seconds == 0 {
		r.Seconds = record.Seconds(time.Since(begin))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[i] = &r
	b.played++
	b.spent += time.Since(begin).Seconds()
	if b.opts.Ledger != nil {
		if err := b.opts.Ledger.Add(r); err != nil {
			return err
		}
	}
	if b.opts.Ended != nil {
		b.opts.Ended(r, b.progress())
	}
	if b.opts.FailFast && r.Status == record.Fail {
		return errFailed
	}
	return nil
}

func (b *run) progress() Progress {
	p := Progress{Done: b.played + b.again, Total: b.total}
	if b.played > 0 {
		each := b.spent / float64(b.played)
		at := min(max(b.opts.Parallel, 1), max(p.Total-p.Done, 1))
		p.Left = time.Duration(each * float64(p.Total-p.Done) / float64(at) * float64(time.Second))
	}
	return p
}

func (b *run) summary(games []Game) *Summary {
	s := &Summary{Again: b.again, Seconds: record.Seconds(time.Since(b.begin)), Results: []Result{}}
	for i, r := range b.results {
		if r == nil {
			s.NotPlayed = append(s.NotPlayed, games[i].Name)
			continue
		}
		s.Results = append(s.Results, *r)
		switch r.Status {
		case record.Pass:
			s.Passed++
		case record.Fail:
			s.Failed++
		default:
			s.Undecided++
		}
	}
	return s
}

// Shard is one of several equal parts of a batch, each for a machine of its own.
type Shard struct{ I, N int }

// ParseShard reads "2/5", the second of five parts. Nothing is the whole.
func ParseShard(text string) (Shard, error) {
	if text == "" {
		return Shard{1, 1}, nil
	}
	i, n, ok := strings.Cut(text, "/")
	s := Shard{}
	var err1, err2 error
	s.I, err1 = strconv.Atoi(i)
	s.N, err2 = strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || s.N < 1 || s.I < 1 || s.I > s.N {
		return s, fmt.Errorf("%q is no part of a batch: 2/5 is the second of five", text)
	}
	return s, nil
}

// Of returns the games of the part: every n-th, so that neighbours in a list,
// which tend to be alike, are spread.
func (s Shard) Of(games []Game) []Game {
	var out []Game
	for i := s.I - 1; i < len(games); i += s.N {
		out = append(out, games[i])
	}
	return out
}
