package cdp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// listen returns a queue that hears flood.x with DropOldest and sure.x with
// MustDeliver.
func listen(c *cdp.Conn, limits *cdp.Limits) *cdp.Queue {
	q := cdp.NewQueue(limits)
	c.Browser().Listen(q, map[string]cdp.Policy{"Flood.x": cdp.DropOldest, "Sure.x": cdp.MustDeliver})
	return q
}

// settled returns when the connection has read all that was sent before.
func settled(t *testing.T, c *cdp.Conn, f *fake) {
	t.Helper()
	r := c.Browser().Start("Ping.ping", nil)
	f.send(`{"id":%d,"result":{}}`, f.next().ID)
	if err := r.Wait(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestDropOldestKeepsTheNewestAndAllThatMustBeDelivered(t *testing.T) {
	c, f := connect(t, nil)
	q := listen(c, &cdp.Limits{Droppable: 3})
	for i := range 10 {
		f.send(`{"method":"Flood.x","params":%d}`, i)
		if i%5 == 0 {
			f.send(`{"method":"Sure.x","params":%d}`, i)
		}
	}
	settled(t, c, f)
	var got []string
	for range 5 {
		e, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Method[:1]+string(e.Params))
	}
	if want := "S0 S5 F7 F8 F9"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if n := q.Dropped(); n != 7 {
		t.Errorf("%d dropped, want 7", n)
	}
}

func TestDropOldestCountsBytes(t *testing.T) {
	c, f := connect(t, nil)
	q := listen(c, &cdp.Limits{DroppableBytes: 1000})
	for i := range 10 {
		f.send(`{"method":"Flood.x","params":"%d%s"}`, i, strings.Repeat("x", 400))
	}
	f.send(`{"method":"Flood.x","params":"%s"}`, strings.Repeat("y", 5000))
	settled(t, c, f)
	e, err := q.Next(t.Context())
	if err != nil || len(e.Params) != 5002 || q.Dropped() != 10 {
		t.Errorf("got %d bytes, %v, %d dropped; want the last one alone", len(e.Params), err, q.Dropped())
	}
}

func TestMustDeliverEndsTheQueueRatherThanLose(t *testing.T) {
	c, f := connect(t, nil)
	q := listen(c, &cdp.Limits{Sure: 5})
	other := listen(c, nil)
	for i := range 6 {
		f.send(`{"method":"Sure.x","params":%d}`, i)
	}
	settled(t, c, f) // the reader has not been held up
	if _, err := q.Next(t.Context()); !errors.Is(err, cdp.ErrOverflow) {
		t.Errorf("got %v", err)
	}
	for i := range 6 {
		if e, err := other.Next(t.Context()); err != nil || string(e.Params) != fmt.Sprint(i) {
			t.Errorf("the other queue has %s, %v", e.Params, err)
		}
	}
}

func TestStoppedListenerHearsNothing(t *testing.T) {
	c, f := connect(t, nil)
	q := cdp.NewQueue(nil)
	stop := c.Browser().Listen(q, map[string]cdp.Policy{"Sure.x": cdp.MustDeliver})
	stop()
	f.send(`{"method":"Sure.x","params":1}`)
	settled(t, c, f)
	q.Close(errors.New("end"))
	if e, err := q.Next(t.Context()); err == nil {
		t.Errorf("heard %v", e)
	}
}

func TestQueueNextWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := cdp.NewQueue(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := q.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		end := errors.New("end")
		time.AfterFunc(time.Hour, func() { q.Close(end) })
		if _, err := q.Next(t.Context()); !errors.Is(err, end) {
			t.Errorf("got %v", err)
		}
	})
}

// A subscriber that never reads costs nobody anything, and its goroutine ends
// with it.
// A subscription that nobody reads any more ends with its session. It used to
// hold a goroutine, and the events, for as long as the browser lived.
func TestForgottenSubscriptionEndsWithItsSession(t *testing.T) {
	c, f := connect(t, nil)
	q := cdp.NewQueue(nil)
	c.Browser().Listen(q, map[string]cdp.Policy{"Target.attachedToTarget": cdp.MustDeliver})
	f.send(`{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T"}}}`)
	if _, err := q.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	s := c.Session("S")
	s.Subscribe("A.a")
	read, stop := s.Subscribe("A.a")
	defer stop()
	for i := range 3 {
		f.send(`{"method":"A.a","sessionId":"S","params":%d}`, i)
	}
	f.send(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}`)
	<-s.Done()
	var got []string
	for v := range read { // who does read gets everything
		got = append(got, string(v))
	}
	if !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("read %q", got)
	}
	deadline := time.Now().Add(20 * time.Second)
	for err := goleak.Find(before); err != nil; err = goleak.Find(before) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestSubscribeFloodAndCancel(t *testing.T) {
	c, f := connect(t, nil)
	_, idle := c.Browser().Subscribe("Flood.x")
	events, cancel := c.Browser().Subscribe("Flood.x")
	for i := range 10000 {
		f.send(`{"method":"Flood.x","params":%d}`, i)
	}
	settled(t, c, f)
	var last string
	for last != "9999" {
		last = string(<-events)
	}
	cancel()
	idle()
	for range events { // closed, after at most one more
	}
}
