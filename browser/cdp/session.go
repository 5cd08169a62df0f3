package cdp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Session is one flattened protocol session. It implements cdproto's Session,
// so that cdproto's typed commands and events run on it.
type Session struct {
	conn    *Conn
	id      string
	timeout atomic.Int64

	// Guarded by conn.mu.
	listeners map[string][]listener
	queues    map[*Queue]bool // closed with the session
	err       error

	done chan struct{}
}

var _ protocol.Session = (*Session)(nil)

type listener struct {
	queue  *Queue
	policy Policy
}

func newSession(c *Conn, id string) *Session {
	return &Session{conn: c, id: id, listeners: make(map[string][]listener), queues: make(map[*Queue]bool), done: make(chan struct{})}
}

// ID is the session's id on the wire, empty for the browser's own session.
func (s *Session) ID() string { return s.id }

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the session ended, nil while it lives.
func (s *Session) Err() error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.err
}

// SetTimeout changes the deadline of this session's calls.
func (s *Session) SetTimeout(d time.Duration) { s.timeout.Store(int64(d)) }

type timeoutKey struct{}

// WithTimeout gives the calls made with the returned context another deadline
// than their session's. A deadline of the context itself still holds.
func WithTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, d)
}

func (s *Session) timeoutFor(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(timeoutKey{}).(time.Duration); ok && d > 0 {
		return d
	}
	if d := time.Duration(s.timeout.Load()); d > 0 {
		return d
	}
	return s.conn.timeout
}

// Call runs a command and decodes its result. It returns a *CallError that
// wraps the protocol's *Error, ErrTimeout, the context's error, or the reason
// why the session ended.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return &CallError{Method: method, Err: err}
	}
	return s.Start(method, params).Wait(ctx, result)
}

// Start sends a command without waiting for its reply. Commands started one
// after the other reach Chromium in that order. Dropping the Reply is fine
// when the answer does not matter.
func (s *Session) Start(method string, params any) *Reply {
	return s.conn.start(s, method, params)
}

// Refuse is Start for a call that is known to be in vain: nothing is sent.
func (s *Session) Refuse(method string, err error) *Reply {
	r := &Reply{conn: s.conn, session: s, method: method, done: make(chan struct{})}
	r.finish(nil, err)
	return r
}

// Abandon fails every call that now waits on the session, for a target that
// will not answer them any more. Later calls are sent as usual.
func (s *Session) Abandon(err error) {
	s.conn.mu.Lock()
	var waiting []*Reply
	for id, r := range s.conn.waiting {
		if r.session == s {
			waiting = append(waiting, r)
			delete(s.conn.waiting, id)
		}
	}
	s.conn.mu.Unlock()
	for _, r := range waiting {
		r.finish(nil, err)
	}
}

func (s *Session) end(err error) {
	s.conn.mu.Lock()
	if s.err != nil {
		s.conn.mu.Unlock()
		return
	}
	s.err = err
	s.listeners = nil
	queues := s.queues
	s.queues = nil
	close(s.done)
	s.conn.mu.Unlock()
	s.Abandon(err)
	for q := range queues {
		q.Close(err)
	}
}

// Listen routes events of the session into a queue, each method with its
// policy, in the order of the wire across all methods and sessions that share
// the queue. The returned func stops it. Listen does not close the queue when
// the session ends, since a queue may serve many sessions.
func (s *Session) Listen(q *Queue, methods map[string]Policy) (stop func()) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if s.err != nil {
		return func() {}
	}
	for method, policy := range methods {
		// Copied on write: deliver reads the slice outside the lock.
		old := s.listeners[method]
		s.listeners[method] = append(old[:len(old):len(old)], listener{q, policy})
	}
	return func() { s.unlisten(q) }
}

func (s *Session) unlisten(q *Queue) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	for method, old := range s.listeners {
		var kept []listener
		for _, l := range old {
			if l.queue != q {
				kept = append(kept, l)
			}
		}
		if len(kept) == 0 {
			delete(s.listeners, method)
		} else {
			s.listeners[method] = kept
		}
	}
	delete(s.queues, q)
}

