package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"

	"github.com/playtest-dev/playtest/browser/cdp"
)

const (
	maxFlying    = 10000
	maxDocuments = 64

	// A page chooses the names and values of headers, methods and types, so each
	// request keeps a bounded part of them.
	maxName      = 256     // bytes of one name
	maxHeaders   = 64      // headers of one request or answer
	maxHeaderSum = 8 << 10 // bytes of all of them together
	maxRedirects = 20      // as many as Chromium follows
)

// Request is something a page loads: one line of its network log, or a request
// that an Intercept handler decides about.
type Request struct {
	ID        string
	URL       string
	Method    string
	Type      string // "Document", "Script", "Image", "Fetch", "XHR", "WebSocket", ...
	FrameID   string
	Initiator string // kind of what asked for it: "parser", "script", ...

	Status    int // 0 until it is answered
	MIMEType  string
	Failed    string // Chromium's reason, empty while all is well
	Canceled  bool   // Failed because somebody changed their mind
	Blocked   string // why it was not let through
	Refused   string // why the context's proxy did not let it through, such as "a loopback address"
	FromCache bool
	Bytes     int64    // over the network, known at the end
	Redirects []string // addresses that redirected to URL, in order
	Start     time.Time
	End       time.Time // zero while it is under way

	Headers         map[string]string // as asked
	ResponseHeaders map[string]string // as answered, of documents and intercepted requests
	PostData        string            // of intercepted requests
	Stage           Stage             // of intercepted requests

	body func(context.Context) ([]byte, error)
	seq  int // its place among all requests
}

// Lost says why the page did not get what it asked for: "" when it got it, waits
// for it or changed its mind.
func (r *Request) Lost() string {
	switch {
	case r.Refused != "":
		return "" // our doing, not the page's loss
	case r.Status >= 400:
		return fmt.Sprintf("status %d", r.Status)
	case r.Blocked == "csp":
		return "blocked by the page's content security policy"
	case r.Blocked != "":
		return "blocked: " + r.Blocked
	case r.Failed == "":
		return ""
	case r.Canceled && r.Type == "Script" && r.MIMEType != "" && !strings.Contains(r.MIMEType, "script"):
		return "not a script but " + r.MIMEType // servers may forbid to guess
	case r.Canceled:
		return ""
	}
	return r.Failed
}

// Body fetches the answer's body of a request intercepted at the response stage.
func (r *Request) Body(ctx context.Context) ([]byte, error) {
	if r.body == nil {
		return nil, fmt.Errorf("reading body of %s: not intercepted at its response", clip(r.URL, 200))
	}
	return r.body(ctx)
}

// flight is a request under way.
type flight struct {
	request *Request
	session string
	loader  string
	long    bool // never counted as in flight
	started float64
}

// InFlight is how many requests are under way. Connections that are made to
// stay open, such as WebSockets, event streams and media, do not count, nor does
// what a page asks of itself.
func (l *Log) InFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, f := range l.flying {
		if !f.long {
			n++
		}
	}
	return n
}

// LastNetworkActivity is when a request last began, was answered or ended.
func (l *Log) LastNetworkActivity() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastActive
}

// document is the main request of a loader.
func (l *Log) document(loader string) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.documents[loader]; r != nil {
		c := *r
		return &c
	}
	return nil
}

// noContent reports whether a document of the frame that was asked for after
// the first since requests got an answer that leaves the old one in place.
func (l *Log) noContent(since int, frame string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, loader := range l.docOrder {
		r := l.documents[loader]
		if r.seq > since && r.FrameID == frame && (r.Status == 204 || r.Status == 205) {
			return true
		}
	}
	return false
}

