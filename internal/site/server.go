package site

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// Options of a server; nil means the defaults.
type Options struct {
	// Isolation is IsolationAuto when empty.
	Isolation Isolation
	// Log gets what goes wrong inside the server. Nil discards it.
	Log *slog.Logger
}

// Server serves one build on the loopback interface.
type Server struct {
	build *Build
	http  *http.Server
	host  string

	stop      func() bool
	running   sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// Serve opens a build and serves it until Close is called or ctx ends.
//
// The port follows from the path, where it is free: a build keeps its address
// from run to run, so that what was learned about it is found again and two
// reports name the same game.
func Serve(ctx context.Context, name string, opts *Options) (*Server, error) {
	if opts == nil {
		opts = &Options{}
	}
	b, err := Open(name)
	if err != nil {
		return nil, err
	}
	ln, err := listen(ctx, b.where)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("serve the build: %w", err), b.Close())
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{build: b, host: ln.Addr().String(), http: &http.Server{
		Handler: local(b.Handler(opts.Isolation)), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	s.running.Go(func() { _ = s.http.Serve(ln) })
	s.stop = context.AfterFunc(ctx, func() { s.shut() })
	return s, nil
}

// firstPort and ports are the range of the derived ports: below what systems
// give away by themselves, and without one that browsers refuse.
const firstPort, ports = 21_000, 10_000

func listen(ctx context.Context, where string) (net.Listener, error) {
	hash := fnv.New32a()
	hash.Write([]byte(where))
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+int(hash.Sum32()%ports))))
	if err == nil {
		return ln, nil
	}
	return lc.Listen(ctx, "tcp", "127.0.0.1:0")
}

// URL is the address of the page to play.
func (s *Server) URL() string {
	entry := s.build.entry
	if dir, ok := cutIndex(entry); ok {
		entry = dir
	}
	return (&url.URL{Scheme: "http", Host: s.host, Path: "/" + entry}).String()
}

// cutIndex takes index.html off a path, for it is what a folder answers with.
func cutIndex(entry string) (dir string, ok bool) {
	const index = "index.html"
	if entry == index {
		return "", true
	}
	if n := len(entry) - len(index); n > 0 && entry[n-1] == '/' && entry[n:] == index {
		return entry[:n], true
	}
	return entry, false
}

// Close stops serving and waits until nobody reads the build any more.
func (s *Server) Close() error {
	s.stop()
	s.shut()
	s.running.Wait()
	return s.closeErr
}

func (s *Server) shut() {
	s.closeOnce.Do(func() { s.closeErr = errors.Join(s.http.Close(), s.build.Close()) })
}
