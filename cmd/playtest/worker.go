package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/limits"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

func newWorker() *cobra.Command {
	var w workerSettings
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Play the runs that were submitted",
		Long: `Worker takes up runs that were submitted (playtest runs submit), plays them and
keeps what was found. A run whose worker dies is taken up by another one within a
minute. On a SQLite file there is one worker; on Postgres start as many as you
like, on as many machines as you like, with the same --db and --evidence.

How many runs are played at a time follows from the machine's cores and memory and
from what runs were measured to cost, unless --parallel says it.

Told to stop (SIGTERM or Ctrl-C) it takes up nothing new, lets runs under way end,
hands back those that have not, and ends within --grace, whatever they or the
database do.`,
		Example: `  playtest worker
  playtest worker --db postgres://playtest@db.example/playtest --evidence s3://games/evidence
  playtest worker --parallel 2 --until-idle`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return w.run(cmd) },
	}
	w.register(cmd)
	f := cmd.Flags()
	f.IntVar(&w.parallel, "parallel", 0, "runs at a time (default by cores, memory and what runs cost)")
	f.IntVar(&w.perHost, "per-host", 4, "most runs at a time on one registered domain, over all workers; 0 for no limit")
	f.DurationVar(&w.grace, "grace", 30*time.Second, "the worker ends within this time when it is told to stop; runs may go on for most of it")
	f.StringVar(&w.model, "model", "", "`MODEL` chain for runs that need one and name none, such as anthropic/claude-haiku-5-5 (also $PLAYTEST_MODEL)")
	f.Float64Var(&w.budget, "budget", 0, "most `DOLLARS` that models may cost a run, whatever it was submitted with; the configuration's unless given")
	f.BoolVar(&w.idle, "until-idle", false, "end when nothing is left to play")
	f.StringVar(&w.play.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	w.reach.register(cmd, allowLocalWorker)
	f.BoolVarP(&w.play.quiet, "quiet", "q", false, "say nothing about runs")
	f.BoolVarP(&w.play.verbose, "verbose", "v", false, "write the details of runs to stderr as a log")
	return cmd
}

type workerSettings struct {
	storage
	play     settings // for what it shares with the commands that play one game
	model    string
	budget   float64
	parallel int
	perHost  int
	grace    time.Duration
	idle     bool
	reach    reach
	// typed says of a run that its address was named by somebody who may name a
	// local one; nil of none. doors are where we listen, which no game may reach.
	typed func(*queue.Held) bool
	doors []string
}

func (w *workerSettings) run(cmd *cobra.Command) error {
	switch {
	case w.parallel < 0:
		return usage(cmd, "--parallel %d is negative", w.parallel)
	case w.perHost < 0:
		return usage(cmd, "--per-host %d is negative", w.perHost)
	case w.budget < 0:
		return usage(cmd, "--budget is negative")
	case w.grace <= 0:
		return usage(cmd, "--grace %s is not a time to wait", w.grace)
	}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	defer w.endInTime(ctx, stderr)()
	level := slog.LevelWarn
	if w.play.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	perHost := w.perHost
	if perHost == 0 {
		perHost = -1
	}
	aside, err := w.asideFolder()
	if err != nil {
		return err
	}
	q, err := w.openQueue(ctx, &queue.Options{PerHost: perHost, Aside: aside, Log: log})
	if err != nil {
		return err
	}
	defer q.Store().Close()
	kept, err := w.openEvidence(q.Store())
	if err != nil {
		return err
	}
	defer kept.Close()
	if err := evidence.Check(ctx, kept); err != nil {
		return hint(err, "choose another place with --evidence")
	}
	var budget *float64
	if cmd.Flags().Changed("budget") {
		budget = &w.budget
	}
	return w.work(ctx, q, kept, newEquipment(q.Store(), w.model, budget, log).equip, stderr, log)
}

func (w *workerSettings) work(ctx context.Context, q *queue.Queue, kept evidence.Store, equip worker.Equip, stderr io.Writer, log *slog.Logger) error {
	meter := worker.NewMeter()
	opts := &queue.WorkOptions{Slots: w.parallel, Grace: w.grace, Idle: w.idle}
	if w.parallel == 0 {
		opts.Slots, opts.Admit = max(2, int(2*limits.Cores())), meter.Admit
	}
	limits.KeepHeap(opts.Slots)
	browsers, err := w.openBrowsers(ctx, opts.Slots, log)
	if err != nil {
		return err
	}
	defer browsers.Close()
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		meter.Watch(watching)
	}()
	defer func() {
		stop()
		<-watched
	}()
	player := worker.New(browsers, kept, &worker.Options{Equip: equip, Secrets: w.secrets(), Meter: meter, Log: log, Version: record.Version})
	if !w.play.quiet {
		fmt.Fprintf(stderr, "worker: playing what is submitted, at most %d at a time\n", opts.Slots)
	}
	err = q.Work(ctx, w.telling(w.guarded(player.Play, log), stderr), opts)
	if errors.Is(err, store.ErrOwned) {
		return hint(fmt.Errorf("%s has a worker already", q.Store().Path()), "a SQLite file has one worker; several share a Postgres database: --db postgres://...")
	}
	return err
}

// endInTime ends the process when the grace is over and something still holds it
// up: a browser or a database that does not close, a client that does not go.
// Chromium ends with its pipe.
func (w *workerSettings) endInTime(ctx context.Context, stderr io.Writer) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		select {
		case <-time.After(w.grace):
			fmt.Fprintln(stderr, "error: the grace is over; what has not ended is left to be rescued")
			os.Exit(codeInterrupted)
		case <-done:
		}
	}()
	return func() { close(done) }
}

// telling writes a line about each run.
func (w *workerSettings) telling(play queue.Player, stderr io.Writer) queue.Player {
	if w.play.quiet {
		return play
	}
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		began := time.Now()
		rec, rep, err := play(ctx, h)
		took := time.Since(began).Seconds()
		switch {
		case err != nil:
			fmt.Fprintf(stderr, "%s attempt %d of %d: %v (%.1fs)\n", h.Run.ID, h.Run.Attempts, h.Run.MaxAttempts, err, took)
		case ctx.Err() != nil:
			fmt.Fprintf(stderr, "%s stopped: %v (%.1fs)\n", h.Run.ID, context.Cause(ctx), took)
		default:
			fmt.Fprintf(stderr, "%s %s: %s (%.1fs)\n", h.Run.ID, rep.Status, oneLine(rep.Summary), took)
		}
		return rec, rep, err
	}
}

// perBrowser is how many runs share a Chromium: each has a context of its own,
// and a crash of one takes no more than these with it.
const perBrowser = 4

// openBrowsers makes the pool, and sees that there is a browser before
// anything is taken up.
func (w *workerSettings) openBrowsers(ctx context.Context, slots int, log *slog.Logger) (*pool.Pool, error) {
	choice := w.play.browserChoice()
	p := pool.New(&pool.Options{
		Browsers: (slots + perBrowser - 1) / perBrowser, PerBrowser: perBrowser, Log: log,
		Launch: func(ctx context.Context) (*browser.Browser, error) {
			return openBrowser(ctx, choice, w.reach.launch(&browser.LaunchOptions{Log: log, StillImages: true}))
		},
	})
	_, release, err := p.Borrow(ctx)
	if err != nil {
		p.Close()
		return nil, err
	}
	release()
	return p, nil
}
