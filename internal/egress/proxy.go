package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	dialLimit = 30 * time.Second
	// idle is how long connections are kept for the next request.
	idle = 90 * time.Second
	// maxTroubles bounds the hosts that are remembered: a page may ask for any
	// number of them.
	maxTroubles = 512
	// buffer is what is moved at a time. Games are megabytes.
	buffer = 64 << 10
	// maxHeaders bounds the headers of one request or answer, several of which are
	// under way at a time. Chromium itself takes no more than 256 KB of a server's.
	maxHeaders = 512 << 10
)

// Options of a proxy. The zero value is fine.
type Options struct {
	// Resolver looks up names, the system's if nil.
	Resolver Resolver
	// Upstream names the proxy that a request has to go through where the
	// network has no other way out, such as [http.ProxyFromEnvironment] does.
	// Names that do not resolve here are then left to it. Nil connects directly.
	Upstream func(*http.Request) (*url.URL, error)
	// Log is told of refusals. Nowhere if nil.
	Log *slog.Logger
}

// Trouble is why a host was not reached.
type Trouble struct {
	Kind   string // refused, dns, connection, timeout
	Reason string
	Count  int
}

// Proxy is a running proxy. It serves one run, so that what it refused can be
// told of that run.
type Proxy struct {
	policy    *Policy
	opts      Options
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	self      netip.AddrPort

	mu       sync.Mutex
	troubles map[string]Trouble // by host:port, lower case
	tunnels  map[net.Conn]bool

	wg sync.WaitGroup
}

// Listen starts a proxy on a free port of the loopback interface.
func Listen(policy *Policy, opts *Options) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the proxy: %w", err)
	}
	p := &Proxy{policy: policy, listener: l, troubles: make(map[string]Trouble), tunnels: make(map[net.Conn]bool)}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Resolver == nil {
		p.opts.Resolver = net.DefaultResolver
	}
	if p.opts.Log == nil {
		p.opts.Log = slog.New(slog.DiscardHandler)
	}
	p.self = l.Addr().(*net.TCPAddr).AddrPort()
	p.transport = &http.Transport{
		DialContext:         func(ctx context.Context, _, address string) (net.Conn, error) { return p.dial(ctx, address) },
		DisableCompression:  true, // bytes pass as they are
		MaxIdleConnsPerHost: 32, IdleConnTimeout: idle,
		WriteBufferSize: buffer, ReadBufferSize: buffer, MaxResponseHeaderBytes: maxHeaders,
	}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport:     p.transport,
		FlushInterval: -1, // a page may wait for the next byte of a stream
		BufferPool:    pool{},
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { p.failed(w, r.URL.Host, err) },
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodConnect:
				p.connect(w, r)
			case r.URL.Scheme == "http" && r.URL.Host != "":
				p.forward(forward, w, r)
			default: // somebody takes us for a web server
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			}
		}),
		ReadHeaderTimeout: dialLimit, IdleTimeout: idle, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	p.wg.Go(func() { _ = p.server.Serve(l) }) // ends with Close
	return p, nil
}

// Address is where the proxy listens, as host:port.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() error {
	err := p.server.Close()
	p.mu.Lock()
	for c := range p.tunnels {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.transport.CloseIdleConnections()
	p.wg.Wait()
	return err
}

// Trouble says why the host and port of an address were not reached the last
// time: kind is "" when they were, or when nobody asked for them.
func (p *Proxy) Trouble(hostport string) (kind, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.troubles[strings.ToLower(hostport)]
	return t.Kind, t.Reason
}

// Refusals are the hosts that were refused, with why.
func (p *Proxy) Refusals() map[string]Trouble {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]Trouble)
	for host, t := range p.troubles {
		if t.Kind == "refused" {
			out[host] = t
		}
	}
	return out
}

// Admit lets pages reach what somebody typed after the proxy was started: the
// local addresses of [ForTarget]. A name that is pinned already keeps what it had.
func (p *Proxy) Admit(more *Policy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	grown := *p.policy
	grown.Allow = slices.Concat(grown.Allow, more.Allow)
	grown.Pinned = map[string][]netip.Addr{}
	maps.Copy(grown.Pinned, more.Pinned)
	maps.Copy(grown.Pinned, p.policy.Pinned)
	p.policy = &grown
}

// rules are the policy as it is now. It is never changed, only replaced.
func (p *Proxy) rules() *Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.policy
}

