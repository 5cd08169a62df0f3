// Command knowledge measures what remembering is worth. Each bundled game is
// played three times: first with an empty memory, then again with what that run
// taught, and once as a copy at another address with the same memory.
//
// In the adaptive mode the same beginner plays, and what counts is how many
// questions, dollars and seconds it takes to get as far as the first run got.
// In the standard mode it is how many seconds and inputs it takes until a
// control of the game was shown to work.
//
//	go run ./bench/knowledge [-mode adaptive|standard] [GAME...]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	mode := flag.String("mode", string(record.ModeAdaptive), "adaptive or standard")
	flag.Parse()
	if err := run(ctx, record.Mode(*mode), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// actions bounds a run: enough to get through menus and into a game.
const actions = 10

// kinds of run, in their order.
var kinds = []string{"first", "again", "copy"}

func run(ctx context.Context, mode record.Mode, names []string) error {
	play := map[record.Mode]func(context.Context, *browser.Browser, func(func(name, url string) error) error) error{
		record.ModeAdaptive: adaptive, record.ModeStandard: standard,
	}[mode]
	if play == nil {
		return fmt.Errorf("-mode %q is neither adaptive nor standard", mode)
	}
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
	return play(ctx, b, func(do func(name, url string) error) error {
		for _, g := range games.All() {
			if len(names) > 0 && !slices.Contains(names, g.Name) {
				continue
			}
			if err := do(g.Name, srv.URL(g.Name, 1)); err != nil {
				return fmt.Errorf("%s: %w", g.Name, err)
			}
		}
		return nil
	})
}

// adaptive has every game played three times by the beginner.
func adaptive(ctx context.Context, b *browser.Browser, each func(do func(name, url string) error) error) error {
	var all [3]figures
	reached := [3]int{}
	fmt.Println("| game | steps forward | questions | cost | time |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	err := each(func(name, url string) error {
		runs, err := threeTimes(ctx, url, func(url string, memory knowledge.Store) (*adapt.Summary, error) { return play(ctx, b, url, memory) })
		if err != nil {
			return err
		}
		var got [3]figures
		for i, s := range runs {
			got[i] = until(s, len(runs[0].Progress))
		}
		if got[0].steps == 0 {
			fmt.Printf("| %s | none in %d actions | | | |\n", name, actions)
			return nil
		}
		fmt.Printf("| %s | %s | %s | %s | %s |\n", name, row(got, figures.far), row(got, figures.asked), row(got, figures.paid), row(got, figures.lasted))
		// Those that did not get there have paid, too.
		for i, f := range got {
			all[i].add(f)
			if f.reached {
				reached[i]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Println()
	for i, kind := range kinds {
		fmt.Printf("%s: as far as the first run in %d of %d games, with %d questions, %v, %.0f s\n", kind, reached[i], reached[0], all[i].questions, all[i].cost, all[i].took.Seconds())
	}
	return nil
}

// threeTimes plays a game with an empty memory, again, and as a copy elsewhere
// that knows what the first run taught.
func threeTimes[T any](ctx context.Context, url string, play func(url string, memory knowledge.Store) (T, error)) (got [3]T, err error) {
	memory := &knowledge.Ram{}
	if got[0], err = play(url, memory); err != nil {
		return got, err
	}
	learned, err := clone(ctx, memory)
	if err != nil {
		return got, err
	}
	if got[1], err = play(url, memory); err != nil {
		return got, err
	}
	// Another name for this machine is another site.
	got[2], err = play(strings.Replace(url, "127.0.0.1", "localhost", 1), learned)
	return got, err
}

// clone is a memory as it is now.
func clone(ctx context.Context, from *knowledge.Ram) (*knowledge.Ram, error) {
	rows, err := from.Knowledge(ctx)
	if err != nil {
		return nil, err
	}
	out := &knowledge.Ram{}
	for id, data := range rows {
		if err := out.ChangeKnowledge(ctx, id, func([]byte) ([]byte, error) { return data, nil }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// play is one run: the controls are found, and then the adaptive loop plays.
func play(ctx context.Context, b *browser.Browser, url string, memory knowledge.Store) (*adapt.Summary, error) {
	found, _, err := qa.Run(ctx, b, record.Target{URL: url, Seed: 1}, nil)
	if err != nil {
		return nil, err
	}
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	rec := &record.Record{RunID: "bench", Target: record.Target{URL: url, Mode: record.ModeAdaptive}, Environment: record.Environment{Width: 1280, Height: 720}}
	g, err := game.Open(ctx, c, rec, game.Options{})
	if err != nil {
		return nil, err
	}
	if err := load.Run(ctx, g); err != nil {
		return nil, err
	}
	rec.Discover = found.Discover
	g.Phase = record.PhaseExplore
	return adapt.Play(ctx, g, &adapt.Options{Model: &beginner{}, Book: knowledge.Open(memory, nil), MaxActions: actions})
}

// figures are what it took to get a number of steps forward: higher scores,
// levels, screens.
type figures struct {
	steps, questions int
	cost             model.Money
	took             time.Duration
	reached          bool
}

// until adds up the turns up to the one that brought the step; all of them when
// it never came.
func until(s *adapt.Summary, steps int) figures {
	var f figures
	for _, t := range s.Turns {
		if f.steps >= steps {
			break
		}
		f.steps += len(t.Progress)
		f.questions += t.Checks
		f.took += t.Took
	}
	f.reached = f.steps >= steps
	if s.Checks > 0 {
		f.cost = s.Cost * model.Money(f.questions) / model.Money(s.Checks)
	}
	return f
}

func (f *figures) add(o figures) {
	f.questions += o.questions
	f.cost += o.cost
	f.took += o.took
}

func (f figures) far() string    { return fmt.Sprint(f.steps) }
func (f figures) asked() string  { return fmt.Sprint(f.questions) }
func (f figures) paid() string   { return f.cost.String() }
func (f figures) lasted() string { return fmt.Sprintf("%.0f s", f.took.Seconds()) }

// row is a figure of all three runs.
func row[T any](got [3]T, figure func(T) string) string {
	var parts []string
	for _, f := range got {
		parts = append(parts, figure(f))
	}
	return strings.Join(parts, " → ")
}
