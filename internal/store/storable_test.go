package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// column reads a column of a run's rows the way an export does.
func column(t *testing.T, s *store.Store, id, table, name string) []any {
	t.Helper()
	rows, err := s.Dump(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, row := range rows {
		var object map[string]any
		if err := json.Unmarshal(row.Data, &object); err != nil {
			t.Fatal(err)
		}
		if row.Table == table {
			out = append(out, object[name])
		}
	}
	return out
}

// Texts that a page can choose.
var hostile = map[string]string{
	"NUL":            "a\x00b",
	"invalid UTF-8":  "a\xff\xfeb",
	"lone surrogate": "a\xed\xa0\x80b", // as some encoders write U+D800
	"cut short":      "ab\xe2\x82",
}

// Whatever a page puts into names, messages and addresses can be stored, in
// every column, and read again.
func TestHostileText(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				ctx := t.Context()
				id := submit(t, s, store.Submission{
					Target: record.Target{URL: "http://h/?" + text}, Key: "key " + text, MaxAttempts: 3, Settings: store.Settings{Model: text},
				})[0].ID
				run, err := claim(t, s, 0)
				if err != nil {
					t.Fatal(err)
				}
				l := store.Lease{RunID: id, Number: run.Lease}
				if err := s.AddEvents(ctx, l, []record.Event{{Phase: text, Kind: text, Message: text}}); err != nil {
					t.Fatalf("an event: %v", err)
				}
				row, err := s.Reserve(ctx, l, nil, store.Expense{Purpose: text, Model: text})
				if err != nil {
					t.Fatalf("a call: %v", err)
				}
				if err := s.Settle(ctx, id, row, store.Expense{Error: text}); err != nil {
					t.Fatalf("a call: %v", err)
				}
				rec, rep := sample(id)
				rec.Actions[0].Target, rec.Actions[0].Reasoning, rec.Actions[0].Effect = text, text, text
				rec.Decisions[0].What, rec.Decisions[0].Why, rec.Decisions[0].Layer = text, text, text
				rec.Discover.Controls[0].ID, rec.Discover.Controls[0].Selector, rec.Discover.Controls[0].Description = text, text, text
				rep.Summary, rep.Metrics[0].Justification = text, text
				update(t, s, func(tx *store.Tx) error { return tx.Checkpoint(ctx, l, record.PhaseLoad, rec, false) })
				update(t, s, func(tx *store.Tx) error {
					return tx.Finish(ctx, l, store.Completed, store.Result{Record: rec, Report: rep})
				})
				ended, err := s.Get(ctx, id)
				if err != nil || !utf8.ValidString(ended.Summary) || strings.ContainsRune(ended.Summary, 0) || !strings.HasPrefix(ended.Summary, "a") {
					t.Errorf("summary %q, %v", ended.Summary, err)
				}
				for _, got := range column(t, s, id, "control_discoveries", "description") {
					if got := got.(string); !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
						t.Errorf("a control is described as %q", got)
					}
				}
				again := submit(t, s, store.Submission{Target: record.Target{URL: "http://h/?" + text}, Key: "key " + text, Settings: store.Settings{Model: text}})
				if again[0].ID != id || !again[0].Repeated {
					t.Errorf("the same key again: %+v", again)
				}
				if _, err := s.Get(ctx, text); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("a run of that name: %v", err)
				}
			})
		})
	}
}

// What a database refuses for good is told from what passes.
func TestPermanent(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		id := submit(t, s, game("http://h/"))[0].ID
		err := s.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Submit(ctx, []store.Submission{{ID: id, Target: record.Target{URL: "http://h/"}}})
			return err
		})
		if !store.Permanent(err) {
			t.Errorf("a constraint: %v", err)
		}
		run, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		rec, rep := sample(id)
		rep.OverallScore = math.NaN()
		err = s.Update(ctx, func(tx *store.Tx) error {
			return tx.Finish(ctx, store.Lease{RunID: id, Number: run.Lease}, store.Completed, store.Result{Record: rec, Report: rep})
		})
		if !store.Permanent(err) {
			t.Errorf("a report that is no JSON: %v", err)
		}
	})
	for code, want := range map[string]bool{"22021": true, "23505": true, "42P01": true, "40001": false, "53100": false, "57P01": false, "08006": false} {
		if got := store.Permanent(fmt.Errorf("store: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s is permanent: %v, want %v", code, got, want)
		}
	}
	for _, err := range []error{nil, store.ErrLost, errors.New("connection refused")} {
		if store.Permanent(err) {
			t.Errorf("%v is taken for permanent", err)
		}
	}
}
