package cdp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

type socket struct {
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
}

// Dial opens the transport of a DevTools WebSocket address. The context bounds
// only the dialling.
func Dial(ctx context.Context, url string, header http.Header) (Transport, error) {
	conn, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPHeader: header,
		// Most messages are small and local; pictures do not shrink.
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if resp != nil {
			return nil, fmt.Errorf("dialling %s: %s: %w", url, resp.Status, err)
		}
		return nil, fmt.Errorf("dialling %s: %w", url, err)
	}
	conn.SetReadLimit(maxMessage)
	life, cancel := context.WithCancel(context.Background())
	return &socket{conn: conn, ctx: life, cancel: cancel}, nil
}

func (s *socket) Read() ([]byte, error) {
	_, m, err := s.conn.Read(s.ctx)
	return m, err
}

func (s *socket) Write(message []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageText, message)
}

func (s *socket) Close() error {
	s.cancel()
	return s.conn.CloseNow()
}
