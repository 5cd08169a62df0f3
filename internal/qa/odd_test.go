package qa_test

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

var everyPage = flag.Bool("pages.all", false, "play every odd game and every hostile page, not today's tenth of them")

// pageDays is within how many days each page is played once.
const pageDays = 10

// turn skips a test whose page is not played today, by its place in the list.
func turn(t *testing.T, i int) {
	t.Helper()
	const day = 24 * time.Hour
	if today := int(time.Now().Unix() / int64(day.Seconds())); !*everyPage && i%pageDays != today%pageDays {
		t.Skipf("played every %d days; make test-all plays it today", pageDays)
	}
}

// TestOddGames plays small games of awkward kinds, and their twins without the
// script that listens to the player.
func TestOddGames(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.HandlerFunc(odd))
	defer server.Close()

	for i, tt := range []struct{ kind, page string }{
		{"over in two seconds when left alone, without a word", "brief.html"},
		{"hold to accelerate", "throttle.html"},
		{"paused by blur", "blur.html"},
		{"plays itself until it is started", "attract.html"},
		{"any key does, the event is not read", "flap.html"},
		{"double click", "double.html"},
		{"a countdown in which keys do nothing", "countdown.html"},
		{"painted by a worker", "worker.html"},
		{"rules in WebAssembly", "wasm.html"},
		{"keys looked up in a table", "table.html"},
		{"a menu with keys of its own", "scenes.html"},
		{"a ball that moves once it is served", "serve.html"},
		{"a start that waits for a choice", "choice.html"},
		{"a start that cannot be pressed before two choices", "locked.html"},
		{"one wrong tap ends a round", "wrong.html"},
		{"confetti over a game of buttons", "confetti.html"},
		{"links to pages that are not there", "links.html"},
		{"tiles that only go onto the gap", "slide.html"},
		{"a board on which most clicks are refused", "draughts.html"},
		{"a small canvas that is only dragged on", "corner.html"},
		{"a first screen without words that one key leaves", "wordless.html"},
		{"moves are ignored until something is held", "pipes.html"},
		{"a story that turns its page at any click", "story.html"},
		{"a press that counts only on the beat", "beat.html"},
		{"targets that crawl on", "crawl.html"},
		{"a start that wants names", "named.html"},
		{"a room that asks where it was clicked", "room.html"},
		{"moves that mean nothing before a press", "lasso.html"},
		{"small things on a large canvas that stands still", "tiles.html"},
		{"the word that is shown must be typed", "dictation.html"},
		{"keys that only a field with the focus hears", "focus.html"},
		{"things to click that float by", "float.html"},
		{"instructions that come late over a game", "briefing.html"},
		{"one tap keeps it alive, and nothing begins it again", "spikes.html"},
		{"a tale in the document before a canvas is shown", "prologue.html"},
		{"a board with settings that can ruin it", "settings.html"},
		{"buttons that rest after each use", "rest.html"},
		{"a board that draws only when it is touched and is soon used up", "thaw.html"},
		{"a key that ends the game in the dark", "quit.html"},
		{"questions after a form, answers where its fields were", "quiz.html"},
		{"things without words that are gone when they are hit", "fruit.html"},
		{"an end that is a picture with a button", "picture.html"},
		{"pages without words, and black between them", "black.html"},
	} {
		t.Run(tt.kind+", healthy", func(t *testing.T) {
			turn(t, i)
			rec, report := play(ctx, t, b, server.URL+"/"+tt.page)
			if report.Status != record.Pass {
				t.Errorf("%s (%s), start %+v, trials %+v", report.Status, report.Summary, rec.Explore.Start, rec.Explore.Trials)
			}
		})
		t.Run(tt.kind+", dead", func(t *testing.T) {
			turn(t, i)
			rec, report := play(ctx, t, b, server.URL+"/dead/"+tt.page)
			if report.Status == record.Pass {
				t.Errorf("passed (%s), trials %+v", report.Summary, rec.Explore.Trials)
			}
		})
	}
}

// odd serves the games, below /dead without what listens to the player.
func odd(w http.ResponseWriter, r *http.Request) {
	page, err := os.ReadFile(filepath.Join("testdata", "odd", path.Base(r.URL.Path)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if path.Dir(r.URL.Path) == "/dead" {
		page, _, _ = bytes.Cut(page, []byte(`<script id="input">`))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // to the browser under test
}

// launch starts a browser for a test that plays whole games.
func launch(ctx context.Context, t *testing.T) *browser.Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("plays games")
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatalf("these tests need a Chromium (Debian: apt-get install chromium): %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