// mustDeliver names the events of which none may be lost, whoever subscribes:
// they come one at a time and something waits until they are answered.
var mustDeliver = map[string]bool{
	"Target.attachedToTarget":      true,
	"Target.detachedFromTarget":    true,
	"Target.targetCrashed":         true,
	"Inspector.targetCrashed":      true,
	"Inspector.detached":           true,
	"Page.javascriptDialogOpening": true,
	"Page.javascriptDialogClosed":  true,
	"Fetch.requestPaused":          true,
	"Fetch.authRequired":           true,
	"Debugger.paused":              true,
}

// Subscribe implements cdproto's Session: it buffers the method's events from
// now on. Floods drop their oldest events; attach, dialog, crash and pause
// events are never dropped. The channel is closed when the session has ended and
// its events have been read, or are read no more.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	policy := DropOldest
	if mustDeliver[method] {
		policy = MustDeliver
	}
	events := make(chan jsonv2.Value)
	q := NewQueue(nil)
	ctx, cancel := context.WithCancel(context.Background())
	stop := s.Listen(q, map[string]Policy{method: policy})

	s.conn.mu.Lock()
	err := s.err
	if err == nil {
		s.queues[q] = true
		s.conn.wg.Add(1)
	}
	s.conn.mu.Unlock()
	if err != nil {
		cancel()
		close(events)
		return events, func() {}
	}
	go func() {
		defer s.conn.wg.Done()
		defer close(events)
		defer stop()
		for {
			e, err := q.Next(ctx)
			if err != nil {
				return
			}
			select {
			case events <- e.Params:
			case <-ctx.Done():
				return
			case <-s.conn.done:
				return
			case <-s.done:
				// Whoever still reads gets the rest; whoever forgot about the
				// session must not keep this goroutine until the browser ends.
				select {
				case events <- e.Params:
				case <-ctx.Done():
					return
				case <-time.After(lastRead):
					return
				}
			}
		}
	}()
	return events, cancel
}

// lastRead is how long an event of a session that has ended waits to be read.
const lastRead = 500 * time.Millisecond

// Reply is a call on its way.
type Reply struct {
	conn    *Conn
	session *Session
	method  string
	id      int64

	once   sync.Once
	done   chan struct{}
	result jsonv2.Value
	err    error
}

func (r *Reply) finish(result jsonv2.Value, err error) {
	r.once.Do(func() {
		r.result, r.err = result, err
		close(r.done)
	})
}

// Done is closed when the reply is there, or will never come.
func (r *Reply) Done() <-chan struct{} { return r.done }

// Wait waits for the reply, at most until the call's deadline or the context's
// end, and decodes it into result unless that is nil. Giving up abandons this
// reply and nothing else.
func (r *Reply) Wait(ctx context.Context, result any) error {
	d := r.session.timeoutFor(ctx)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.conn.forget(r.id)
		return &CallError{Method: r.method, Err: context.Cause(ctx)}
	case <-timer.C:
		r.conn.forget(r.id)
		return &CallError{Method: r.method, Err: fmt.Errorf("%w after %v", ErrTimeout, d)}
	}
	if r.err != nil {
		return &CallError{Method: r.method, Err: r.err}
	}
	if result == nil || len(r.result) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(r.result, result, jsonv2.AllowInvalidUTF8(true)); err != nil {
		return &CallError{Method: r.method, Err: fmt.Errorf("decoding result: %w", err)}
	}
	return nil
}

// IsGone reports whether an error says that the session or the connection a
// call ran on does not exist any more.
func IsGone(err error) bool {
	var lost *LostError
	if errors.Is(err, ErrSessionClosed) || errors.Is(err, ErrClosed) || errors.As(err, &lost) {
		return true
	}
	var perr *Error
	return errors.As(err, &perr) && perr.Code == codeSessionNotFound
}
