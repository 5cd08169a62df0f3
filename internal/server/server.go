package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
)

// Options of a server. Zero values mean the defaults.
type Options struct {
	// Open lets requests without a token work in the default project. Only for
	// listeners that nobody but this machine reaches: with it, requests must name
	// a loopback host.
	Open bool
	// Hosts are the names that the server answers to. Empty answers to every name
	// (but see Open).
	Hosts []string
	// Secure says that browsers reach the server over TLS, also when a proxy ends it.
	Secure bool
	// Bundled are games that are offered to try the server on.
	Bundled []Bundled
	// Log gets what no answer says. Nil discards it.
	Log *slog.Logger
	// Version of playtest.
	Version string
	// PollEvery is how often the store is asked about what is watched. Default
	// 250 milliseconds.
	PollEvery time.Duration
	// MaxClients bounds the live connections. Default 2000.
	MaxClients int
	// Deliver sends a webhook's request. Nil refuses addresses that are not public.
	Deliver func(*http.Request) (*http.Response, error)
}

// Bundled is a game that comes with playtest.
type Bundled struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Genre string `json:"genre"`
	About string `json:"about"`
	URL   string `json:"url"`
	// Broken says which fault the address puts into the game; empty for none.
	Broken string `json:"broken,omitempty"`
}

// Server answers requests about the runs of a queue. Its parts each do one job
// and know of the store only what that takes:
//
//	door      who comes in: hosts, origins, tokens, sessions
//	intake    submitting, cancelling, retrying
//	results   runs, reports, comparison, games
//	exhibits  evidence and small pictures of it
//	live      WebSockets and server-sent events, fed by the hub
//	monitor   health, metrics, who did what
//	courier   webhooks
type Server struct {
	routes  []route
	handler http.Handler
	hub     *hub
	courier *courier
	log     *slog.Logger
}

// New makes a server over a queue and the evidence of its runs.
func New(q *queue.Queue, kept evidence.Store, opts *Options) (*Server, error) {
	o := opts.resolved()
	db, counts := q.Store(), &metrics{}
	d := &door{tokens: db, open: o.Open, secure: o.Secure, hosts: o.Hosts, counts: counts, log: o.Log}
	s := &Server{log: o.Log}
	s.hub = newHub(db, o.PollEvery, o.MaxClients, o.Log)
	s.courier = &courier{outbox: db, send: o.Deliver, version: o.Version, counts: counts, log: o.Log}
	list := slices.Concat(
		(&intake{queue: q, counts: counts}).routes(),
		(&results{store: db}).routes(),
		(&exhibits{kept: kept}).routes(),
		(&live{hub: s.hub, who: d.who}).routes(),
		(&monitor{store: db, kept: kept, live: s.hub, counts: counts, version: o.Version, log: o.Log}).routes(),
		webhookRoutes(),
		[]route{bundledRoute(o.Bundled)},
		d.pageRoutes(),
	)
	var err error
	if s.routes, err = describing(list, o.Version); err != nil {
		return nil, err
	}
	s.handler = d.guard(mux(d, s.routes))
	return s, nil
}

// resolved fills in the defaults.
func (o *Options) resolved() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.PollEvery <= 0 {
		out.PollEvery = 250 * time.Millisecond
	}
	if out.MaxClients <= 0 {
		out.MaxClients = 2000
	}
	if out.Log == nil {
		out.Log = slog.New(slog.DiscardHandler)
	}
	if out.Deliver == nil {
		out.Deliver = publicClient().Do
	}
	return out
}

// RouteInfo describes a route.
type RouteInfo struct {
	Method, Path string
	// Scope is what a caller needs; none for what is there for everybody.
	Scope store.Scope
	// Lasting: it is live and has no end.
	Lasting bool
}

// Routes lists all routes, for whoever wants to try each.
func (s *Server) Routes() []RouteInfo {
	out := make([]RouteInfo, len(s.routes))
	for i, rt := range s.routes {
		out[i] = RouteInfo{rt.method, rt.path, rt.scope, rt.lasting}
	}
	return out
}

// Handler answers requests. Whoever uses it without Serve calls Close in the end.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends the live connections. Serve does it by itself.
func (s *Server) Close() { s.hub.close() }

const (
	// What a slow or silent client gets before it is cut off. Answers that take
	// longer set a time of their own.
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	answerTime = 60 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 32 << 10
	// shutTime is how long requests under way may take when the server stops.
	shutTime = 5 * time.Second
)

// Serve answers on a listener until ctx ends, over TLS when it is given the
// names of a certificate's files, and lets requests under way end.
func (s *Server) Serve(ctx context.Context, l net.Listener, cert, key string) error {
	var background sync.WaitGroup
	working, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		background.Wait()
	}()
	background.Go(func() { s.courier.deliver(working) })

	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	background.Go(func() {
		if cert != "" {
			ended <- h.ServeTLS(l, cert, key)
			return
		}
		ended <- h.Serve(l)
	})
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.Close()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutTime)
	defer cancel()
	if err := h.Shutdown(closing); err != nil {
		s.log.Info("requests were cut off", "error", err)
		if err := h.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("close the server: %w", err)
		}
	}
	return nil
}
