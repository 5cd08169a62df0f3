// Command knowledge measures what remembering is worth: each bundled game is
// played twice by the same beginner, who learns in the first run and may use it
// in the second.
//
//	go run ./bench/knowledge [GAME...]
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"playtest"
	"playtest/browser"
	"playtest/games"
	"playtest/model"
	"playtest/qa/adapt"
	"playtest/qa/discover"
	"playtest/qa/game"
	"playtest/qa/knowledge"
	"playtest/qa/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// actions bounds a run: enough to get through menus and into a game.
const actions = 12

func run(ctx context.Context, names []string) error {
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	srv, err := games.Serve(ctx, nil)
	if err != nil {
		return err
	}
	defer srv.Close()
	var first, second total
	fmt.Println("| game | questions | cost | turns to the first progress | progress | time |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	for _, g := range games.All() {
		if len(names) > 0 && !slices.Contains(names, g.Name) {
			continue
		}
		book := knowledge.Open(&knowledge.Ram{}, nil)
		var runs [2]*adapt.Summary
		for i := range runs {
			if runs[i], err = play(ctx, b, srv.URL(g.Name, 1), book); err != nil {
				return fmt.Errorf("%s, run %d: %w", g.Name, i+1, err)
			}
		}
		a, c := runs[0], runs[1]
		first.add(a)
		second.add(c)
		fmt.Printf("| %s | %d → %d | %v → %v | %s → %s | %d → %d | %.0f s → %.0f s |\n", g.Name, a.Checks, c.Checks, a.Cost, c.Cost,
			soonest(a), soonest(c), len(a.Progress), len(c.Progress), a.Took.Seconds(), c.Took.Seconds())
	}
	fmt.Printf("| all | %d → %d | %v → %v | | %d → %d | %.0f s → %.0f s |\n", first.questions, second.questions, first.cost, second.cost,
		first.progress, second.progress, first.took.Seconds(), second.took.Seconds())
	return nil
}

// play is one run: phases 1 and 2, and then the adaptive loop.
func play(ctx context.Context, b *browser.Browser, url string, book *knowledge.Book) (*adapt.Summary, error) {
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	rec := &playtest.Record{RunID: "bench", Target: playtest.Target{URL: url, Mode: playtest.ModeAdaptive}, Environment: playtest.Environment{Width: 1280, Height: 720}}
	g, err := game.Open(ctx, c, rec, game.Options{})
	if err != nil {
		return nil, err
	}
	if err := load.Run(ctx, g); err != nil {
		return nil, err
	}
	if err := discover.Run(ctx, g); err != nil {
		return nil, err
	}
	g.Phase = playtest.PhaseExplore
	return adapt.Play(ctx, g, &adapt.Options{Model: &beginner{}, Book: book, MaxActions: actions})
}

type total struct {
	questions, progress int
	cost                model.Money
	took                time.Duration
}

func (t *total) add(s *adapt.Summary) {
	t.questions += s.Checks
	t.progress += len(s.Progress)
	t.cost += s.Cost
	t.took += s.Took
}

// soonest is the turn in which the game first got further.
func soonest(s *adapt.Summary) string {
	for _, t := range s.Turns {
		if len(t.Progress) > 0 {
			return fmt.Sprint(t.Number)
		}
	}
	return "none"
}
