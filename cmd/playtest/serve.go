package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

func newServe() *cobra.Command {
	var s serveSettings
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the dashboard and the API, and play what is submitted",
		Long: `Serve opens a dashboard and an API for runs, and plays what is submitted to them.
Without any flag everything is kept in your data folder, and only this machine can
reach it: open the printed address in a browser.

On an address that others can reach, everybody needs a token (playtest token
create). Give it a certificate with --cert and --key, or put a proxy before it that
ends TLS and say so with --behind-tls.

With --db postgres://... and --evidence s3://... there can be any number of servers
and workers; --no-worker serves without playing.`,
		Example: `  playtest serve
  playtest serve --addr 0.0.0.0:7878 --cert server.pem --key server-key.pem --host play.example.com
  playtest serve --no-worker --db postgres://playtest@db.example/playtest --evidence s3://games/evidence`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd) },
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:7878", "`ADDRESS` to listen on; port 0 takes a free one")
	f.StringArrayVar(&s.hosts, "host", nil, "a `NAME` that the server answers to, can be repeated (default: any, or this machine's own without tokens)")
	f.StringVar(&s.cert, "cert", "", "certificate `FILE` for TLS")
	f.StringVar(&s.key, "key", "", "`FILE` with the certificate's key")
	f.BoolVar(&s.behindTLS, "behind-tls", false, "a proxy before the server ends TLS")
	f.BoolVar(&s.tokens, "require-token", false, "ask for a token on loopback addresses, too")
	f.BoolVar(&s.noWorker, "no-worker", false, "play nothing: workers do that elsewhere")
	f.BoolVar(&s.noGames, "no-games", false, "do not offer the bundled games")
	f.IntVar(&s.parallel, "parallel", 0, "runs at a time (default by cores, memory and what runs cost)")
	f.IntVar(&s.perHost, "per-host", 4, "most runs at a time on one registered domain, over all workers; 0 for no limit")
	f.DurationVar(&s.grace, "grace", 30*time.Second, "the server ends within this time when it is told to stop; runs may go on for most of it")
	f.StringVar(&s.model, "model", "", "`MODEL` chain for runs that need one and name none, such as anthropic/claude-haiku-5-5 (also $PLAYTEST_MODEL)")
	f.Float64Var(&s.budget, "budget", 0, "most `DOLLARS` that models may cost a run, whatever it was submitted with; the configuration's unless given")
	f.StringVar(&s.play.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	s.reach.register(cmd, allowLocalWorker)
	f.BoolVarP(&s.play.quiet, "quiet", "q", false, "say nothing about runs")
	f.BoolVarP(&s.play.verbose, "verbose", "v", false, "write details to stderr as a log")
	cmd.MarkFlagFilename("cert", "pem", "crt")
	cmd.MarkFlagFilename("key", "pem", "key")
	return cmd
}

// serveSettings are the flags of serve: those of a worker, and the door's.
type serveSettings struct {
	workerSettings
	addr      string
	hosts     []string
	cert, key string
	behindTLS bool
	tokens    bool
	noWorker  bool
	noGames   bool
}

func (s *serveSettings) run(cmd *cobra.Command) error {
	switch {
	case (s.cert == "") != (s.key == ""):
		return usage(cmd, "--cert and --key belong together")
	case s.cert != "" && s.behindTLS:
		return usage(cmd, "--behind-tls is for a server without --cert")
	case s.parallel < 0:
		return usage(cmd, "--parallel %d is negative", s.parallel)
	case s.perHost < 0:
		return usage(cmd, "--per-host %d is negative", s.perHost)
	case s.budget < 0:
		return usage(cmd, "--budget is negative")
	case s.grace <= 0:
		return usage(cmd, "--grace %s is not a time to wait", s.grace)
	}
	for _, name := range []string{s.cert, s.key} {
		if name == "" {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return usage(cmd, "%v", withoutOp(err))
		}
	}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	defer s.endInTime(ctx, stderr)()
	level := slog.LevelWarn
	if s.play.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return hint(fmt.Errorf("listen on %s: %w", s.addr, err), "choose another address with --addr, such as 127.0.0.1:0 for any free port")
	}
	defer l.Close()
	perHost := s.perHost
	if perHost == 0 {
		perHost = -1
	}
	aside, err := s.asideFolder()
	if err != nil {
		return err
	}
	q, err := s.openQueue(ctx, &queue.Options{PerHost: perHost, Aside: aside, Log: log})
	if err != nil {
		return err
	}
	defer q.Store().Close()
	kept, err := s.openEvidence(q.Store())
	if err != nil {
		return err
	}
	defer kept.Close()
	if err := evidence.Check(ctx, kept); err != nil {
		return hint(err, "choose another place with --evidence")
	}
	open := !s.tokens && s.cert == "" && !s.behindTLS && listensLocally(l.Addr())
	opts := &server.Options{Open: open, Hosts: s.hosts, Secure: s.cert != "" || s.behindTLS, Log: log, Version: record.Version}
	bundled, done, err := s.bundled(ctx)
	if err != nil {
		return err
	}
	defer done()
	opts.Bundled = bundled
	s.guard(l.Addr(), open, bundled)
	door, err := server.New(q, kept, opts)
	if err != nil {
		return err
	}
	s.greet(ctx, stderr, l.Addr(), open, q.Store())
	var budget *float64
	if cmd.Flags().Changed("budget") {
		budget = &s.budget
	}
	return s.both(ctx, func(ctx context.Context) error { return door.Serve(ctx, l, s.cert, s.key) }, func(ctx context.Context) error {
		return s.playing(ctx, q, kept, budget, stderr, log)
	})
}

