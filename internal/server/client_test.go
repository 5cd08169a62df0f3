package server

import (
	"context"
	"errors"
	"strconv"
	"testing"
)

func news(n int) said { return said{seq: int64(n), kind: "event", body: []byte(strconv.Itoa(n))} }
func chatter(n int) said {
	return said{seq: int64(n), kind: "event", chatter: true, body: []byte(strconv.Itoa(n))}
}

func TestChatterGivesWayToNews(t *testing.T) {
	c := newClient(false)
	for n := range queued {
		c.push(chatter(n))
	}
	for n := range queued {
		if !c.push(news(n)) || !c.push(chatter(n)) {
			t.Fatalf("dropped at %d", n)
		}
	}
	got, err := c.take(t.Context(), t.Context())
	if err != nil || len(got) != queued {
		t.Fatalf("%d messages, %v", len(got), err)
	}
	for n, m := range got {
		if m.chatter || m.seq != int64(n) {
			t.Fatalf("message %d is %+v", n, m)
		}
	}
}

func TestAClientWithoutRoomForNewsIsDropped(t *testing.T) {
	c := newClient(false)
	for n := range queued {
		c.push(news(n))
	}
	if !c.push(chatter(1)) {
		t.Error("dropped for chatter")
	}
	if c.push(news(queued)) {
		t.Error("kept although it misses news")
	}
	if _, err := c.take(t.Context(), t.Context()); !errors.Is(err, errTooSlow) {
		t.Errorf("it is told %v", err)
	}
}

func TestWaitingEndsWithTheServer(t *testing.T) {
	closing, stop := context.WithCancel(t.Context())
	stop()
	if _, err := newClient(false).take(t.Context(), closing); !errors.Is(err, errClosing) {
		t.Errorf("it is told %v", err)
	}
}

// Whoever is slow gets the newest picture and not all of them.
func TestOnlyTheNewestPictureWaits(t *testing.T) {
	c := newClient(true)
	for n := range 3 * queued {
		if !c.push(said{seq: int64(n), kind: "picture", chatter: true}) {
			t.Fatal("dropped for a picture")
		}
		if n == 1 {
			c.push(news(7))
		}
	}
	got, err := c.take(t.Context(), t.Context())
	if err != nil || len(got) != 2 || got[0].seq != 7 || got[1].seq != 3*queued-1 {
		t.Errorf("%+v, %v", got, err)
	}
}
