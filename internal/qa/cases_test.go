package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// caseLimit is what a run of a case is given. Most need a tenth of it.
const caseLimit = 3 * time.Minute

// TestCases plays small games under the stepped clock, healthy ones that look
// suspicious and broken ones that look healthy. The machine has no emoji font.
func TestCases(t *testing.T) {
	ctx := context.Background()
	fonts, err := filepath.Abs("testdata/no-emoji.conf")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FONTCONFIG_FILE", fonts)
	b := launch(ctx, t)
	server := httptest.NewServer(cases())
	t.Cleanup(server.Close)

	for _, tt := range []struct {
		name, page string
		want       record.Verdict
		// check is the one that a broken game must fail, cause why; empty if several would do.
		check record.CheckName
		cause string
		// known is what the engine says today where that is wrong.
		known string
	}{
		{name: "choices in plain view", page: "dialogue.html", want: record.Pass},
		{name: "a link to a translation on another site", page: "translation.html", want: record.Pass},
		{name: "a canvas that is hidden until the menu is left", page: "racer.html", want: record.Pass},
		{name: "a function called sound", page: "soundings.html", want: record.Pass},
		{name: "emoji without a font", page: "emoji.html", want: record.Pass},
		{name: "it throws in every frame, at an address with cookie", page: "cookie/throws.html", want: record.Fail, check: record.GameStable, cause: "exceptions"},
		{name: "no board, but a dark mode", page: "sudoku.html", want: record.Fail,
			known: "undecided: only the switch has effects, which may be the way to a game that was not found"},
		{name: "no WebAssembly, but drags are listened to", page: "wasm.html", want: record.Fail},
		{name: "no puzzle, but a mode switch", page: "jigsaw.html", want: record.Fail,
			known: "undecided: only the modes have effects, which may be the way to a game that was not found"},
		{name: "moved off the screen", page: "offscreen.html", want: record.Fail, check: record.GameStable,
			known: "passes: the page without its canvas is another screen, so the controls count as ended by the round"},
		{name: "dead after five seconds of play", page: "dies.html", want: record.Fail, check: record.GameStable},
		{name: "it loads itself again and again", page: "reloads.html", want: record.Fail, check: record.GameStable, cause: "reload_loop",
			known: "passes: each load answers anew, and the loads of the minute of play are counted but not judged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.known != "" {
				t.Skip("known: " + tt.known)
			}
			t.Parallel()
			rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL + "/" + tt.page, Seed: 1, MaxDuration: caseLimit}, &qa.Options{Twins: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s after %.1f s: %s", report.Status, rec.Finished.Sub(rec.Started).Seconds(), report.Summary)
			if report.Status != tt.want {
				t.Errorf("%s, want %s: %+v", report.Status, tt.want, report.Checks)
			}
			if c := report.Check(tt.check); tt.check != "" && (c.State != record.Disproven || tt.cause != "" && c.Cause != tt.cause) {
				t.Errorf("%s is %s (%s), want it disproven by %q: %s", tt.check, c.State, c.Cause, tt.cause, c.Reason)
			}
		})
	}
}

// cases serves the pages, one also at an address that a word list may know.
func cases() http.Handler {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir("testdata/cases"))
	mux.Handle("/", files)
	mux.Handle("/cookie/", http.StripPrefix("/cookie", files))
	return mux
}
