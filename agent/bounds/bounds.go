// Package bounds keeps an agent where it was sent: on the origins that its user
// named, whatever a model decides and whatever a page says.
//
// It is the browser that enforces them. Every document that a frame is about to
// request is asked about before anything is sent, redirects included, so a link,
// a form, a script and a tool are held by the same fence. What a page loads
// beside documents (pictures, scripts, sockets) is the page's own business and
// is not touched; games come with it. Windows that a page opens are closed and
// downloads refused by package browser.
package bounds

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// Bounds are the origins that an agent may visit. Safe for use by many
// goroutines.
type Bounds struct {
	any     bool
	origins []origin

	mu      sync.Mutex
	frames  []origin // of frames that were there before the agent, for frames only
	home    string   // last address within the bounds
	refused []Refusal
	dropped int
}

// origin is a scheme, a host and a port; wild is any host below it, too.
type origin struct {
	scheme, host, port string
	wild               bool
}

// Refusal is an attempt to leave that was stopped.
type Refusal struct {
	Time  time.Time `json:"time"`
	URL   string    `json:"url"`
	Frame bool      `json:"frame,omitempty"` // it was a frame inside the page
	By    string    `json:"by"`              // "browser", "tool", "return"
}

// Error says that an address lies outside of the bounds.
type Error struct {
	URL     string
	Allowed string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s is not allowed here; allowed: %s", clip(e.URL), e.Allowed)
}

// New makes bounds of the origin of a start page and of more origins: an origin
// such as https://example.com or http://localhost:8080, one with a wildcard
// such as https://*.example.com, or * for every http and https address.
func New(start string, more ...string) (*Bounds, error) {
	b := &Bounds{home: start}
	if o, ok := parse(start); ok {
		b.origins = append(b.origins, o)
	}
	for _, m := range more {
		if m == "*" {
			b.any = true
			continue
		}
		o, ok := parse(m)
		if ok && strings.HasPrefix(o.host, "*.") {
			o.host, o.wild = o.host[2:], true
		}
		if !ok || strings.Contains(o.host, "*") {
			return nil, fmt.Errorf("allowed origin %q: want one such as https://example.com, https://*.example.com or *", m)
		}
		b.origins = append(b.origins, o)
	}
	return b, nil
}

var ports = map[string]string{"http": "80", "https": "443"}

func parse(address string) (origin, bool) {
	u, err := url.Parse(address)
	if err != nil || ports[u.Scheme] == "" || u.Hostname() == "" || u.Opaque != "" {
		return origin{}, false
	}
	o := origin{scheme: u.Scheme, host: strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), port: u.Port()}
	if o.port == "" {
		o.port = ports[o.scheme]
	}
	return o, true
}

func (o origin) covers(p origin) bool {
	return o.scheme == p.scheme && o.port == p.port &&
		(o.host == p.host || o.wild && strings.HasSuffix(p.host, "."+o.host))
}

func (o origin) String() string {
	host := o.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.wild {
		host = "*." + host
	}
	if o.port != ports[o.scheme] {
		host += ":" + o.port
	}
	return o.scheme + "://" + host
}

// String lists the origins.
func (b *Bounds) String() string {
	if b.any {
		return "every http and https address"
	}
	if len(b.origins) == 0 {
		return "only the start page"
	}
	list := make([]string, len(b.origins))
	for i, o := range b.origins {
		list[i] = o.String()
	}
	return strings.Join(list, ", ")
}

// Allows is an *Error for an address that the agent may not visit.
func (b *Bounds) Allows(address string) error {
	if o, ok := parse(address); ok && (b.any || covered(b.origins, o)) {
		return nil
	}
	return &Error{URL: address, Allowed: b.String()}
}

func covered(list []origin, o origin) bool {
	return slices.ContainsFunc(list, func(each origin) bool { return each.covers(o) })
}

// Enforce has the browser hold every frame of the page to the bounds, until
// release is called. Frames inside the page may also go where frames already
// are: a game often lies in one from elsewhere.
func (b *Bounds) Enforce(ctx context.Context, page *browser.Page) (release func(context.Context) error, err error) {
	main := page.MainFrame().ID()
	b.mu.Lock()
	for _, f := range page.Frames() {
		if o, ok := parse(f.URL()); ok && f.ID() != main {
			b.frames = append(b.frames, o)
		}
	}
	b.mu.Unlock()
	return page.Guard(ctx, func(r *browser.Request) bool {
		// A tab that the page opened is no frame inside of it.
		inside := !slices.ContainsFunc(page.Context().Pages(), func(p *browser.Page) bool { return p.MainFrame().ID() == r.FrameID })
		if b.Allows(r.URL) == nil || inside && b.frame(r.URL) {
			return true
		}
		b.refuse(Refusal{Time: time.Now(), URL: r.URL, Frame: inside, By: "browser"})
		return false
	})
}

// frame reports whether a frame inside the page may show an address.
func (b *Bounds) frame(address string) bool {
	o, ok := parse(address)
	if !ok {
		// What has no origin of its own has its parent's.
		scheme, _, _ := strings.Cut(address, ":")
		return scheme == "about" || scheme == "blob" || scheme == "data"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return covered(b.frames, o)
}

// Refuse notes an address that a tool was asked to go to.
func (b *Bounds) Refuse(address string) {
	b.refuse(Refusal{Time: time.Now(), URL: address, By: "tool"})
}

// maxRefused is how many refusals are kept; a page can try for ever.
const maxRefused = 100

func (b *Bounds) refuse(r Refusal) {
	r.URL = clip(r.URL)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refused) >= maxRefused {
		b.dropped++
		return
	}
	b.refused = append(b.refused, r)
}

// Refused are the attempts to leave, the first hundred of them, and how many
// more there were.
func (b *Bounds) Refused() (list []Refusal, more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.refused), b.dropped
}

// Tried is how many attempts to leave there were in all.
func (b *Bounds) Tried() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refused) + b.dropped
}

// Return looks where the page is. Should it be outside, restored from the
// browser's memory without a request, say, it is brought back to where it last
// was inside.
func (b *Bounds) Return(ctx context.Context, page *browser.Page) (strayed bool, err error) {
	now := page.URL()
	b.mu.Lock()
	home := b.home
	b.mu.Unlock()
	if now == home || now == "" {
		return false, nil
	}
	if b.Allows(now) == nil {
		b.mu.Lock()
		b.home = now
		b.mu.Unlock()
		return false, nil
	}
	b.refuse(Refusal{Time: time.Now(), URL: now, By: "return"})
	if _, err := page.Navigate(ctx, home, nil); err != nil {
		return true, fmt.Errorf("returning to %s: %w", clip(home), err)
	}
	return true, nil
}

// clip keeps addresses readable: data: ones can be megabytes long.
func clip(s string) string {
	if len(s) <= 200 {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "…"
}
