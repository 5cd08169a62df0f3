package egress_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/egress"
)

// listen starts a proxy that ends with the test.
func listen(t testing.TB, policy *egress.Policy, opts *egress.Options) *egress.Proxy {
	t.Helper()
	p, err := egress.Listen(policy, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func client(p *egress.Proxy) *http.Client {
	proxy := &url.URL{Scheme: "http", Host: p.Address()}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}, Timeout: 10 * time.Second}
}

// allowing is the policy that lets one server through.
func allowing(srv *httptest.Server) *egress.Policy {
	return &egress.Policy{Allow: []netip.AddrPort{netip.MustParseAddrPort(srv.Listener.Addr().String())}}
}

func TestProxyForwardsAndStreams(t *testing.T) {
	second := make(chan bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Proxy-Connection") != "" || r.Header.Get("Accept-Encoding") != "br" {
			http.Error(w, "changed on the way", http.StatusTeapot)
			return
		}
		io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-second
		io.WriteString(w, "second\n")
	}))
	defer srv.Close()
	req, _ := http.NewRequest("GET", srv.URL+"/a?b=c", nil)
	req.Header.Set("Accept-Encoding", "br")
	resp, err := client(listen(t, allowing(srv), nil)).Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "first\n" {
		t.Fatal(line, err)
	}
	close(second) // the first came while the second was not yet there
	if line, err := lines.ReadString('\n'); line != "second\n" {
		t.Error(line, err)
	}
}

// The name resolves to a public address when it is first asked for and to
// loopback when it is asked for again: what was checked is what is dialled, so
// each request is checked by itself.
func TestRebinding(t *testing.T) {
	var touched atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { touched.Add(1) }))
	defer secret.Close()
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "game") }))
	defer game.Close()
	_, port, _ := net.SplitHostPort(secret.Listener.Addr().String())
	dns := names{"turns.example": {"127.0.0.1"}}
	p := listen(t, allowing(game), &egress.Options{Resolver: dns})
	if _, err := client(p).Get("http://turns.example:" + port); err == nil {
		t.Error("answered")
	}
	for _, host := range []string{"127.0.0.1", "localhost", "a.localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "0x7f.1", "2130706433", "017700000001", "127.1", "127.0.0.1."} {
		for _, scheme := range []string{"http", "https"} {
			if resp, err := client(p).Get(scheme + "://" + host + ":" + port); err == nil {
				t.Errorf("%s://%s answered %s", scheme, host, resp.Status)
			}
		}
	}
	if n := touched.Load(); n > 0 {
		t.Errorf("%d requests arrived", n)
	}
	if kind, reason := p.Trouble("turns.example:" + port); kind != "refused" || reason != "a loopback address" {
		t.Errorf("told %q, %q", kind, reason)
	}
	if kind, _ := p.Trouble("0x7f.1:" + port); kind == "" {
		t.Error("nothing is told of a host in hexadecimal")
	}
}

func TestTroubles(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := dead.Addr().String()
	dead.Close()
	p := listen(t, &egress.Policy{Local: true}, &egress.Options{Resolver: names{}})
	client(p).Get("http://nowhere.example/")
	client(p).Get("http://" + address)
	for host, want := range map[string]string{"nowhere.example:80": "dns", address: "connection", "never.asked:80": ""} {
		if kind, _ := p.Trouble(host); kind != want {
			t.Errorf("%s: %q, want %q", host, kind, want)
		}
	}
	// The proxy is no way around itself.
	if _, err := client(p).Get("http://" + p.Address()); err == nil {
		t.Error("reached the proxy through the proxy")
	}
	resp, err := http.Get("http://" + p.Address())
	if err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("taken for a web server: %v, %v", resp, err)
	}
}