// both runs the door and the worker until ctx ends or one of them fails.
func (s *serveSettings) both(ctx context.Context, door, worker func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for i, do := range []func(context.Context) error{door, worker} {
		wait.Go(func() {
			if errs[i] = do(ctx); errs[i] != nil {
				stop()
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// playing is the worker in the server's process. A SQLite file that has a worker
// already is left to it.
func (s *serveSettings) playing(ctx context.Context, q *queue.Queue, kept evidence.Store, budget *float64, stderr io.Writer, log *slog.Logger) error {
	if s.noWorker {
		return nil
	}
	release, err := q.Store().Own()
	if errors.Is(err, store.ErrOwned) {
		fmt.Fprintln(stderr, "another process plays the runs of this database; this one only serves")
		return nil
	}
	if err != nil {
		return err
	}
	release() // the worker takes it itself
	return s.work(ctx, q, kept, newEquipment(q.Store(), s.model, budget, log).equip, stderr, log)
}

func listensLocally(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// gamesAddress is where the bundled games are served when it is free, so that
// they have the same addresses, and one history, from day to day.
const gamesAddress = "127.0.0.1:7879"

// bundled serves the games that come with playtest and lists them. Those in
// frames of another origin are left out: a run may reach one local address only.
func (s *serveSettings) bundled(ctx context.Context) ([]server.Bundled, func(), error) {
	if s.noGames || s.noWorker {
		return nil, func() {}, nil
	}
	srv, err := games.Serve(ctx, faulty(gamesAddress))
	if err != nil {
		if srv, err = games.Serve(ctx, faulty("")); err != nil {
			return nil, nil, fmt.Errorf("serving the bundled games: %w", err)
		}
	}
	var list []server.Bundled
	for _, g := range games.All() {
		if g.Kind != "iframe" {
			list = append(list, server.Bundled{Name: g.Name, Title: g.Title, Genre: g.Genre, About: g.Description, URL: srv.URL(g.Name, 1)})
		}
	}
	if g, ok := games.Get(demoGame); ok {
		list = append(list, server.Bundled{Name: g.Name + "-broken", Title: g.Title + ", broken", Genre: g.Genre, About: "The same game, with clicks that do nothing.", URL: srv.FaultURL(g.Name, brokenFault, 1), Broken: brokenFault})
	}
	return list, func() { srv.Close() }, nil
}

// brokenFault is what the broken game among the bundled ones suffers from.
const brokenFault = "pointer-ignored"

// guard says what games may reach: never this server; a local address that
// somebody at this machine has named; the bundled games.
func (s *serveSettings) guard(addr net.Addr, open bool, bundled []server.Bundled) {
	s.doors = []string{addr.String()}
	own := map[string]bool{}
	for _, b := range bundled {
		if u, err := url.Parse(b.URL); err == nil {
			own[u.Host] = true
		}
	}
	s.typed = func(h *queue.Held) bool {
		u, err := url.Parse(h.Target.URL)
		return open && h.Run.Project == store.DefaultProject || err == nil && own[u.Host]
	}
}

func (s *serveSettings) greet(ctx context.Context, stderr io.Writer, addr net.Addr, open bool, db *store.Store) {
	scheme := "http"
	if s.cert != "" {
		scheme = "https"
	}
	fmt.Fprintf(stderr, "playtest: open %s://%s/\n", scheme, addr)
	if open {
		return
	}
	if s.cert == "" && !s.behindTLS && !listensLocally(addr) {
		fmt.Fprintln(stderr, "warning: others can reach this address and nothing is encrypted; use --cert and --key, or --behind-tls")
	}
	if tokens, err := db.Tokens(ctx); err == nil && len(tokens) == 0 {
		fmt.Fprintln(stderr, "nobody can come in yet: make a token with playtest token create --scope admin")
	}
}
