// Package knowledgetest is what every store of knowledge must do, as a test.
package knowledgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
)

// Run holds an empty store against the contract.
func Run(t *testing.T, s knowledge.Store) {
	ctx := t.Context()
	put := func(id, data string) {
		t.Helper()
		if err := s.ChangeKnowledge(ctx, id, func([]byte) ([]byte, error) { return []byte(data), nil }); err != nil {
			t.Fatal(err)
		}
	}
	all := func() map[string][]byte {
		t.Helper()
		rows, err := s.Knowledge(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	if rows := all(); len(rows) != 0 {
		t.Fatalf("a new store has %d rows", len(rows))
	}
	put("phaser", `{"n":1}`)
	put("phaser", `{"n":2}`)
	put("unity", `{}`)
	for _, want := range []bool{true, false} {
		if had, err := s.DeleteKnowledge(ctx, "unity"); err != nil || had != want {
			t.Errorf("deleting: %v, %v, want %v", had, err, want)
		}
	}
	rows := all()
	if len(rows) != 1 || string(rows["phaser"]) != `{"n":2}` {
		t.Errorf("the rows are %q", rows)
	}
	rows["mine"] = nil
	if len(all()) != 1 {
		t.Error("the caller's map is the store's")
	}

	// A change that fails changes nothing.
	oops := errors.New("oops")
	for _, id := range []string{"phaser", "fresh"} {
		if err := s.ChangeKnowledge(ctx, id, func([]byte) ([]byte, error) { return nil, oops }); !errors.Is(err, oops) {
			t.Errorf("the error is %v, want that of the change", err)
		}
	}
	if rows := all(); len(rows) != 1 || string(rows["phaser"]) != `{"n":2}` {
		t.Errorf("after changes that failed the rows are %q", rows)
	}

	// Of many that change an entry at once each sees what the others did.
	const many = 12
	var wait sync.WaitGroup
	for range many {
		wait.Go(func() {
			err := s.ChangeKnowledge(ctx, "counter", func(old []byte) ([]byte, error) {
				n := 0
				if len(old) > 0 {
					if err := json.Unmarshal(old, &n); err != nil {
						return nil, err
					}
				}
				return fmt.Append(nil, n+1), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := string(all()["counter"]); got != fmt.Sprint(many) {
		t.Errorf("%d changes at once came to %s", many, got)
	}
	remembers(ctx, t, s)
}

// remembers plays the life of an entry through a book.
func remembers(ctx context.Context, t *testing.T, s knowledge.Store) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	book := knowledge.Open(s, &knowledge.Options{Now: func() time.Time { return now }})
	print := knowledge.Fingerprint{Site: "example.com/golf/", Kind: "canvas2d", Words: []string{"play"}}
	on := knowledge.Situation{Words: []string{"play"}}
	teach := func(worked bool) {
		t.Helper()
		l := knowledge.Lesson{Purpose: knowledge.Progress, Do: json.RawMessage(`{"kind":"click"}`), Says: "click PLAY", On: on, Worked: worked}
		if err := book.Learn(ctx, print, []knowledge.Lesson{l}); err != nil {
			t.Fatal(err)
		}
	}
	sure := func() float64 {
		t.Helper()
		list, err := book.Offers(ctx, print, on, knowledge.Progress)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return 0
		}
		return list[0].Confidence
	}
	teach(true)
	if got := sure(); got != 75 {
		t.Errorf("after one success it is offered with %.1f, want 75", got)
	}
	now = now.Add(365 * 24 * time.Hour)
	if got := sure(); got <= 50 || got > 56 {
		t.Errorf("a year later it is offered with %.1f, want little more than 50", got)
	}
	for range 4 { // what was right, or planted, then misleads now
		teach(false)
	}
	if got := sure(); got != 0 {
		t.Errorf("what misleads is still offered with %.1f", got)
	}
}
