package game_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/record"
)

// What goes wrong in the page, and what is decided about it, is told once and as it comes.
func TestTroublesAreTold(t *testing.T) {
	var told []string
	opts := game.Options{Emit: func(e record.Event) {
		if e.Kind == record.EventConsole || e.Kind == record.EventNetwork || e.Kind == record.EventDecision {
			told = append(told, e.Kind+" "+e.Message)
		}
	}}
	ctx, g := gametest.Open(t, shared, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><script src="lost.js?key=secret"></script><script>console.log("fine"); console.error("oh dear"); throw new Error("ah")</script>`)
	}), nil, opts)
	if _, err := g.Navigate(ctx, g.Record.Target.URL); err != nil {
		t.Fatal(err)
	}
	if err := g.Page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		g.Screenshot(ctx, record.StageInitialLoad, "initial", "")
	}
	g.Decide("wait", "it is broken", 1)
	want := []string{"console Error: ah", "console oh dear", "network " + g.Record.Target.URL + "lost.js: status 404", "decision wait: it is broken"}
	for i, text := range told {
		told[i] = strings.Replace(text, "Uncaught ", "", 1)
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, not %q", told, want)
	}
}
