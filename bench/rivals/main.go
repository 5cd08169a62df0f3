// Command rivals judges the real games of a round by what people use instead of
// playtest, each in the Chromium that it finds: a smoke test as one writes it for
// Playwright, and an agent that a scripted model steers. With the results of a
// benchmark of the same games it prints all of them side by side, with the simpler
// rules that the benchmark computes, as Markdown.
//
//	go run ./bench/rivals -real DIR -round 33 -results playtest-results/bench.jsonl
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/bench"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// limit is the longest time for one game.
const limit = 3 * time.Minute

// rival judges a game at an address.
type rival struct {
	name  string
	judge func(ctx context.Context, b *browser.Browser, url string) (pass bool, dollars float64, err error)
}

// judged is one verdict of one rival.
type judged struct {
	want, got record.Verdict
	seconds   float64
	dollars   float64
}

func main() {
	real := flag.String("real", "", "folder with the games, as for playtest bench --real")
	labels := flag.String("labels", "bench/real.json", "what is known of them")
	round := flag.Int("round", 0, "only the games of this round")
	results := flag.String("results", "", "results of playtest bench with these games, for the first rows of the table")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *real, *labels, *round, *results); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, real, labels string, round int, results string) error {
	if real == "" {
		return fmt.Errorf("-real DIR is missing: where are the games?")
	}
	list, err := bench.ReadLabels(labels)
	if err != nil {
		return err
	}
	entrants, missing := bench.FromFolder(list, real, round)
	if len(entrants) == 0 {
		return fmt.Errorf("no game of round %d lies in %s (%d are missing)", round, real, len(missing))
	}
	var names []string
	all := map[string][]judged{}
	if results != "" {
		names = append(names, ours)
		for _, b := range bench.Baselines {
			names = append(names, b.Name)
		}
		if err := read(results, all); err != nil {
			return err
		}
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, with := range []rival{{"smoke test", smoke}, {"agent loop", loop}} {
		names = append(names, with.name)
		for _, e := range entrants {
			j, err := play(ctx, b, with, e)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", with.name, e.Game.Name, err)
			}
			fmt.Fprintf(os.Stderr, "%s  %s: %s, want %s, %.1f s\n", with.name, e.Game.Name, j.got, j.want, j.seconds)
			all[with.name] = append(all[with.name], j)
		}
	}
	fmt.Println("| judged by | playable failed | broken passed | undecided | right | median seconds | dollars a game |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	for _, name := range names {
		fmt.Println(row(name, all[name]))
	}
	return nil
}

// ours is the row of the program itself.
const ours = "playtest"

// read adds what playtest bench found in the healthy runs of its results, one JSON line each.
func read(results string, all map[string][]judged) error {
	file, err := os.Open(results)
	if err != nil {
		return fmt.Errorf("read the results: %w", err)
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var r bench.Result
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read %s: %w", results, err)
		}
		if r.Fault != "" {
			continue
		}
		all[ours] = append(all[ours], judged{r.Want, r.Outcome.Verdict, r.Seconds, r.Outcome.Dollars})
		for name, got := range r.Outcome.Baselines {
			all[name] = append(all[name], judged{want: r.Want, got: got})
		}
	}
}

// play has one game judged, in a context of its own.
func play(ctx context.Context, b *browser.Browser, with rival, e bench.Entrant) (judged, error) {
	url, release, err := e.Address("", 1)
	if err != nil {
		return judged{}, err
	}
	defer release()
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	pass, dollars, err := with.judge(bound, b, url)
	if ctx.Err() != nil {
		return judged{}, ctx.Err()
	}
	j := judged{want: e.Want, got: record.Fail, seconds: time.Since(began).Seconds(), dollars: dollars}
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s  %s: %v\n", with.name, e.Game.Name, err)
		j.got = record.VerdictError
	case pass:
		j.got = record.Pass
	}
	return j, nil
}

// open opens a page for one game.
func open(ctx context.Context, b *browser.Browser, scripts ...browser.InitScript) (page *browser.Page, done func(), err error) {
	in, err := b.NewContext(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	done = func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = in.Close(closing) // the browser is closed after the last game anyway
	}
	if page, err = in.NewPage(ctx, &browser.PageOptions{InitScripts: scripts}); err != nil {
		done()
		return nil, nil, err
	}
	return page, done, nil
}

func row(name string, list []judged) string {
	count := func(want, got record.Verdict) (n, of int) {
		for _, j := range list {
			if want == "" || j.want == want {
				of++
				if j.got == got {
					n++
				}
			}
		}
		return n, of
	}
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%d/%d %.0f %%", n, of, 100*float64(n)/float64(of))
	}
	right := 0
	var seconds []float64
	dollars := 0.0
	for _, j := range list {
		if j.got == j.want {
			right++
		}
		seconds = append(seconds, j.seconds)
		dollars += j.dollars
	}
	slices.SortFunc(seconds, cmp.Compare)
	median := "-"
	if len(seconds) > 0 && seconds[len(seconds)/2] > 0 {
		median = fmt.Sprintf("%.1f", seconds[len(seconds)/2])
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %.3f |", name, share(count(record.Pass, record.Fail)), share(count(record.Fail, record.Pass)),
		share(count("", record.VerdictError)), share(right, len(list)), median, dollars/float64(max(1, len(list))))
}