// networkEvent is the part of all network events that is used here. Decoding
// only this keeps floods cheap.
type networkEvent struct {
	RequestID string  `json:"requestId"`
	LoaderID  string  `json:"loaderId"`
	FrameID   string  `json:"frameId"`
	Type      string  `json:"type"`
	Timestamp float64 `json:"timestamp"`
	WallTime  float64 `json:"wallTime"`
	URL       string  `json:"url"`
	Request   *struct {
		URL     string         `json:"url"`
		Method  string         `json:"method"`
		Headers map[string]any `json:"headers"`
	} `json:"request"`
	Initiator *struct {
		Type string `json:"type"`
	} `json:"initiator"`
	RedirectResponse *struct {
		URL string `json:"url"`
	} `json:"redirectResponse"`
	Response *struct {
		URL       string         `json:"url"`
		Status    int            `json:"status"`
		MIMEType  string         `json:"mimeType"`
		FromDisk  bool           `json:"fromDiskCache"`
		FromFetch bool           `json:"fromPrefetchCache"`
		Headers   map[string]any `json:"headers"`
	} `json:"response"`
	EncodedDataLength float64 `json:"encodedDataLength"`
	ErrorText         string  `json:"errorText"`
	ErrorMessage      string  `json:"errorMessage"`
	Canceled          bool    `json:"canceled"`
	BlockedReason     string  `json:"blockedReason"`
	CORS              *struct {
		Error string `json:"corsError"`
	} `json:"corsErrorStatus"`
}

func (l *Log) network(s *Session, e cdp.Event) error {
	var ev networkEvent
	if err := jsonv2.Unmarshal(e.Params, &ev); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastActive = time.Now()
	switch e.Method {
	case network.RequestWillBeSent.Method:
		if ev.Request != nil {
			l.sent(s, &ev)
		}
	case network.WebSocketCreated.Method:
		f := &flight{session: s.ID(), long: true, request: &Request{
			ID: clip(ev.RequestID, maxName), URL: clip(ev.URL, maxURL), Method: "GET", Type: "WebSocket", FrameID: s.FrameID, Start: time.Now()}}
		l.fly(ev.RequestID, f)
	case network.WebSocketClosed.Method:
		l.land(ev.RequestID, 0)
	case network.WebSocketFrameError.Method:
		if f := l.flying[ev.RequestID]; f != nil {
			f.request.Failed = clip(ev.ErrorMessage, maxText)
			l.explain(f.request)
		}
	case network.RequestServedFromCache.Method:
		if f := l.flying[ev.RequestID]; f != nil {
			f.request.FromCache = true
		}
	case network.ResponseReceived.Method:
		if f := l.flying[ev.RequestID]; f != nil && ev.Response != nil {
			l.answered(f, &ev)
		}
	case network.LoadingFinished.Method:
		if f := l.flying[ev.RequestID]; f != nil {
			f.request.Bytes = int64(ev.EncodedDataLength)
			l.land(ev.RequestID, ev.Timestamp)
		}
	case network.LoadingFailed.Method:
		if f := l.flying[ev.RequestID]; f != nil {
			f.request.Failed, f.request.Canceled, f.request.Blocked = clip(ev.ErrorText, maxName), ev.Canceled, clip(ev.BlockedReason, maxName)
			if ev.CORS != nil && f.request.Blocked == "" {
				f.request.Blocked = "cors: " + clip(ev.CORS.Error, maxName)
			}
			l.explain(f.request)
			l.land(ev.RequestID, ev.Timestamp)
		}
	}
	return nil
}

