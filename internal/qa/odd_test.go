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
	"github.com/playtest-dev/playtest/internal/daily"
	"github.com/playtest-dev/playtest/record"
)

var everyPage = flag.Bool("pages.all", false, "play every odd game and every hostile page, not today's tenth of them")

// pageDays is within how many days each page is played once.
const pageDays = 10

// turn skips a test whose page is not played today, by its place in the list.
func turn(t *testing.T, i int) {
	t.Helper()
	every(t, pageDays, i)
}

// every skips a test that is run every few days, by its place in the list.
func every(t *testing.T, days, i int) {
	t.Helper()
	daily.Turn(t, days, i, *everyPage)
}

// TestOddGames plays small games of awkward kinds, and their twins without the
// script that listens to the player.
func TestOddGames(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.HandlerFunc(odd))
	defer server.Close()

	for i, tt := range []struct {
		kind, page string
		// known is what the engine says today of the healthy game where that is wrong, and
		// knownDead of the dead one.
		known, knownDead string
	}{
		{kind: "over in two seconds when left alone, without a word", page: "brief.html"},
		{kind: "hold to accelerate", page: "throttle.html"},
		{kind: "paused by blur", page: "blur.html"},
		{kind: "plays itself until it is started", page: "attract.html"},
		{kind: "any key does, the event is not read", page: "flap.html"},
		{kind: "double click", page: "double.html"},
		{kind: "a countdown in which keys do nothing", page: "countdown.html"},
		{kind: "painted by a worker", page: "worker.html"},
		{kind: "rules in WebAssembly", page: "wasm.html"},
		{kind: "keys looked up in a table", page: "table.html"},
		{kind: "a menu with keys of its own", page: "scenes.html"},
		{kind: "a ball that moves once it is served", page: "serve.html"},
		{kind: "a start that waits for a choice", page: "choice.html"},
		{kind: "a start that cannot be pressed before two choices", page: "locked.html", knownDead: "passes: two choices of two each look like a board"},
		{kind: "one wrong tap ends a round", page: "wrong.html"},
		{kind: "confetti over a game of buttons", page: "confetti.html"},
		{kind: "links to pages that are not there", page: "links.html"},
		{kind: "tiles that only go onto the gap", page: "slide.html"},
		{kind: "a board on which most clicks are refused", page: "draughts.html"},
		{kind: "a small canvas that is only dragged on", page: "corner.html"},
		{kind: "a first screen without words that one key leaves", page: "wordless.html"},
		{kind: "moves are ignored until something is held", page: "pipes.html"},
		{kind: "a story that turns its page at any click", page: "story.html"},
		{kind: "a press that counts only on the beat", page: "beat.html"},
		{kind: "targets that crawl on", page: "crawl.html"},
		{kind: "a start that wants names", page: "named.html"},
		{kind: "a room that asks where it was clicked", page: "room.html"},
		{kind: "moves that mean nothing before a press", page: "lasso.html"},
		{kind: "small things on a large canvas that stands still", page: "tiles.html"},
		{kind: "the word that is shown must be typed", page: "dictation.html"},
		{kind: "a cell of the board must be written", page: "cells.html"},
		{kind: "a press that shows nothing for a second", page: "deal.html"},
		{kind: "a dialog asks for a number", page: "asked.html"},
		{kind: "keys that only a field with the focus hears", page: "focus.html"},
		{kind: "things to click that float by", page: "float.html"},
		{kind: "instructions that come late over a game", page: "briefing.html"},
		{kind: "one tap keeps it alive, and nothing begins it again", page: "spikes.html"},
		{kind: "a tale in the document before a canvas is shown", page: "prologue.html"},
		{kind: "a board with settings that can ruin it", page: "settings.html"},
		{kind: "buttons that rest after each use", page: "rest.html"},
		{kind: "a board that draws only when it is touched and is soon used up", page: "thaw.html"},
		{kind: "a key that ends the game in the dark", page: "quit.html"},
		{kind: "questions after a form, answers where its fields were", page: "quiz.html"},
		{kind: "things without words that are gone when they are hit", page: "fruit.html", known: "undecided: three pieces of fruit are gone before the second try"},
		{kind: "an end that is a picture with a button", page: "picture.html"},
		{kind: "pages without words, and black between them", page: "black.html"},
		{kind: "a dialog asks for a number while the page loads", page: "numbered.html"},
		{kind: "two loops that tell the player and load the page again", page: "lost.html"},
		{kind: "squares that answer once a piece is chosen", page: "pieces.html"},
		{kind: "one draw of chance in which it hangs", page: "dice.html"},
		{kind: "a page that loads itself again whenever a round is lost", page: "tumble.html"},
		{kind: "an end that is a picture and nothing else", page: "wreck.html"},
		{kind: "a canvas that is cleared when the game is over", page: "cleared.html"},
		{kind: "an animated image that jumps, and is soon over", page: "terrier.html"},
		{kind: "begins where the pointer comes", page: "pointed.html"},
		{kind: "a button asks until a word is known", page: "rivers.html"},
		{kind: "played in dialogs while the page loads", page: "greeted.html"},
		{kind: "a canvas whose figure is below the window", page: "below.html"},
		{kind: "a page wider and higher than the window that is soon lost", page: "wide.html"},
		{kind: "chosen by a click and put by another", page: "towers.html"},
		{kind: "what is chosen first is not shown", page: "silent.html"},
		{kind: "a start that shows nothing, beside what ends the game", page: "stopped.html"},
		{kind: "a field that is emptied at every guess", page: "letters.html"},
		{kind: "a board of headings of which the last can be taken", page: "headings.html"},
		{kind: "a form whose button says what was not chosen", page: "form.html"},
		{kind: "a tale of short lines whose button comes back late", page: "tale.html"},
		{kind: "a question that is put anew after a dialog", page: "renewed.html"},
		{kind: "a key begins a run that is over in two seconds", page: "dash.html"},
		{kind: "a button beside the picture that ends the game for good", page: "halt.html"},
		{kind: "a start that waits for a sound to end", page: "sounded.html"},
		{kind: "a door that opens for those who have enlisted", page: "enlist.html"},
		{kind: "things that are dropped far away", page: "bowls.html"},
	} {
		t.Run(tt.kind+", healthy", func(t *testing.T) {
			if tt.known != "" {
				t.Skip("known: " + tt.known)
			}
			turn(t, i)
			rec, report := play(ctx, t, b, server.URL+"/"+tt.page)
			if report.Status != record.Pass {
				t.Errorf("%s (%s), start %+v, trials %+v", report.Status, report.Summary, rec.Explore.Start, rec.Explore.Trials)
			}
		})
		t.Run(tt.kind+", dead", func(t *testing.T) {
			turn(t, i)
			rec, report := play(ctx, t, b, server.URL+"/dead/"+tt.page)
			switch passed := report.Status == record.Pass; {
			case passed && tt.knownDead == "":
				t.Errorf("passed (%s), trials %+v", report.Summary, rec.Explore.Trials)
			case !passed && tt.knownDead != "":
				t.Errorf("%s (%s): this is mended, take it out of the table: %s", report.Status, report.Summary, tt.knownDead)
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
	b, err := browser.Launch(ctx, &browser.LaunchOptions{StillImages: true})
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
