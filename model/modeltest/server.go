// Package modeltest stands in for models in tests: servers that speak the
// three vendors' HTTP APIs and are strict about what they are sent, a [Fake]
// without any HTTP, and a conformance suite for adapters.
//
// A stand-in is reached through the vendor's own SDK. It holds a request
// against what the vendor publishes (see the folder published) and answers a
// mistake as the vendor would; the test then fails too, unless it asked for the
// mistakes with Violations.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// Received is a request that a stand-in was sent.
type Received struct {
	Path   string
	Header http.Header
	Body   map[string]any
	Stream bool
}

// Server is a stand-in for a vendor's API.
type Server struct {
	// URL is the base URL to give to the adapter.
	URL string
	// Key is the only key that is accepted.
	Key model.Secret

	vendor vendor
	closed chan struct{}

	mu         sync.Mutex
	replies    []Reply
	received   []Received
	violations []string
}

// vendor is one language that stand-ins speak.
type vendor interface {
	// key is the key that the request carries.
	key(r *http.Request) string
	// base is the path below which the API lives.
	base() string
	// check holds a request against the documentation.
	check(c *checker, r *http.Request, body map[string]any)
	// streams reports whether the request asks for a stream.
	streams(r *http.Request, body map[string]any) bool
	// answer and events are a reply in one piece and as a stream.
	answer(reply Reply, body map[string]any) any
	events(reply Reply, body map[string]any) []event
	// failure is an error body.
	failure(status int, reply Reply) any
	// bound is the most tokens that the answer may have, thoughts included.
	bound(body map[string]any) int
	// requestID is the header that names a request.
	requestID() string
}

// event is one server-sent event.
type event struct {
	name string
	data any // marshalled, or a string sent as it is
}

// A key that is long enough to be searched for, and that looks like one.
const testKey = "sk-test-0123456789abcdefghijklmnopqrstuv"

func newServer(t testing.TB, v vendor) *Server {
	t.Helper()
	s := &Server{Key: testKey, vendor: v, closed: make(chan struct{})}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = web.URL + v.base()
	t.Cleanup(func() {
		close(s.closed)
		web.CloseClientConnections()
		web.Close()
		for _, v := range s.Violations() {
			t.Errorf("the vendor would have refused: %s", v)
		}
	})
	return s
}

// Client reaches the stand-in without a network, for tests with a clock of
// their own: a connection would keep it from going on.
func (s *Server) Client() *http.Client { return &http.Client{Transport: inProcess{s}} }

type inProcess struct{ server *Server }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.server.serve(w, r)
	return w.Result(), r.Context().Err()
}

// Script adds replies to give, one per request. A request without a reply is
// a violation.
func (s *Server) Script(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Requests are those received so far.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

// Violations returns what was wrong with requests so far, and forgets it.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.violations
	s.violations = nil
	return out
}

// maxBody is more than any vendor takes.
const maxBody = 64 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(s.vendor.requestID(), fmt.Sprintf("req_%d", len(s.Requests())+1))
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	if s.vendor.key(r) != s.Key.Reveal() {
		s.fail(w, http.StatusUnauthorized, Reply{Message: "invalid x-api-key: " + s.vendor.key(r)})
		return
	}
	c := &checker{}
	body := map[string]any{}
	if r.Method != http.MethodPost {
		c.fault("", "method is %s, want POST", r.Method)
	}
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		c.fault("", "content type is %q", kind)
	}
	if err := json.Unmarshal(data, &body); err != nil {
		c.fault("", "the body is not a JSON object: %v", err)
	} else {
		s.vendor.check(c, r, body)
	}
	reply, ok := s.next(Received{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Stream: s.vendor.streams(r, body)}, c)
	if !ok {
		s.fail(w, http.StatusBadRequest, Reply{Message: strings.Join(c.faults, "; ")})
		return
	}
	s.reply(w, r, reply, body)
}

// next books the request and takes its reply.
func (s *Server) next(got Received, c *checker) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, got)
	if len(s.replies) == 0 {
		c.fault("", "no reply was scripted for request %d", len(s.received))
	}
	s.violations = append(s.violations, c.faults...)
	if len(c.faults) > 0 {
		return Reply{}, false
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	if reply.From != nil {
		reply = reply.From(got)
	}
	return reply.within(s.vendor.bound(got.Body)), true
}

func (s *Server) fail(w http.ResponseWriter, status int, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(s.vendor.failure(status, reply))
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, reply Reply, body map[string]any) {
	if reply.Fault == Hang {
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		return
	}
	if reply.Gate != nil {
		select {
		case <-reply.Gate:
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
	}
	switch {
	case reply.Fault == HTMLPage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Bad gateway, key was "+s.Key.Reveal()+"</body></html>")
	case reply.Fault == HTMLError:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><body>502 Bad Gateway</body></html>")
	case reply.Fault == BrokenJSON:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id": "x", "choices": [`)
	case reply.Fault == OtherJSON:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hello": "world"}`)
	case reply.Status >= 400:
		s.fail(w, reply.Status, reply)
	case s.vendor.streams(r, body):
		s.stream(w, reply, s.vendor.events(reply, body))
	default:
		s.whole(w, reply, s.vendor.answer(reply, body))
	}
}

func (s *Server) whole(w http.ResponseWriter, reply Reply, answer any) {
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err) // a mistake of this package
	}
	w.Header().Set("Content-Type", "application/json")
	if reply.Fault == Reset {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:len(data)/2])
		reset(w)
		return
	}
	_, _ = w.Write(data)
}

func (s *Server) stream(w http.ResponseWriter, reply Reply, events []event) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for i, e := range events {
		switch {
		case reply.Fault == Reset && i >= len(events)/2:
			reset(w)
			return
		case reply.Fault == Truncated && i >= len(events)/2:
			return
		case reply.Fault == BrokenEvent && i == len(events)/2:
			e.data = `{"broken`
		}
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		text, ok := e.data.(string)
		if !ok {
			data, err := json.Marshal(e.data)
			if err != nil {
				panic(err) // a mistake of this package
			}
			text = string(data)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
		w.(http.Flusher).Flush()
	}
}

// reset ends the connection the hard way.
func reset(w http.ResponseWriter) {
	w.(http.Flusher).Flush()
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
