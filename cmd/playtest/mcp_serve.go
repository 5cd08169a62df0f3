package main

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/mcpserver"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

// mcpSettings are the flags of playtest mcp.
type mcpSettings struct {
	play     settings
	http     string
	roots    []string
	out      string
	parallel int
	verbs    bool
	model    string
	verbose  bool
	stderr   io.Writer
}

func newMCP() *cobra.Command {
	var m mcpSettings
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let coding agents have games played (Model Context Protocol)",
		Long: `Mcp is a server for coding agents: it offers them playtest_run, playtest_status,
playtest_report and playtest_replay, so that an agent that has just written a game can
have it played and is told what to mend. It speaks over stdin and stdout, or with --http over
streamable HTTP at /mcp.

Games are played from addresses, and from folders below the current one or below
those that --root names. docs/mcp.md has the configuration for common agents.

Over HTTP $PLAYTEST_MCP_TOKEN is the bearer token that clients must send; without it
the server listens on loopback only.`,
		Example: `  playtest mcp
  playtest mcp --root ~/games --browser-verbs
  playtest mcp --http 127.0.0.1:8765`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&m.http, "http", "", "serve streamable HTTP at this `ADDRESS`, such as 127.0.0.1:8765, instead of stdin and stdout")
	f.StringArrayVar(&m.roots, "root", nil, "`DIR` whose folders may be played (default the current one); may be repeated")
	f.StringVar(&m.out, "out", "", "`DIR` for the results, the last 50 of them (default playtest/mcp in your cache folder)")
	f.IntVar(&m.parallel, "parallel", 1, "how many games are played at a time")
	f.BoolVar(&m.verbs, "browser-verbs", false, "also offer browser_observe, browser_act, browser_extract and browser_screenshot")
	f.StringVar(&m.model, "model", "", "`MODEL` chain for instructions in plain words to the browser verbs (also $PLAYTEST_MODEL)")
	f.StringVar(&m.play.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	f.BoolVar(&m.play.headed, "headed", false, "show the browser's window")
	f.BoolVarP(&m.verbose, "verbose", "v", false, "write a log to stderr")
	m.play.reach.register(cmd, allowLocalTyped)
	cmd.MarkFlagDirname("root")
	cmd.MarkFlagDirname("out")
	return cmd
}

