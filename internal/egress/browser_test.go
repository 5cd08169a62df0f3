package egress_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/egress"
)

// forbidden are listeners that nothing may reach, for TCP and for UDP, on
// several addresses of the machine.
type forbidden struct {
	tcp, udp  string        // port on every address
	addresses []net.Addr    // of all of them
	some      chan struct{} // holds something after one was reached
	mu        sync.Mutex
	reached   []string
	closers   []func() error
}

// check is what the test itself sends to the listeners, which they send back and do not count.
const check = "check of the test"

func newForbidden(t *testing.T) *forbidden {
	t.Helper()
	f := &forbidden{some: make(chan struct{}, 1)}
	t.Cleanup(func() {
		for _, c := range f.closers {
			_ = c()
		}
	})
	first, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("no second loopback address here: %v", err)
	}
	_, f.tcp, _ = net.SplitHostPort(first.Addr().String())
	f.listen(first)
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		if l, err := net.Listen("tcp", host+":"+f.tcp); err == nil {
			f.listen(l)
		}
	}
	packets, err := net.ListenPacket("udp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	_, f.udp, _ = net.SplitHostPort(packets.LocalAddr().String())
	f.closers = append(f.closers, packets.Close)
	f.addresses = append(f.addresses, packets.LocalAddr())
	go func() {
		data := make([]byte, 2048)
		for {
			n, from, err := packets.ReadFrom(data)
			switch {
			case err != nil:
				return
			case string(data[:n]) == check:
				_, _ = packets.WriteTo(data[:n], from)
			default:
				f.note("packet from " + from.String())
			}
		}
	}()
	return f
}

func (f *forbidden) listen(l net.Listener) {
	f.closers = append(f.closers, l.Close)
	f.addresses = append(f.addresses, l.Addr())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line := make([]byte, 200)
			_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			n, _ := c.Read(line)
			if string(line[:n]) == check {
				_, _ = c.Write(line[:n])
			} else {
				f.note(fmt.Sprintf("connection to %s: %q", l.Addr(), line[:n]))
			}
			_ = c.Close()
		}
	}()
}

func (f *forbidden) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reached = append(f.reached, what)
	select {
	case f.some <- struct{}{}:
	default:
	}
}

