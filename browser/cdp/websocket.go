package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/coder/websocket"
)

type socket struct {
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	// replies says how large the reply to a call may be.
	replies func(id int64) int
}

func (s *socket) limitReplies(limit func(id int64) int) { s.replies = limit }

// Dial opens the transport of a DevTools WebSocket address. The context bounds
// only the dialling.
func Dial(ctx context.Context, address string, header http.Header) (Transport, error) {
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPHeader: header,
		// Most messages are small and local; pictures do not shrink.
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		// The error repeats the address, which may hold a token.
		var outer *url.Error
		switch {
		case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
			err = fmt.Errorf("handshake answered with %s", resp.Status)
		case errors.As(err, &outer):
			err = outer.Err
		}
		return nil, fmt.Errorf("dialling: %w", err)
	}
	conn.SetReadLimit(-1) // Read bounds messages, and skips instead of hanging up
	life, cancel := context.WithCancel(context.Background())
	return &socket{conn: conn, ctx: life, cancel: cancel}, nil
}

func (s *socket) Read() ([]byte, error) {
	_, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, err
	}
	m := bounded{replies: s.replies}
	part := make([]byte, 1<<16)
	for {
		n, err := r.Read(part)
		m.add(part[:n])
		if err == io.EOF {
			return m.done()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (s *socket) Write(message []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageText, message)
}

func (s *socket) Close() error {
	s.cancel()
	return s.conn.CloseNow()
}
