// Command replays makes happen again what runs of the bundled games observed, several
// times each, and prints how often it was the same as a table of Markdown. Games that
// were not played yet are played first.
//
//	go run ./bench/replays -playtest bin/playtest -times 10
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

// gameLimit bounds the replays of one game.
const gameLimit = 3 * time.Minute

func main() {
	var o options
	flag.StringVar(&o.binary, "playtest", "bin/playtest", "the program that plays games")
	flag.StringVar(&o.runs, "runs", "playtest-results/replays", "the folder of the runs, NAME/record.json; missing ones are made there")
	flag.IntVar(&o.times, "times", 10, "how often each is replayed")
	flag.IntVar(&o.parallel, "parallel", 2, "how many games at a time")
	flag.StringVar(&o.only, "games", "", "names of games, with commas; all when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	binary, runs, only string
	times, parallel    int
}

// result is what became of one game.
type result struct {
	game, claim string
	same, times int
	note        string // what happened otherwise
	took        time.Duration
	err         error // it could not be played, or replayed
}

func (r result) String() string {
	switch {
	case r.err != nil:
		return fmt.Sprintf("| %s | %s | %d of %d; %s | |", r.game, r.claim, r.same, r.times, strings.Join(strings.Fields(r.err.Error()), " "))
	case r.claim == "":
		return fmt.Sprintf("| %s | %s | | |", r.game, r.note)
	case r.note != "":
		return fmt.Sprintf("| %s | %s | %d of %d; otherwise %s | %.1f |", r.game, r.claim, r.same, r.times, r.note, r.took.Seconds()/float64(r.times))
	}
	return fmt.Sprintf("| %s | %s | %d of %d | %.1f |", r.game, r.claim, r.same, r.times, r.took.Seconds()/float64(r.times))
}

func run(ctx context.Context, o options) (err error) {
	s, err := games.Serve(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var names []string
	for _, g := range games.All() {
		if o.only == "" || slices.Contains(strings.Split(o.only, ","), g.Name) {
			names = append(names, g.Name)
		}
	}
	results := make([]chan result, len(names))
	places := make(chan struct{}, max(o.parallel, 1))
	for i := range names {
		results[i] = make(chan result, 1)
	}
	go func() { // in the order of the table
		for i, name := range names {
			places <- struct{}{}
			go func() {
				defer func() { <-places }()
				results[i] <- one(ctx, b, o, name, s.URL(name, 0))
			}()
		}
	}()
	fmt.Println("| game | what is replayed | the same | seconds each |\n| --- | --- | --- | --- |")
	var all, every, nothing int
	for _, c := range results {
		r := <-c
		fmt.Println(r)
		switch {
		case r.claim == "" && r.err == nil:
			nothing++
		default:
			all++
			if r.err == nil && r.same == r.times {
				every++
			}
		}
	}
	fmt.Printf("\n%d of %d games were the same %d times of %d; %d have nothing that can be replayed.\n", every, all, o.times, o.times, nothing)
	if every < all {
		return errors.New("not every replay was the same")
	}
	return nil
}

// one replays a game.
func one(ctx context.Context, b *browser.Browser, o options, name, url string) result {
	r := result{game: name, times: o.times}
	rec, err := observed(ctx, o.binary, filepath.Join(o.runs, name), url)
	if err != nil {
		r.err = err
		return r
	}
	claim, err := repro.Of(rec)
	var nothing *repro.NothingError
	if errors.As(err, &nothing) {
		r.note = nothing.Why
		return r
	}
	if err != nil {
		r.err = err
		return r
	}
	r.claim = claim.String()
	began := time.Now()
	r.same, r.note, r.err = replay(ctx, b, rec, claim, url, o.times)
	r.took = time.Since(began)
	return r
}

// observed is the record of a run, which is made unless it is there.
func observed(ctx context.Context, binary, dir, url string) (*record.Record, error) {
	name := filepath.Join(dir, "record.json")
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		cmd := exec.CommandContext(ctx, binary, "run", url, "--allow-local", "--no-memory", "--quiet", "--format", "none", "--out", dir)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it closes its browser
		cmd.WaitDelay = time.Minute
		cmd.Stderr = os.Stderr
		played := cmd.Run() // its exit code is the verdict
		if data, err = os.ReadFile(name); err != nil {
			return nil, errors.Join(fmt.Errorf("play it: %w", err), played)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	return record.ParseRecord(data)
}

// replay makes a claim happen again, and says how often it was the same and what
// happened otherwise.
func replay(ctx context.Context, b *browser.Browser, rec *record.Record, c *repro.Claim, url string, times int) (same int, other string, err error) {
	ctx, cancel := context.WithTimeout(ctx, gameLimit)
	defer cancel()
	window := &browser.ContextOptions{Width: int(c.Window.Width), Height: int(c.Window.Height), UserAgent: rec.Environment.UserAgent}
	p := &repro.Player{URL: url, Open: func(ctx context.Context) (*browser.Context, error) { return b.NewContext(ctx, window) }}
	for range times {
		o, err := p.Replay(ctx, c)
		if err != nil {
			return same, other, err
		}
		if o.Same(c) {
			same++
		} else {
			other = o.String()
		}
	}
	return same, other, nil
}
