package qa_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
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
	t.Cleanup(func() {
		server.CloseClientConnections() // one request has no answer
		server.Close()
	})

	for i, tt := range []struct {
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
		{name: "no board, but a dark mode", page: "sudoku.html", want: record.Fail},
		{name: "no WebAssembly, but drags are listened to", page: "wasm.html", want: record.Fail},
		{name: "no puzzle, but a mode switch", page: "jigsaw.html", want: record.Fail,
			known: "undecided: only the modes have effects, which may be the way to a game that was not found"},
		{name: "moved off the screen", page: "offscreen.html", want: record.Fail, check: record.GameStable},
		{name: "moved off the screen before it was tried", page: "adrift.html", want: record.Fail},
		{name: "a listener keeps the inputs from it", page: "withheld.html", want: record.Fail, check: record.GameStable, cause: "withheld"},
		{name: "dead after five seconds of play", page: "dies.html", want: record.Fail, check: record.GameStable},
		{name: "it loads itself again and again", page: "reloads.html", want: record.Fail, check: record.GameStable, cause: "reload_loop"},
		{name: "a start that only the picture shows", page: "painted.html", want: record.Pass},
		{name: "a round of four seconds that nothing begins again", page: "brief.html", want: record.Pass},

		{name: "it notices that its clock is stepped", page: "notices.html", want: record.Pass},
		{name: "it never rests", page: "restless.html", want: record.Pass},
		{name: "it never loads", page: "loading.html", want: record.Fail, check: record.GameLoaded, cause: "loading",
			known: "fails after two minutes by dead controls, and counts as loaded since the dots move"},
		{name: "it is different each time", page: "chance.html", want: record.Pass,
			known: "undecided: the twins differ in nearly every pixel, and the live page is not asked"},
		{name: "a dialog in every frame", page: "dialogs.html", want: record.Fail,
			known: "undecided after two minutes: each dialog costs time, and how many there were is not judged"},
		{name: "it needs sound", page: "beat.html", want: record.Pass},
		{name: "it needs a network that is not there", page: "offline.html", want: record.Fail, check: record.GameLoaded, cause: "script_failed"},
		{name: "40 frames a second", page: "pace.html?work=8000000", want: record.Pass,
			known: "undecided after three minutes on a busy machine: the twins draw every frame of a minute"},
		{name: "4 frames a second", page: "pace.html?work=80000000", want: record.Pass,
			known: "undecided on a busy machine: a step of the first frames takes longer than ten seconds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.known != "" {
				t.Skip("known: " + tt.known)
			}
			turn(t, i)
			t.Parallel()
			rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL + "/" + tt.page, Seed: 1, MaxDuration: caseLimit}, nil)
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

// cases serves the pages, one also at an address that a word list may know, and what
// some of them ask for: an answer that is another each time, and one that never comes.
func cases() http.Handler {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir("testdata/cases"))
	mux.Handle("/", files)
	mux.Handle("/cookie/", http.StripPrefix("/cookie", files))
	var lots atomic.Int64
	mux.HandleFunc("/chance", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, lots.Add(1)*7919) // to the browser under test
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return mux
}
