// Command soak plays many runs through one worker and looks whether the process
// grows, or plays the same runs with more and more of them side by side.
//
//	soak -runs 500                 one process, two runs at a time
//	soak -side 1,2,4,8             the same 16 runs, that many at a time
//	soak -hostile                  every hostile page, beside games that are none
//	soak -hostile -only texts,deep some of them
//
// It prints Markdown, and exits with 1 when something grew or a verdict was
// wrong. make soak, make load and make hostile run it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("runs", 500, "how many runs are played")
	at := flag.Int("parallel", 2, "how many at a time")
	side := flag.String("side", "", "play the same runs with these numbers at a time, such as 1,2,4,8")
	fight := flag.Bool("hostile", false, "play the hostile pages beside games")
	only := flag.String("only", "", "the hostile pages to play, such as texts,deep; all if empty")
	limit := flag.Duration("limit", 90*time.Second, "how long a hostile page is played")
	serve := flag.Bool("serve", false, "serve the hostile pages until the standard input ends")
	rounds := flag.Int("rounds", 2, "how often every game is played for each number of -side")
	games := flag.String("games", "", "of the games those alone, such as noughts,nowhere; all if empty")
	flag.Parse()
	if *games != "" {
		mix = slices.DeleteFunc(mix, func(g played) bool { return !slices.Contains(strings.Split(*games, ","), g.game) })
	}
	if len(mix) == 0 {
		fmt.Fprintf(os.Stderr, "error: none of the games is called %q\n", *games)
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case *serve:
		err = serveHostile()
	case *fight:
		err = playHostile(ctx, *only, *limit, *at)
	case *side != "":
		err = load(ctx, *side, *rounds)
	default:
		err = soak(ctx, *runs, *at)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// soak plays the runs and compares what the process holds early and late.
func soak(ctx context.Context, runs, at int) error {
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	played := b.play(ctx, runs, at, 2*len(mix))
	if played != nil && ctx.Err() == nil {
		return played
	}
	// Hours may have gone into what was played before somebody interrupted it.
	grown := append(b.printSamples(), b.printRests()...)
	fmt.Printf("\n%d of %d runs, %d right verdicts, %d at a time, %s\n", len(b.done), runs, b.right(), at, b.took)
	if wrong := append(grown, b.wrong()...); len(wrong) > 0 {
		return errors.Join(played, errors.New(strings.Join(wrong, "; ")))
	}
	return played
}

// load plays the same runs side by side, more and more of them.
func load(ctx context.Context, numbers string, rounds int) error {
	fmt.Printf("| at a time | runs | right verdicts | runs a minute | seconds a run, median | most memory |\n| --- | --- | --- | --- | --- | --- |\n")
	var wrong []string
	for text := range strings.SplitSeq(numbers, ",") {
		at, err := strconv.Atoi(text)
		if err != nil || at < 1 {
			return fmt.Errorf("%q is not a number of runs", text)
		}
		b, err := newBench(ctx)
		if err != nil {
			return err
		}
		err = b.play(ctx, rounds*len(mix), at, rounds*len(mix))
		b.close()
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %d | %d | %.1f | %.1f | %d MB |\n", at, len(b.done), b.right(), float64(len(b.done))/b.took.Minutes(), b.median(), b.most>>20)
		wrong = append(wrong, b.wrong()...)
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