func (m *mcpSettings) run(cmd *cobra.Command) error {
	if m.parallel < 1 || m.parallel > 16 {
		return usage(cmd, "--parallel %d is not between 1 and 16", m.parallel)
	}
	token := os.Getenv("PLAYTEST_MCP_TOKEN")
	open := m.http != "" && !loopback(m.http)
	if open && token == "" {
		return hint(usage(cmd, "--http %s can be reached by others, and $PLAYTEST_MCP_TOKEN is not set", m.http), "set it to a long random text that clients send as a bearer token, or listen on 127.0.0.1")
	}
	m.stderr, m.play.reach.admits = cmd.ErrOrStderr(), admitted(open)
	roots, err := m.folders()
	if err != nil {
		return err
	}
	dir := m.out
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return hint(fmt.Errorf("no place for the results: %w", err), "name one with --out DIR")
		}
		dir = filepath.Join(cache, "playtest", "mcp")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("the results folder: %w", err)
	}
	log := slog.New(slog.DiscardHandler)
	if m.verbose {
		log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	}
	opts := mcpserver.Options{Play: m.player(log), Replay: m.replay, Admit: m.admit(open), Dir: dir, Roots: roots, Parallel: m.parallel, Version: record.Version, Log: log}
	if m.verbs {
		opts.Page = m.page
	}
	s, err := mcpserver.New(opts)
	if err != nil {
		return unwritable(dir, err)
	}
	if m.http != "" {
		err = serveMCP(cmd, s, m.http, token)
	} else {
		err = s.MCP().Run(cmd.Context(), &mcp.IOTransport{Reader: io.NopCloser(cmd.InOrStdin()), Writer: nopWriteCloser{cmd.OutOrStdout()}})
		if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, mcp.ErrConnectionClosed) {
			err = nil // the client has left, or we were asked to
		}
	}
	return errors.Join(err, s.Close())
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// folders are where games may lie: what was named, or the current folder where
// that is somebody's project rather than the whole machine or a home.
func (m *mcpSettings) folders() ([]string, error) {
	if len(m.roots) > 0 {
		for _, root := range m.roots {
			if info, err := os.Stat(root); err != nil || !info.IsDir() {
				return nil, &usageError{fmt.Sprintf("--root %s is no folder", root), "playtest mcp"}
			}
		}
		return m.roots, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("the current folder: %w", err)
	}
	if home, err := os.UserHomeDir(); err == nil && here == filepath.Clean(home) || here == filepath.Dir(here) {
		return nil, nil
	}
	return []string{here}, nil
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// admit refuses what is not for an agent to look at: a model that was talked into
// it must not read the machine's metadata service or a router. Loopback is where
// games under work are, unless the agent is elsewhere.
func (m *mcpSettings) admit(remote bool) func(context.Context, string) error {
	return func(ctx context.Context, address string) error {
		policy := &egress.Policy{Local: m.play.reach.allowLocal()}
		reason := policy.CheckURL(ctx, address, nil)
		if reason == "" || reason == "a loopback address" && !remote {
			return nil
		}
		return fmt.Errorf("the game's address is %s, which this server does not play; its owner allows it with --allow-local", reason)
	}
}

// admitted says the same of the address that is played: a name may have turned to
// another one since. For an agent elsewhere it is a folder's, which is no name.
func admitted(remote bool) func(string, netip.Addr) bool {
	return func(host string, addr netip.Addr) bool {
		_, err := netip.ParseAddr(host)
		return addr.IsLoopback() && (err == nil || !remote)
	}
}

// player plays a job as playtest run does.
func (m *mcpSettings) player(log *slog.Logger) func(context.Context, mcpserver.Job) (*record.Record, *record.Report, error) {
	return func(ctx context.Context, job mcpserver.Job) (*record.Record, *record.Report, error) {
		res, err := openResults(job.Dir)
		if err != nil {
			return nil, nil, err
		}
		rec, rep, err := m.play.perform(ctx, job.Target, &qa.Options{
			RunID: job.ID, Version: record.Version, Evidence: res, Emit: job.Emit, Log: log.With("run", job.ID), ReadPicture: res.read,
		})
		if err != nil || rep == nil {
			return nil, nil, errors.Join(err, res.remove())
		}
		return rec, rep, res.save(rec, rep)
	}
}

// replayLimit bounds a call that makes something happen again.
const replayLimit = 3 * time.Minute

// replay makes what a run observed happen again, as playtest replay does.
func (m *mcpSettings) replay(ctx context.Context, again mcpserver.Replay) (*mcpserver.Replayed, error) {
	data, err := os.ReadFile(filepath.Join(again.Dir, "record.json"))
	if err != nil {
		return nil, errors.New("the run has no record")
	}
	rec, err := record.ParseRecord(data)
	if err != nil {
		return nil, fmt.Errorf("the run's record: %w", err)
	}
	claim, err := repro.Of(rec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, replayLimit)
	defer cancel()
	r := &rerun{browser: m.play.browser, reach: m.play.reach}
	p, proxied, closed, err := r.player(ctx, m.stderr, rec, claim, cmp.Or(again.Game, rec.Target.URL))
	if err != nil {
		return nil, err
	}
	defer closed()
	out := &mcpserver.Replayed{Claim: claim.String()}
	for range again.Times {
		o, err := p.Replay(proxied, claim)
		if err != nil {
			return nil, err
		}
		if o.Same(claim) {
			out.Same++
		}
		out.Happened = append(out.Happened, o.String())
	}
	return out, nil
}

// mcpPage is the page of the browser verbs.
type mcpPage struct {
	*keptPage
	st *stage.Stage
}

func (p *mcpPage) Visit(ctx context.Context, url string) error {
	p.url = "" // asked for again, it is loaded again: it may have been mended
	return p.visit(ctx, url)
}

func (p *mcpPage) Stage() *stage.Stage { return p.st }
func (p *mcpPage) Close() error        { return p.close() }

func (m *mcpSettings) page(ctx context.Context) (mcpserver.Page, error) {
	flags := &pageFlags{browser: m.play.browser, headed: m.play.headed, reach: m.play.reach, model: m.model}
	gateway, err := flags.gateway()
	if err != nil {
		return nil, err
	}
	k, _, err := flags.open(ctx, m.stderr)
	if err != nil {
		return nil, err
	}
	st, err := stage.New(ctx, k.page, gateway, &stage.Options{Probe: k.probe})
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	return &mcpPage{k, st}, nil
}

// Bounds of the HTTP server.
const (
	mcpIdle    = 30 * time.Minute // of a session
	mcpStop    = 10 * time.Second
	mcpMaxBody = 1 << 20
)

// serveMCP serves streamable HTTP until the command is interrupted.
func serveMCP(cmd *cobra.Command, s *mcpserver.Server, address, token string) error {
	ctx := cmd.Context()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return hint(fmt.Errorf("listening on %s: %w", address, err), "choose another address with --http")
	}
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.MCP() },
		&mcp.StreamableHTTPOptions{SessionTimeout: mcpIdle, MaxRequestBodyBytes: mcpMaxBody, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(bearer(token, inner)))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(cmd.ErrOrStderr(), "listening on http://%s/mcp\n", l.Addr())
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// Streams of clients stay open for ever, so runs are ended first.
	err = s.Close()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), mcpStop)
	defer cancel()
	if stopErr := server.Shutdown(stopping); stopErr != nil {
		err = errors.Join(err, server.Close())
	}
	<-done
	return err
}

// bearer lets only those in who know the token; without one, everybody.
func bearer(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
