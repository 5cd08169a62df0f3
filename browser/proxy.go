package browser

import (
	"context"
	"net"
	"net/url"
	"strings"
)

// Proxy is what all requests of a context go through: documents, redirects,
// what they load, WebSockets and what workers ask for.
type Proxy interface {
	// Address is where it listens, as host:port.
	Address() string
	// Trouble says why the host:port of an address was not reached the last time
	// it was asked for: "refused", "dns", "connection" or "timeout", with words
	// for a person. A browser only hears that there was no answer.
	Trouble(hostport string) (kind, reason string)
}

type proxyKey struct{}

// WithProxy has the contexts that are opened with the returned context go
// through p, unless their options name another proxy. Whoever lends a browser
// decides this way about runs that know nothing of proxies.
func WithProxy(ctx context.Context, p Proxy) context.Context {
	return context.WithValue(ctx, proxyKey{}, p)
}

// proxiedArgs make a browser reach nothing by itself: neither its own requests
// nor contexts without a proxy have a way out, and no names are resolved.
var proxiedArgs = []string{
	"--proxy-server=http://127.0.0.1:1", // where nobody listens
	"--proxy-bypass-list=<-loopback>",   // loopback would need no proxy otherwise
	"--dns-prefetch-disable",
}

// silentRTC has WebRTC send nothing past the proxy. Chromium knows the policy
// under two names, one for each of its front ends.
var silentRTC = []string{
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
}

// Refusal is what a proxy did not let through.
type Refusal struct {
	Host   string // host and port
	URL    string // the first address of it that was asked for
	Type   string // of that request: "Document", "Image", "WebSocket", ...
	Reason string // such as "a loopback address"
	Count  int
}

// maxRefusals bounds the hosts that are told apart.
const maxRefusals = 100

// Refused is what the context's proxy did not let through, by host.
func (l *Log) Refused() []Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []Refusal{}
	at := make(map[string]int)
	for _, r := range l.requests.all() {
		if r.Refused == "" {
			continue
		}
		host := hostPort(r.URL)
		if i, known := at[host]; known {
			out[i].Count++
		} else if len(out) < maxRefusals {
			at[host] = len(out)
			out = append(out, Refusal{Host: host, URL: r.URL, Type: r.Type, Reason: r.Refused, Count: 1})
		}
	}
	return out
}

// words of Chromium for what a proxy knows better.
var troubles = map[string]string{
	"dns": "net::ERR_NAME_NOT_RESOLVED", "connection": "net::ERR_CONNECTION_REFUSED",
	"timeout": "net::ERR_CONNECTION_TIMED_OUT", "refused": "net::ERR_BLOCKED_BY_ADMINISTRATOR",
}

// explain corrects a request that failed on its way through the proxy. Called
// under l.mu.
func (l *Log) explain(r *Request) {
	if l.proxy == nil || r.Failed == "" || r.Canceled || r.Status != 0 || !unanswered(r.Failed) {
		return
	}
	kind, reason := l.proxy.Trouble(hostPort(r.URL))
	if kind == "" {
		return
	}
	r.Failed = troubles[kind]
	if kind == "refused" {
		r.Refused = reason
	}
}

// unanswered is what a browser says when its proxy hung up or refused a tunnel.
func unanswered(failed string) bool {
	for _, word := range []string{"ERR_EMPTY_RESPONSE", "ERR_TUNNEL_CONNECTION_FAILED", "ERR_CONNECTION_", "ERR_SOCKET_NOT_CONNECTED", "ERR_PROXY_"} {
		if strings.Contains(failed, word) {
			return true
		}
	}
	return false
}

// hostPort is the host and port of an address, lower case, the port spelled out.
func hostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443"}[u.Scheme]
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}