// take returns what has arrived since it was called last. Each listener takes one
// after the other, so whatever came before has been noted when it answers to us.
func (f *forbidden) take(t *testing.T) []string {
	t.Helper()
	for _, a := range f.addresses {
		c, err := net.Dial(a.Network(), a.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := c.Write([]byte(check)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, len(check))); err != nil {
			t.Fatal(err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.reached
	f.reached = nil
	select {
	case <-f.some:
	default:
	}
	return out
}

// expect fails the test when something arrived.
func (f *forbidden) expect(t *testing.T) {
	t.Helper()
	for _, what := range f.take(t) {
		t.Errorf("reached: %s", what)
	}
}

// attacks are pages that try to reach the forbidden listeners. {tcp} and
// {udp} stand for the ports.
var attacks = []struct{ name, page string }{
	{"fetch", `fetch('http://127.0.0.2:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"fetch https", `fetch('https://127.0.0.2:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"decimal host", `fetch('http://2130706434:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"octal host", `fetch('http://0177.0.0.02:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"hexadecimal host", `fetch('http://0x7f.0x2:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"short host", `fetch('http://127.2:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"mapped host", `fetch('http://[::ffff:127.0.0.2]:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"mapped host, hexadecimal", `fetch('http://[::ffff:7f00:2]:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"IPv6 loopback", `fetch('http://[::1]:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"unspecified host", `fetch('http://0.0.0.0:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"localhost", `fetch('http://localhost:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"name below localhost", `fetch('http://x.localhost:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"name that resolves to loopback", `fetch('http://turns.example:{tcp}/a', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"redirect of a fetch", `fetch('/redirect', {mode: 'no-cors'}).catch(() => {}).finally(end)`},
	{"sub-resources", `document.body.innerHTML = '<img src="http://127.0.0.2:{tcp}/i"><link rel=stylesheet href="http://127.0.0.2:{tcp}/c"><video src="http://127.0.0.2:{tcp}/v" autoplay></video><object data="http://127.0.0.2:{tcp}/o"></object>';
		const s = document.createElement('script'); s.src = 'http://127.0.0.2:{tcp}/s'; s.onerror = end; document.body.append(s)`},
	{"frame", `const f = document.createElement('iframe'); f.src = 'http://127.0.0.2:{tcp}/f'; f.onload = end; document.body.append(f)`},
	{"frame that redirects", `const f = document.createElement('iframe'); f.src = '/redirect'; f.onload = end; document.body.append(f)`},
	{"hints", `document.head.innerHTML += '<link rel=preconnect href="http://127.0.0.2:{tcp}/"><link rel=dns-prefetch href="http://127.0.0.2:{tcp}/"><link rel=preload as=image href="http://127.0.0.2:{tcp}/p"><link rel=prefetch href="http://127.0.0.2:{tcp}/q">'; setTimeout(end, 500)`},
	{"speculation", `document.head.innerHTML += ''; const s = document.createElement('script'); s.type = 'speculationrules'; s.text = JSON.stringify({prefetch: [{source: 'list', urls: ['http://127.0.0.2:{tcp}/spec']}], prerender: [{source: 'list', urls: ['/redirect']}]}); document.head.append(s); setTimeout(end, 500)`},
	{"WebSocket", `const w = new WebSocket('ws://127.0.0.2:{tcp}/w'); w.onerror = end`},
	{"secure WebSocket", `const w = new WebSocket('wss://127.0.0.2:{tcp}/w'); w.onerror = end`},
	{"EventSource", `const e = new EventSource('http://127.0.0.2:{tcp}/e'); e.onerror = () => { e.close(); end() }`},
	{"beacon", `navigator.sendBeacon('http://127.0.0.2:{tcp}/b', 'x'); setTimeout(end, 500)`},
	{"ping", `const a = document.createElement('a'); a.href = '#x'; a.ping = 'http://127.0.0.2:{tcp}/ping'; document.body.append(a); a.click(); setTimeout(end, 500)`},
	{"form", `document.body.innerHTML = '<iframe name=t></iframe><form target=t method=post action="http://127.0.0.2:{tcp}/form"><input name=a></form>'; document.forms[0].submit(); setTimeout(end, 500)`},
	{"worker", `const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.2:{tcp}/worker', {mode: 'no-cors'}).catch(() => {}).finally(() => postMessage(1))"]))); w.onmessage = end`},
	{"shared worker", `const w = new SharedWorker('/shared.js'); w.port.onmessage = end`},
	{"service worker", `navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(end, 700), end)`},
	{"WebRTC", `const c = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.2:{udp}'}, {urls: 'turn:127.0.0.2:{udp}', username: 'u', credential: 'p'}, {urls: 'turn:127.0.0.2:{tcp}?transport=tcp', username: 'u', credential: 'p'}]});
		c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)); setTimeout(end, 2500)`},
	{"WebRTC to a peer", `const c = new RTCPeerConnection(); c.createDataChannel('x'); c.createOffer().then(async (o) => { await c.setLocalDescription(o);
		const answer = c.localDescription.sdp.replace('a=setup:actpass', 'a=setup:active') + 'a=candidate:1 1 udp 2122260223 127.0.0.2 {udp} typ host\r\n';
		await c.setRemoteDescription({type: 'answer', sdp: answer}).catch(() => {});
	}); setTimeout(end, 2000)`},
	{"WebTransport", `const w = new WebTransport('https://127.0.0.2:{udp}/'); w.ready.catch(() => {}); w.closed.catch(() => {}); setTimeout(end, 700)`},
}

// TestNothingForbiddenIsReached is the egress suite: one browser, a page for
// each way out that a page has, and listeners that nobody may reach.
func TestNothingForbiddenIsReached(t *testing.T) {
	f := newForbidden(t)
	fill := strings.NewReplacer("{tcp}", f.tcp, "{udp}", f.udp).Replace
	var served atomic.Int32
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, fill("http://127.0.0.2:{tcp}/redirected"), http.StatusFound)
		case "/shared.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, fill(`onconnect = (e) => fetch('http://127.0.0.2:{tcp}/shared', {mode: 'no-cors'}).catch(() => {}).finally(() => e.ports[0].postMessage(1))`))
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, fill(`oninstall = (e) => { skipWaiting(); e.waitUntil(fetch('http://127.0.0.2:{tcp}/sw', {mode: 'no-cors'}).catch(() => {})); }`))
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><body>game")
		}
	}))
	defer game.Close()
	ctx := t.Context()
	b, err := browser.Launch(ctx, &browser.LaunchOptions{Proxied: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	proxy := listen(t, allowing(game), &egress.Options{Resolver: names{"turns.example": {"127.0.0.2"}}})
	proxied := browser.WithProxy(ctx, proxy)
	c, err := b.NewContext(proxied, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T) *browser.Page {
		t.Helper()
		p, err := c.NewPage(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close(context.Background()) })
		if _, err := p.Navigate(ctx, game.URL, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.WaitLoad(ctx, browser.Complete); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tt := range attacks {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t)
			script := "new Promise((done) => { const end = () => done(true); setTimeout(end, 5000); " + fill(tt.page) + "; })"
			if err := p.Evaluate(ctx, script, nil); err != nil {
				t.Errorf("the attack did not run: %v", err)
			}
			f.expect(t)
		})
	}
	t.Run("document", func(t *testing.T) {
		p := open(t)
		_, err := p.Navigate(ctx, fill("http://127.0.0.2:{tcp}/"), nil)
		var nav *browser.NavigationError
		if !errors.As(err, &nav) || nav.Kind != "refused" || !strings.Contains(nav.Reason, "playtest refused to open 127.0.0.2:"+f.tcp) {
			t.Errorf("got %v", err)
		}
		_, err = p.Navigate(ctx, game.URL+"/redirect", nil)
		if !errors.As(err, &nav) || nav.Kind != "refused" {
			t.Errorf("redirect: %v", err)
		}
		_, err = p.Navigate(ctx, fill("https://127.0.0.2:{tcp}/"), nil)
		if !errors.As(err, &nav) || nav.Kind != "refused" {
			t.Errorf("https: %v", err)
		}
		_, err = p.Navigate(ctx, "http://nowhere.example/", nil)
		if !errors.As(err, &nav) || nav.Kind != "dns" {
			t.Errorf("a name that nobody knows: %v", err)
		}
		f.expect(t)
	})
	t.Run("told", func(t *testing.T) {
		p := open(t)
		p.Evaluate(ctx, fill(`Promise.all([1, 2].map((n) => fetch('http://127.0.0.2:{tcp}/' + n, {mode: 'no-cors'}).catch(() => {})))`), nil)
		deadline := time.Now().Add(5 * time.Second)
		var told []browser.Refusal
		for len(told) == 0 || told[0].Count < 2 {
			if told = p.Log().Refused(); time.Now().After(deadline) {
				t.Fatalf("told %+v of %+v", told, p.Log().Requests())
			}
			time.Sleep(10 * time.Millisecond)
		}
		if told[0].Host != "127.0.0.2:"+f.tcp || told[0].Reason != "a loopback address" {
			t.Errorf("told %+v", told)
		}
		for _, r := range p.Log().Requests() {
			if r.Refused != "" && r.Lost() != "" {
				t.Errorf("held against the page: %s", r.Lost())
			}
		}
	})
	// A context that forgot its proxy reaches nothing, not even the game.
	t.Run("context without a proxy", func(t *testing.T) {
		bare, err := b.NewContext(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := bare.NewPage(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := served.Load()
		if _, err := p.Navigate(ctx, game.URL, nil); err == nil || served.Load() != before {
			t.Errorf("reached the game: %v", err)
		}
	})
}

// The suite would prove nothing if the attacks did not work: without the proxy
// they reach their listeners.
func TestAttacksWorkWithoutTheProxy(t *testing.T) {
	f := newForbidden(t)
	fill := strings.NewReplacer("{tcp}", f.tcp, "{udp}", f.udp).Replace
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><body>game")
	}))
	defer game.Close()
	ctx := t.Context()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range attacks {
		switch tt.name {
		case "fetch", "WebSocket", "WebRTC", "WebRTC to a peer", "WebTransport", "worker":
		default:
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			p, err := c.NewPage(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(ctx)
			if _, err := p.Navigate(ctx, game.URL, nil); err != nil {
				t.Fatal(err)
			}
			if err := p.WaitLoad(ctx, browser.Complete); err != nil {
				t.Fatal(err)
			}
			p.Evaluate(ctx, "new Promise((done) => { const end = () => done(true); setTimeout(end, 4000); "+fill(tt.page)+"; })", nil)
			select {
			case <-f.some:
			case <-time.After(10 * time.Second):
				t.Error("reaches nothing even without a proxy")
			}
			f.take(t)
		})
	}
}
