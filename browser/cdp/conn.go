// Package cdp is the wire to a Chromium: it carries DevTools protocol messages
// over a pipe or a WebSocket, hands replies to the calls that wait for them and
// events to bounded queues.
//
//	Call ──► out ──► writer ──► Transport ──► Chromium
//	                                              │
//	waiting Call ◄── reply ── reader ◄── Transport┘
//	     Queue   ◄── event ──┘
//
// The reader is the only goroutine that touches incoming messages. It never
// blocks on a consumer and never runs a caller's code, so one slow listener
// cannot hold up a reply to another.
package cdp

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

const (
	// DefaultTimeout is the deadline of a protocol call that sets no other.
	DefaultTimeout = 10 * time.Second

	// maxOutgoing is how many messages may wait for a Chromium that has stopped
	// reading. The call that finds the queue full fails with ErrOverflow.
	maxOutgoing = 8192
)

// Transport moves whole protocol messages. Read is called by one goroutine and
// Write by another; Close may come from any and must unblock both.
type Transport interface {
	// Read returns the next message, which the caller may change and must have
	// done with before the next call. A
	// *TooLargeError skips one message, any other error ends the connection.
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// Options tune a connection. The zero value is fine.
type Options struct {
	Timeout time.Duration // deadline of each call, DefaultTimeout if zero
	Log     *slog.Logger  // where oddities of the wire go, nowhere if nil
}

// Conn is one connection to a browser with all its sessions.
type Conn struct {
	transport Transport
	timeout   time.Duration
	log       *slog.Logger

	mu       sync.Mutex
	nextID   int64
	waiting  map[int64]*Reply
	sessions map[string]*Session
	out      [][]byte
	err      error

	outReady chan struct{}
	done     chan struct{}
	wg       sync.WaitGroup
}

// New starts reading and writing on the transport, which the connection owns
// from now on.
func New(t Transport, opts *Options) *Conn {
	if opts == nil {
		opts = &Options{}
	}
	c := &Conn{
		transport: t,
		timeout:   opts.Timeout,
		log:       opts.Log,
		waiting:   make(map[int64]*Reply),
		sessions:  make(map[string]*Session),
		outReady:  make(chan struct{}, 1),
		done:      make(chan struct{}),
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.sessions[""] = newSession(c, "")
	if l, ok := t.(limiter); ok {
		l.limitReplies(c.replyLimit)
	}
	c.wg.Go(c.read)
	c.wg.Go(c.write)
	return c
}

// Browser is the session that speaks to the browser itself.
func (c *Conn) Browser() *Session { return c.Session("") }

// Session returns the session with that id. Sessions come into being when
// Chromium announces them; one that is unknown or already gone is returned
// closed, so that its calls fail at once instead of waiting for nobody.
func (c *Conn) Session(id string) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		return s
	}
	s := newSession(c, id)
	s.err = ErrSessionClosed
	close(s.done)
	return s
}

// Done is closed when the connection is lost or closed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended: ErrClosed after Close, a *LostError when
// the other side went away, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and waits for its goroutines. Every waiting call
// fails with ErrClosed.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	c.wg.Wait()
	return nil
}

func (c *Conn) read() {
	for {
		raw, err := c.transport.Read()
		var large *TooLargeError
		if errors.As(err, &large) {
			c.skip(large)
			continue
		}
		if err != nil {
			c.fail(&LostError{Err: err})
			return
		}
		raw = repair(raw)
		if id, result, ok := answerIn(raw); ok {
			c.answer(&message{ID: id, Result: bytes.Clone(result)})
			continue
		}
		var m message
		if err := jsonv2.Unmarshal(raw, &m, jsonv2.AllowInvalidUTF8(true)); err != nil {
			c.log.Warn("skipped a protocol message that is no JSON", "bytes", len(raw), "err", err)
			continue
		}
		if m.ID != 0 {
			c.answer(&m)
		} else if m.Method != "" {
			c.deliver(&m)
		}
	}
}

// replyLimit is how large the reply to a call may be. One that nobody waits for
// any more is not worth its memory.
func (c *Conn) replyLimit(id int64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.waiting[id]; r != nil {
		return replyLimit(r.method)
	}
	return maxNoise
}

func (c *Conn) write() {
	for {
		select {
		case <-c.outReady:
		case <-c.done:
			return
		}
		c.mu.Lock()
		batch := c.out
		c.out = nil
		c.mu.Unlock()
		for _, m := range batch {
			if err := c.transport.Write(m); err != nil {
				c.fail(&LostError{Err: err})
				return
			}
		}
	}
}

