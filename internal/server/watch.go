package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/internal/store"
)

const (
	// sendTime is how long a client may take for one message.
	sendTime = 10 * time.Second
	// StatusTooSlow is the code that a WebSocket is closed with whose client did
	// not keep up. It may come back.
	StatusTooSlow websocket.StatusCode = 4008
	// maxMessage bounds what a client may send: nothing is expected of it.
	maxMessage = 512
	// StatusLoggedOut is the code that a WebSocket is closed with whose token or
	// session has ended.
	StatusLoggedOut websocket.StatusCode = 4001
	// askAgain is how often it is asked whether somebody who watches still may.
	askAgain = 15 * time.Second
)

// live connects those who watch with the hub.
type live struct {
	hub *hub
	// who says whether a caller still may.
	who func(*http.Request) (caller, error)
}

// watching are the parameters of a run's live connections.
var watching = []parameter{{"after", "the number of the last event that is known"}, {"pictures", "1 adds pictures of the page that is played, a few a second"}}

func (l *live) routes() []route {
	return []route{
		{method: "GET", path: "/api/runs/{id}/live", scope: store.ScopeRead, do: l.socket, lasting: true, summary: "A run as it goes on, over a WebSocket", query: watching, media: "application/json", status: http.StatusSwitchingProtocols},
		{method: "GET", path: "/api/runs/{id}/stream", scope: store.ScopeRead, do: l.stream, lasting: true, summary: "A run as it goes on, as server-sent events", query: watching, media: "text/event-stream"},
		{method: "GET", path: "/api/live", scope: store.ScopeRead, do: l.socket, lasting: true, summary: "The newest runs as they change, over a WebSocket", media: "application/json", status: http.StatusSwitchingProtocols},
		{method: "GET", path: "/api/stream", scope: store.ScopeRead, do: l.stream, lasting: true, summary: "The newest runs as they change, as server-sent events", media: "text/event-stream"},
	}
}

// follow brings a snapshot and then what is new to send, until somebody goes.
func (l *live) follow(ctx context.Context, r *request, after int64, send func(context.Context, said) error) error {
	id := r.id()
	c, leave, err := l.hub.watch(ctx, r.who.project, id, id != "" && r.URL.Query().Get("pictures") == "1")
	if err != nil {
		return err
	}
	defer leave()
	snapshot, err := l.hub.snapshot(ctx, r.who.project, id, after)
	if err != nil {
		return err
	}
	last, asked := snapshot.Seq, time.Now()
	if err := send(ctx, snapshot.say(false)); err != nil {
		return err
	}
	for {
		messages, err := c.take(ctx, l.hub.closing)
		if err != nil {
			return err
		}
		if time.Since(asked) >= askAgain {
			asked = time.Now()
			if _, err := l.who(r.Request); errors.Is(err, unauthorized) {
				return errLoggedOut
			}
		}
		if len(messages) == 0 {
			messages = []said{Message{Type: "alive", Seq: last}.say(true)}
		}
		for _, m := range messages {
			if m.kind == "event" && m.seq <= last {
				continue // it was in the snapshot
			}
			last = max(last, m.seq)
			if err := send(ctx, m); err != nil {
				return err
			}
		}
	}
}

// after is the last number that a client knows: from its address, or from what a
// browser says when it comes back to a stream.
func (r *request) after() (int64, error) {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			return 0, problem(http.StatusBadRequest, "Last-Event-ID is not a number.")
		}
		return n, nil
	}
	return r.number("after", 0, 1<<62, 0)
}

// watched sees to it that the run is the caller's before anything is promised.
func (r *request) watched() error {
	if r.id() == "" {
		return nil
	}
	_, err := r.run()
	return err
}

func (l *live) socket(r *request) error {
	after, err := r.after()
	if err != nil {
		return err
	}
	if err := r.watched(); err != nil {
		return err
	}
	if r.Header.Get("Upgrade") == "" {
		return problem(http.StatusUpgradeRequired, "This is a WebSocket. The same is told as server-sent events at /stream.")
	}
	// The origin must be our own host: Accept sees to it.
	conn, err := websocket.Accept(r.w, r.Request, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil // Accept has answered
	}
	ctx, cancel := context.WithCancel(r.Context())
	var reading sync.WaitGroup
	defer reading.Wait()
	defer conn.CloseNow()
	defer cancel()
	conn.SetReadLimit(maxMessage)
	reading.Go(func() {
		defer cancel()
		// Nothing is expected. Whoever sends a message is cut off without the handshake of
		// CloseRead, which reads the rest of the message however long it says that it is.
		if _, _, err := conn.Reader(ctx); err == nil {
			_ = conn.CloseNow() // it is gone in any case
		}
	})
	err = l.follow(ctx, r, after, func(ctx context.Context, m said) error {
		ctx, cancel := context.WithTimeout(ctx, sendTime)
		defer cancel()
		return conn.Write(ctx, websocket.MessageText, m.body)
	})
	var full *Problem
	switch {
	case errors.Is(err, errTooSlow):
		_ = conn.Close(StatusTooSlow, "too slow")
	case errors.Is(err, errLoggedOut):
		_ = conn.Close(StatusLoggedOut, "the token or session has ended")
	case errors.Is(err, errClosing):
		_ = conn.Close(websocket.StatusGoingAway, "the server is shutting down")
	case errors.As(err, &full):
		_ = conn.Close(websocket.StatusTryAgainLater, "too many are watching")
	}
	return nil
}

func (l *live) stream(r *request) error {
	after, err := r.after()
	if err != nil {
		return err
	}
	if err := r.watched(); err != nil {
		return err
	}
	control := http.NewResponseController(r.w)
	began := false
	err = l.follow(r.Context(), r, after, func(_ context.Context, m said) error {
		if err := control.SetWriteDeadline(time.Now().Add(sendTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if !began {
			began = true
			h := r.w.Header()
			h.Set("Content-Type", "text/event-stream")
			h.Set("Cache-Control", "no-store")
			h.Set("X-Accel-Buffering", "no")
		}
		if _, err := fmt.Fprintf(r.w, "id: %d\nevent: %s\ndata: %s\n\n", m.seq, m.kind, m.body); err != nil {
			return err
		}
		return control.Flush()
	})
	if !began {
		return err
	}
	_ = control.SetWriteDeadline(time.Now().Add(sendTime)) // the last message's may have passed; the end is told, too
	if errors.Is(err, errTooSlow) {
		_, _ = fmt.Fprintf(r.w, "event: dropped\ndata: {\"type\":\"dropped\"}\n\n") // best effort
	}
	return nil
}