// Behind a company's proxy the addresses are still checked.
func TestUpstream(t *testing.T) {
	var asked []string
	company := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Host)
		conn, _, _ := http.NewResponseController(w).Hijack()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(req.Host), req.Host)
		}
		conn.Close()
	}))
	defer company.Close()
	to, _ := url.Parse(company.URL)
	p := listen(t, &egress.Policy{}, &egress.Options{
		Resolver: names{"game.example": {"93.184.216.34"}, "bad.example": {"10.0.0.1"}},
		Upstream: func(*http.Request) (*url.URL, error) { return to, nil },
	})
	resp, err := client(p).Get("http://game.example/")
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "game.example" {
		t.Errorf("answered %q", body)
	}
	if _, err := client(p).Get("http://bad.example/"); err == nil {
		t.Error("a private address was reached")
	}
	client(p).Get("http://unknown.example/") // only the company knows it
	if got := strings.Join(asked, " "); got != "93.184.216.34:80 unknown.example:80" {
		t.Errorf("the company's proxy was asked for %s", got)
	}
}

// A game of 64 files of 64 KB, one after the other and side by side.
func BenchmarkProxy(b *testing.B) {
	body := strings.Repeat("x", 64<<10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }))
	defer srv.Close()
	p := listen(b, allowing(srv), nil)
	proxy := &url.URL{Scheme: "http", Host: p.Address()}
	for name, tr := range map[string]*http.Transport{"direct": {MaxIdleConnsPerHost: 32}, "proxy": {Proxy: http.ProxyURL(proxy), MaxIdleConnsPerHost: 32}} {
		b.Run(name, func(b *testing.B) {
			c := &http.Client{Transport: tr}
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				resp, err := c.Get(srv.URL)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
		tr.CloseIdleConnections()
	}
}

// turning resolves to one address the first time and to another one after it.
type turning struct {
	first, later string
	asked        atomic.Int32
}

func (r *turning) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if r.asked.Add(1) == 1 {
		return []netip.Addr{netip.MustParseAddr(r.first)}, nil
	}
	return []netip.Addr{netip.MustParseAddr(r.later)}, nil
}

// The address that was checked is the one that is dialled: a name that would
// resolve to another one a moment later is not asked again.
func TestCheckedAddressIsPinned(t *testing.T) {
	var touched atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { touched.Add(1) }))
	defer secret.Close()
	_, port, _ := net.SplitHostPort(secret.Listener.Addr().String())
	dns := &turning{first: "127.0.0.2", later: "127.0.0.1"}
	// Nobody listens where it may go.
	p := listen(t, &egress.Policy{Allow: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.2:" + port)}}, &egress.Options{Resolver: dns})
	for range 3 {
		if _, err := client(p).Get("http://turns.example:" + port); err == nil {
			t.Error("answered")
		}
	}
	if n := touched.Load(); n > 0 {
		t.Errorf("%d requests arrived", n)
	}
	if n := dns.asked.Load(); n != 3 {
		t.Errorf("resolved %d times for 3 requests", n)
	}
}

// A stranger's name that is local when it is typed keeps being local: were it
// somebody else's a moment later, his page could read what is local under it.
func TestTypedNamesArePinned(t *testing.T) {
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "home") }))
	defer home.Close()
	_, port, _ := net.SplitHostPort(home.Listener.Addr().String())
	first := &turning{first: "127.0.0.1", later: "127.0.0.2"}
	for name, dns := range map[string]egress.Resolver{
		"turns.example": first,
		"both.example":  names{"both.example": {"93.184.216.34", "127.0.0.1"}},
	} {
		address := "http://" + name + ":" + port
		policy, err := egress.ForTarget(t.Context(), address, dns)
		if err != nil {
			t.Fatal(err)
		}
		typed, later := listen(t, policy, &egress.Options{Resolver: dns}), listen(t, &egress.Policy{}, &egress.Options{Resolver: dns})
		later.Admit(policy)
		for _, p := range []*egress.Proxy{typed, later} {
			for _, host := range []string{name, strings.ToUpper(name), name + "."} {
				resp, err := client(p).Get("http://" + host + ":" + port)
				if err != nil {
					t.Errorf("%s: %v", host, err)
					continue
				}
				if body, err := io.ReadAll(resp.Body); string(body) != "home" {
					t.Errorf("%s answers %q, %v", host, body, err)
				}
				resp.Body.Close()
			}
		}
	}
	if n := first.asked.Load(); n != 1 {
		t.Errorf("resolved %d times", n)
	}
}