// skip fails the call whose reply was too large. An event that is too large is
// forgotten: whoever made it so is the only one to miss it.
func (c *Conn) skip(large *TooLargeError) {
	c.log.Warn("skipped a protocol message", "bytes", large.Size, "event", large.method())
	id := large.answers()
	c.mu.Lock()
	r := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if r != nil {
		r.finish(nil, large)
	}
}

// answer hands a reply to its call. A reply nobody waits for any more belongs
// to a call that was cancelled; it is dropped.
func (c *Conn) answer(m *message) {
	c.mu.Lock()
	r := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	if r == nil {
		return
	}
	if m.Error != nil {
		r.finish(nil, m.Error)
		return
	}
	r.finish(m.Result, nil)
}

func (c *Conn) deliver(m *message) {
	switch m.Method {
	case "Target.attachedToTarget":
		// Known before anybody hears of it: an event or an end of this session
		// may be the very next message.
		if id := sessionIn(m.Params); id != "" {
			c.mu.Lock()
			if c.sessions[id] == nil && c.err == nil {
				c.sessions[id] = newSession(c, id)
			}
			c.mu.Unlock()
		}
	case "Target.detachedFromTarget":
		// Ended after the event is queued, so that a listener on the ending
		// session still gets all that came before.
		defer c.endSession(sessionIn(m.Params))
	}
	c.mu.Lock()
	s := c.sessions[m.SessionID]
	var queues []listener
	if s != nil {
		queues = s.listeners[m.Method]
	}
	c.mu.Unlock()
	for _, l := range queues {
		l.queue.push(Event{SessionID: m.SessionID, Method: m.Method, Params: m.Params}, l.policy)
	}
}

func (c *Conn) endSession(id string) {
	if id == "" {
		return
	}
	c.mu.Lock()
	s := c.sessions[id]
	delete(c.sessions, id)
	c.mu.Unlock()
	if s != nil {
		s.end(ErrSessionClosed)
	}
}

// fail ends the connection once; the first reason stays.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	waiting := c.waiting
	sessions := c.sessions
	c.waiting = make(map[int64]*Reply)
	c.sessions = make(map[string]*Session)
	c.out = nil
	close(c.done)
	c.mu.Unlock()

	if cerr := c.transport.Close(); cerr != nil && !errors.Is(err, ErrClosed) {
		c.log.Debug("closing the transport", "err", cerr)
	}
	for _, r := range waiting {
		r.finish(nil, err)
	}
	for _, s := range sessions {
		s.end(err)
	}
}

// start registers a call and queues its message. It never blocks.
func (c *Conn) start(s *Session, method string, params any) *Reply {
	r := &Reply{conn: c, session: s, method: method, done: make(chan struct{})}
	m := outgoing{SessionID: s.id, Method: method}
	if params != nil {
		raw, err := jsonv2.Marshal(params, jsonv2.AllowInvalidUTF8(true))
		if err != nil {
			r.finish(nil, fmt.Errorf("encoding parameters: %w", err))
			return r
		}
		m.Params = raw
	}
	c.mu.Lock()
	err := c.err
	if err == nil {
		err = s.err
	}
	if err == nil && len(c.out) >= maxOutgoing {
		err = ErrOverflow
	}
	if err != nil {
		c.mu.Unlock()
		r.finish(nil, err)
		return r
	}
	c.nextID++
	r.id, m.ID = c.nextID, c.nextID
	raw, merr := jsonv2.Marshal(m, jsonv2.AllowInvalidUTF8(true))
	if merr != nil {
		c.mu.Unlock()
		r.finish(nil, fmt.Errorf("encoding call: %w", merr))
		return r
	}
	c.waiting[r.id] = r
	c.out = append(c.out, raw)
	c.mu.Unlock()
	select {
	case c.outReady <- struct{}{}:
	default:
	}
	return r
}

func (c *Conn) forget(id int64) {
	c.mu.Lock()
	delete(c.waiting, id)
	c.mu.Unlock()
}

type outgoing struct {
	ID        int64        `json:"id"`
	SessionID string       `json:"sessionId,omitempty"`
	Method    string       `json:"method"`
	Params    jsonv2.Value `json:"params,omitempty"`
}

type message struct {
	ID        int64        `json:"id"`
	SessionID string       `json:"sessionId"`
	Method    string       `json:"method"`
	Params    jsonv2.Value `json:"params"`
	Result    jsonv2.Value `json:"result"`
	Error     *Error       `json:"error"`
}

func sessionIn(params jsonv2.Value) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if err := jsonv2.Unmarshal(params, &p, jsonv2.AllowInvalidUTF8(true)); err != nil {
		return ""
	}
	return p.SessionID
}