// dial is the only place where connections are made: it resolves, checks and
// connects to what it has checked.
func (p *Proxy) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := p.reach(ctx, address)
	p.note(address, err)
	return conn, err
}

func (p *Proxy) reach(ctx context.Context, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port %q: %w", text, err)
	}
	upstream, err := p.upstream(address)
	if err != nil {
		return nil, err
	}
	rules := p.rules()
	found := rules.pinned(host)
	if found == nil {
		found, err = lookup(ctx, p.opts.Resolver, host)
	}
	if err != nil {
		if upstream != nil {
			return dialThrough(ctx, upstream, address)
		}
		return nil, err
	}
	var good []netip.AddrPort
	refused := &RefusedError{Address: address}
	for _, addr := range found {
		to := netip.AddrPortFrom(addr, uint16(port))
		reason := rules.Check(to)
		if netip.AddrPortFrom(addr.Unmap(), to.Port()) == p.self {
			reason = "an address of playtest's own"
		}
		if reason == "" {
			good = append(good, to)
		} else if refused.Reason == "" {
			refused.Reason = reason
		}
	}
	if len(good) == 0 {
		return nil, refused
	}
	if upstream != nil {
		// By its address, not by its name, which the other side might resolve
		// to something else.
		return dialThrough(ctx, upstream, good[0].String())
	}
	var d net.Dialer
	for _, to := range good {
		var conn net.Conn
		if conn, err = d.DialContext(ctx, "tcp", to.String()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// note remembers how reaching a host went.
func (p *Proxy) note(address string, err error) {
	key := strings.ToLower(address)
	var refused *RefusedError
	var dns *net.DNSError
	var slow net.Error
	kind := "connection"
	reason := ""
	switch {
	case err == nil:
		kind = ""
	case errors.As(err, &refused):
		kind, reason = "refused", refused.Reason
	case errors.As(err, &dns) && !dns.IsTimeout:
		kind = "dns"
	case errors.Is(err, context.Canceled):
		return // the page changed its mind
	case errors.As(err, &slow) && slow.Timeout():
		kind = "timeout"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known := p.troubles[key]
	switch {
	case kind == "":
		delete(p.troubles, key)
	case known || len(p.troubles) < maxTroubles:
		p.troubles[key] = Trouble{Kind: kind, Reason: reason, Count: t.Count + 1}
	}
	if kind == "refused" {
		p.opts.Log.Info("refused", "address", address, "why", reason)
	}
}

// forward carries a plain request.
func (p *Proxy) forward(f *httputil.ReverseProxy, w http.ResponseWriter, r *http.Request) {
	if r.URL.Port() == "" {
		// Spelled out, so that troubles have one name.
		r.URL.Host = net.JoinHostPort(r.URL.Hostname(), "80")
	}
	defer func() {
		// ReverseProxy gives up on a broken answer this way, and the connection
		// with it; there is nothing to say about it.
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		} else if v != nil {
			hangUp(w)
		}
	}()
	f.ServeHTTP(w, r)
}

// failed gives no answer, which is what a page gets where nobody is.
func (p *Proxy) failed(w http.ResponseWriter, _ string, _ error) { hangUp(w) }

func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// connect carries a tunnel: https, and WebSockets of either kind.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	there, err := p.dial(r.Context(), r.Host)
	if err != nil {
		status := http.StatusBadGateway
		var refused *RefusedError
		if errors.As(err, &refused) {
			status = http.StatusForbidden
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	here, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	p.hold(here, there)
	defer p.release(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	// Bytes that came with the request are in the reader already.
	if n := early.Reader.Buffered(); n > 0 {
		if _, err := io.CopyN(there, early.Reader, int64(n)); err != nil {
			return
		}
	}
	var both sync.WaitGroup
	both.Go(func() { carry(there, here) })
	carry(here, there)
	both.Wait()
}

// carry copies until one side has said all, and passes that on. TCP to TCP the
// kernel moves the bytes itself.
func carry(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
	_ = from.Close()
}

func (p *Proxy) hold(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.tunnels[c] = true
	}
}

func (p *Proxy) release(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.tunnels, c)
		_ = c.Close()
	}
}

type pool struct{}

var buffers = sync.Pool{New: func() any { b := make([]byte, buffer); return &b }}

func (pool) Get() []byte  { return *buffers.Get().(*[]byte) }
func (pool) Put(b []byte) { buffers.Put(&b) }
