package games

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// FaultInfo is a fault as the index page offers it.
type FaultInfo struct {
	Name  string
	Title string
	Kind  string // the group it is listed under
}

// ServeOptions are the parts of a server that may be left out.
type ServeOptions struct {
	// Addr is the address to listen on, 127.0.0.1 and a free port by default.
	Addr string
	// Faults are offered on the index page.
	Faults []FaultInfo
	// Apply answers a request while a fault is switched on. The request's path is the healthy one, and next serves
	// the healthy answer. Without Apply, faults are not offered.
	Apply func(fault string, w http.ResponseWriter, r *http.Request, next http.Handler)
}

// Server serves the bundled games on two origins: the main one, and a second one for games that live in a cross-origin
// frame. Close it when done.
type Server struct {
	main, frame *http.Server
	host        string
	mainPort    string
	framePort   string
	stop        func() bool
	running     sync.WaitGroup
	closeOnce   sync.Once
	closeErr    error
}

// Serve listens and serves until Close is called or ctx ends.
func Serve(ctx context.Context, opts *ServeOptions) (*Server, error) {
	if opts == nil {
		opts = &ServeOptions{}
	}
	addr := opts.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("serve games on %q: %w", addr, err)
	}
	var lc net.ListenConfig
	mainListener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve games: %w", err)
	}
	frameListener, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("serve the games' frames: %w", err), mainListener.Close())
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	s := &Server{host: host, mainPort: port(mainListener), framePort: port(frameListener)}
	h := newHandler(*opts, s.framePort)
	s.main = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	s.frame = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { _ = s.main.Serve(mainListener) })
	s.running.Go(func() { _ = s.frame.Serve(frameListener) })
	s.stop = context.AfterFunc(ctx, func() { s.shut() })
	return s, nil
}

func port(l net.Listener) string {
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// URL is the address of a game with the given seed, or of the index page for an empty name.
func (s *Server) URL(game string, seed int) string {
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(s.host, s.mainPort), Path: "/"}
	if game != "" {
		u.Path = "/" + game + "/"
		u.RawQuery = url.Values{"seed": {strconv.Itoa(seed)}}.Encode()
	}
	return u.String()
}

// FaultURL is URL with a fault switched on for every request that the page makes.
func (s *Server) FaultURL(game, fault string, seed int) string {
	u, err := url.Parse(s.URL(game, seed))
	if err != nil {
		return s.URL(game, seed)
	}
	u.Path = faultPrefix + fault + u.Path
	return u.String()
}

// Close stops both listeners, ends the open connections, and waits until the server's goroutines are gone.
func (s *Server) Close() error {
	s.stop()
	s.shut()
	s.running.Wait()
	return s.closeErr
}

func (s *Server) shut() {
	s.closeOnce.Do(func() { s.closeErr = errors.Join(s.main.Close(), s.frame.Close()) })
}