func (l *Log) sent(s *Session, ev *networkEvent) {
	if f := l.flying[ev.RequestID]; f != nil && ev.RedirectResponse != nil {
		if len(f.request.Redirects) < maxRedirects {
			f.request.Redirects = append(f.request.Redirects, clip(f.request.URL, maxName))
		}
		f.request.URL = clip(ev.Request.URL, maxURL)
		return
	}
	r := &Request{
		ID: clip(ev.RequestID, maxName), URL: clip(ev.Request.URL, maxURL), Method: clip(ev.Request.Method, maxName), Type: clip(ev.Type, maxName),
		FrameID: clip(ev.FrameID, maxName), Start: time.UnixMicro(int64(ev.WallTime * 1e6)),
	}
	if l.requests.total < plenty {
		r.Headers = texts(ev.Request.Headers)
	}
	if ev.Initiator != nil {
		r.Initiator = clip(ev.Initiator.Type, maxName)
	}
	f := &flight{request: r, session: s.ID(), loader: ev.LoaderID, started: ev.Timestamp}
	f.long = long(ev.Type) || inPage(r.URL)
	l.fly(ev.RequestID, f)
	if ev.RequestID == ev.LoaderID {
		l.documents[ev.LoaderID] = r
		l.docOrder = append(l.docOrder, ev.LoaderID)
		if len(l.docOrder) > maxDocuments {
			delete(l.documents, l.docOrder[0])
			l.docOrder = l.docOrder[1:]
		}
	}
}

func long(kind string) bool {
	return kind == "EventSource" || kind == "Media" || kind == "WebSocket"
}

func (l *Log) answered(f *flight, ev *networkEvent) {
	r := f.request
	r.Status, r.MIMEType = ev.Response.Status, clip(ev.Response.MIMEType, maxName)
	r.FromCache = r.FromCache || ev.Response.FromDisk || ev.Response.FromFetch
	if ev.Type != "" {
		r.Type = clip(ev.Type, maxName)
	}
	if r.Type == "Document" {
		r.ResponseHeaders = texts(ev.Response.Headers)
	}
	f.long = f.long || long(r.Type) || r.MIMEType == "text/event-stream" ||
		strings.HasPrefix(r.MIMEType, "video/") || strings.HasPrefix(r.MIMEType, "audio/")
}

// inPage reports whether an address names something that the page itself holds. The end of
// such a request is not told if a worker asked for it that was ended before.
func inPage(url string) bool {
	return strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "blob:")
}

func (l *Log) fly(id string, f *flight) {
	l.requests.add(f.request)
	f.request.seq = l.requests.total
	if len(l.flying) < maxFlying {
		l.flying[id] = f
	}
}

func (l *Log) land(id string, timestamp float64) {
	f := l.flying[id]
	if f == nil {
		return
	}
	delete(l.flying, id)
	f.request.End = time.Now()
	if timestamp > f.started && f.started > 0 {
		f.request.End = f.request.Start.Add(time.Duration((timestamp - f.started) * float64(time.Second)))
	}
}

// frameGone lands what a document that is no more had asked for, and what was
// still to come of itself; nobody will tell us how it ended. A request for yet
// another document of the frame goes on.
func (l *Log) frameGone(frame, oldLoader, newLoader string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, f := range l.flying {
		if f.request.FrameID == frame && (newLoader == "" || f.loader != newLoader && (id != f.loader || id == oldLoader)) {
			l.abort(id, f)
		}
	}
}

func (l *Log) sessionGone(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, f := range l.flying {
		if f.session == session {
			l.abort(id, f)
		}
	}
}

func (l *Log) abort(id string, f *flight) {
	if f.request.Failed == "" {
		f.request.Failed, f.request.Canceled = "net::ERR_ABORTED", true
	}
	l.land(id, 0)
}

// texts keeps the headers of a request, as many as fit. Which are dropped of too
// many does not depend on the order of a map.
func texts(headers map[string]any) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	out := make(map[string]string, min(len(headers), maxHeaders))
	left := maxHeaderSum
	for _, k := range slices.Sorted(maps.Keys(headers)) {
		s, ok := headers[k].(string)
		if !ok {
			s = fmt.Sprint(headers[k])
		}
		name, value := clip(k, maxName), clip(s, maxText)
		if size := len(name) + len(value); size <= left && len(out) < maxHeaders {
			out[name] = value
			left -= size
		}
	}
	return out
}

func unquote(v jsonv2.Value) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}
