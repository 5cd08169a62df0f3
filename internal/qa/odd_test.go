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

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

var everyPage = flag.Bool("pages.all", false, "play every odd game and every hostile page, not a handful of them")

// TestOddGames plays small games of awkward kinds, and their twins without the
// script that listens to the player.
func TestOddGames(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.HandlerFunc(odd))
	defer server.Close()

	for _, tt := range []struct {
		kind, page string
		everyday   bool
	}{
		{"over in two seconds when left alone, without a word", "brief.html", false},
		{"hold to accelerate", "throttle.html", false},
		{"paused by blur", "blur.html", false},
		{"plays itself until it is started", "attract.html", false},
		{"any key does, the event is not read", "flap.html", true},
		{"double click", "double.html", false},
		{"a countdown in which keys do nothing", "countdown.html", false},
		{"painted by a worker", "worker.html", false},
		{"rules in WebAssembly", "wasm.html", false},
		{"keys looked up in a table", "table.html", false},
		{"a menu with keys of its own", "scenes.html", false},
		{"a ball that moves once it is served", "serve.html", false},
		{"a start that waits for a choice", "choice.html", false},
		{"a start that cannot be pressed before two choices", "locked.html", false},
		{"one wrong tap ends a round", "wrong.html", false},
		{"confetti over a game of buttons", "confetti.html", false},
		{"links to pages that are not there", "links.html", false},
		{"tiles that only go onto the gap", "slide.html", false},
		{"a board on which most clicks are refused", "draughts.html", false},
		{"a small canvas that is only dragged on", "corner.html", false},
		{"a first screen without words that one key leaves", "wordless.html", false},
		{"moves are ignored until something is held", "pipes.html", false},
		{"a story that turns its page at any click", "story.html", false},
		{"a press that counts only on the beat", "beat.html", false},
		{"targets that crawl on", "crawl.html", false},
		{"a start that wants names", "named.html", false},
		{"a room that asks where it was clicked", "room.html", false},
		{"moves that mean nothing before a press", "lasso.html", false},
		{"small things on a large canvas that stands still", "tiles.html", false},
		{"the word that is shown must be typed", "dictation.html", false},
		{"keys that only a field with the focus hears", "focus.html", false},
		{"things to click that float by", "float.html", false},
		{"instructions that come late over a game", "briefing.html", false},
		{"one tap keeps it alive, and nothing begins it again", "spikes.html", false},
		{"a tale in the document before a canvas is shown", "prologue.html", false},
		{"a board with settings that can ruin it", "settings.html", false},
		{"buttons that rest after each use", "rest.html", false},
		{"a board that draws only when it is touched and is soon used up", "thaw.html", false},
		{"a key that ends the game in the dark", "quit.html", false},
		{"questions after a form, answers where its fields were", "quiz.html", false},
		{"things without words that are gone when they are hit", "fruit.html", false},
		{"an end that is a picture with a button", "picture.html", false},
		{"pages without words, and black between them", "black.html", false},
	} {
		if !tt.everyday && !*everyPage {
			continue
		}
		t.Run(tt.kind+", healthy", func(t *testing.T) {
			rec, report := play(ctx, t, b, server.URL+"/"+tt.page)
			if report.Status != record.Pass {
				t.Errorf("%s (%s), start %+v, trials %+v", report.Status, report.Summary, rec.Explore.Start, rec.Explore.Trials)
			}
		})
		t.Run(tt.kind+", dead", func(t *testing.T) {
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
