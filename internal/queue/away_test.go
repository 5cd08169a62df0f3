package queue_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

// wire is a connection to a server that can be cut.
type wire struct {
	listener net.Listener
	server   string
	wg       sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, server: server, conns: map[net.Conn]bool{}}
	w.wg.Go(w.accept)
	t.Cleanup(func() {
		l.Close()
		w.setCut(true)
		w.wg.Wait()
	})
	return w
}

func (w *wire) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.wg.Go(func() { w.carry(c) })
	}
}

func (w *wire) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	if !w.add(client) {
		return
	}
	defer w.remove(client)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(server, client) // ends when either side does
		server.Close()
	})
	_, _ = io.Copy(client, server)
	client.Close()
	wg.Wait()
}

func (w *wire) add(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.cut {
		w.conns[c] = true
	}
	return !w.cut
}

func (w *wire) remove(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
}

// setCut ends all connections and lets no new one through until it is mended.
func (w *wire) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for c := range w.conns {
		c.Close()
	}
}

// wired is a Postgres behind a wire.
func wired(t *testing.T) (*wire, string) {
	t.Helper()
	server := os.Getenv(storetest.Variable)
	if server == "" {
		t.Skipf("no Postgres: %s is not set", storetest.Variable)
	}
	address, err := url.Parse(storetest.Postgres(t, server))
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, address.Host)
	address.Host = w.listener.Addr().String()
	return w, address.String()
}

// A worker that loses the database while it plays stores the end of the run
// when the database is back.
func TestDatabaseAwayForAWhile(t *testing.T) {
	t.Parallel()
	w, address := wired(t)
	q := open(t, storetest.Open(t, address), queue.Options{})
	ids := submit(t, q, "http://h/1", "http://h/2")
	cut := false
	work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		if !cut {
			cut = true
			w.setCut(true)
			time.AfterFunc(time.Second, func() { w.setCut(false) })
		}
		return result(h)
	}, queue.WorkOptions{Slots: 1})
	for _, id := range ids {
		if r := get(t, q, id); r.Status != store.Completed || r.Attempts != 1 {
			t.Errorf("ended as %+v", r)
		}
	}
}
