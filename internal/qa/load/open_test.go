package load_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/record"
)

// A server that asks to be left alone is left alone for as long as it asks, and the
// record tells.
func TestBusyServer(t *testing.T) {
	var asked atomic.Int32
	ctx, g := gametest.Open(t, shared, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>", canvas)
	}), nil, game.Options{})
	if err := load.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	rec := g.Record.Load
	if rec.Failure != nil || rec.Status != 200 || len(rec.Retries) != 1 || rec.Retries[0].Waited != time.Second || !strings.Contains(rec.Retries[0].Failure, "429") {
		t.Errorf("load %+v", rec)
	}
}

func TestPause(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name    string
		kind    string
		status  int
		after   string
		attempt int
		wait    time.Duration
		again   bool
	}{
		{"missing", "status", 404, "", 0, 0, false},
		{"busy", "status", 429, "", 1, 2 * time.Second, true},
		{"busy for a while", "status", 429, "7", 0, 7 * time.Second, true},
		{"busy until a time that has passed", "status", 429, now.Add(-time.Hour).UTC().Format(http.TimeFormat), 0, time.Second, true},
		{"busy for longer than anybody waits", "status", 429, "3600", 0, time.Hour, false},
		{"nonsense", "status", 429, "soon", 0, time.Second, true},
		{"name not found", "dns", 0, "", 1, time.Second, true},
		{"silent", "timeout", 0, "", 0, time.Second, true},
		{"silent again", "timeout", 0, "", 1, time.Second, false},
		{"enough", "dns", 0, "", 2, 0, false},
		{"no certificate", "tls", 0, "", 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := record.LoadRecord{Status: tt.status, Failure: &record.LoadFailure{Kind: tt.kind}}
			if wait, again := load.Pause(rec, tt.after, tt.attempt); wait != tt.wait || again != tt.again {
				t.Errorf("waits %v and tries again %v", wait, again)
			}
		})
	}
}

// No words of the browser's protocol reach a person.
func TestExplain(t *testing.T) {
	for _, kind := range []string{"dns", "offline", "connection", "tls", "redirects", "timeout", "download", "aborted", "blocked", "url", "protocol", "crash", "closed", "other"} {
		if text := load.Explain(kind, "net::ERR_SOMETHING"); text == "" || strings.Contains(text, "ERR_") {
			t.Errorf("%s: %q", kind, text)
		}
	}
}
