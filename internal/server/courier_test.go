package server

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// letters are deliveries that are due in their order.
type letters chan store.Delivery

func (l letters) TakeDelivery(context.Context) (store.Delivery, error) {
	select {
	case d := <-l:
		return d, nil
	default:
		return store.Delivery{}, store.ErrNotFound
	}
}

func (l letters) Delivered(context.Context, int64) error { return nil }
func (l letters) Undelivered(context.Context, int64, time.Duration, bool, string) error {
	return nil
}
func (l letters) Get(context.Context, string) (store.Run, error) { return store.Run{}, nil }

// Whoever takes long to answer keeps nobody else from being told.
func TestSlowReceiversHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		due := make(letters, 20)
		for id := range int64(10) {
			due <- store.Delivery{ID: id, Attempts: 1, URL: "https://slow.example/"}
		}
		due <- store.Delivery{ID: 10, Attempts: 1, URL: "https://quick.example/"}
		told := make(chan time.Time, 1)
		c := &courier{outbox: due, counts: &metrics{}, log: slog.New(slog.DiscardHandler), send: func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "slow.example" {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			told <- time.Now()
			return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
		}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		began := time.Now()
		go func() {
			defer close(ended)
			c.deliver(ctx)
		}()
		if took := (<-told).Sub(began); took > time.Second {
			t.Errorf("told after %s", took)
		}
		stop()
		<-ended
		if n := c.counts.undelivered.Load(); n != 10 {
			t.Errorf("%d of the slow ones were noted", n)
		}
	})
}
