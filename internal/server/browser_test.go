package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

// What a game says is shown and never run, on every page that shows it, and no
// page breaks the policy that it comes with. A run that ends while somebody looks
// shows its verdict without being asked for again.
func TestTheDashboardInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a Chromium")
	}
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	hostile := `http://games.example/"><img src=x onerror=alert(1)>/<script>alert(2)</script>`
	const evil = `<img src=x onerror="alert(3)"><script>alert(4)</script>`
	var submitted server.Submitted
	body, err := json.Marshal(map[string]any{"url": hostile, "metadata": map[string]any{"title": evil}})
	if err != nil {
		t.Fatal(err)
	}
	r.ask(t, "POST", "/api/runs", string(body)).decode(t, &submitted)
	first := submitted.ID
	r.play(t, record.Pass, 90, func(rep *record.Report) {
		at := rep.Timestamp.Add(-time.Second)
		rep.Help = evil
		rep.Checks[0].Reason, rep.Checks[0].Cause = evil, evil
		rep.Metrics[0].Justification = evil
		rep.Issues = []record.Issue{{Severity: record.Major, Description: evil, Evidence: evil}}
		rep.Controls[0].Control.Description, rep.Controls[0].Control.Keys, rep.Controls[0].Trial.Reason = evil, []string{evil}, evil
		rep.Controls[0].Trial.After = rep.Screenshots[0].Path
		rep.Screenshots[0].Note = evil
		rep.Metadata.GameType, rep.Metadata.Engine.Name, rep.Metadata.Environment.Browser = evil, evil, evil
		rep.Metadata.ConsoleErrors = []record.ConsoleError{{Time: at, Level: record.LevelError, Text: evil, Count: 1}}
		rep.Metadata.ActionHistory = []record.ReportedAction{{Time: at, Kind: "keypress", Target: evil, Reasoning: evil, Success: true}}
	})
	second := r.submit(t, store.DefaultProject, hostile)
	r.play(t, record.Fail, 30)

	p := newPage(t, ctx)
	see := func(path, selector string) {
		t.Helper()
		if _, err := p.Navigate(ctx, r.URL+path, nil); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := p.WaitForSelector(ctx, selector); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for _, tt := range [][2]string{
		{"/", ".hero"}, {"/runs", ".run"}, {"/runs/" + first, ".ring"}, {"/games", ".tile"}, {"/settings", ".facts"}, {"/login", "form"}, {"/nowhere", ".empty"},
		{fmt.Sprintf("/compare?a=%s&b=%s", first, second), ".bars"}, {"/runs?search=nothing", ".empty"},
	} {
		see(tt[0], tt[1])
	}
	see("/runs/"+first, "h1")
	if text, err := p.Locator("h1").Text(ctx); err != nil || text != "It <script>alert(1)</script> works." {
		t.Errorf("the verdict is shown as %q, %v", text, err)
	}

	if err := p.WaitForText(ctx, evil); err != nil {
		t.Errorf("what the game logged is not shown as it is: %v", err)
	}
	for _, path := range []string{"/runs/" + first, fmt.Sprintf("/compare?a=%s&b=%s", first, second)} {
		see(path, ".bars")
		var markup int
		if err := p.Evaluate(ctx, `document.querySelectorAll("[onerror], main script, img[src=x]").length`, &markup); err != nil || markup != 0 {
			t.Errorf("%s: %d elements are a game's own, %v", path, markup, err)
		}
	}

	id := r.submit(t, store.DefaultProject, "http://games.example/live/")
	see("/runs/"+id, ".phases")
	run, tell := r.begin(t)
	tell(record.EventPhase, "<b>opening</b> it")
	if err := p.WaitForText(ctx, "<b>opening</b> it"); err != nil {
		t.Error(err)
	}
	lease := store.Lease{RunID: run.ID, Number: run.Lease}
	if err := r.db.AddEvents(ctx, lease, []record.Event{{Time: time.Now(), RunID: run.ID, Kind: record.EventScreen, Message: `click "<i>Start</i>" at 1,2`, Done: 0, Total: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := p.WaitForSelector(ctx, ".graph image, .graph path.tip"); err != nil {
		t.Error(err)
	}
	// The page has asked for pictures by now: a mark is there before the first answer.
	img, err := png.Decode(bytes.NewReader(picture()))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	if err := jpeg.Encode(&small, img, nil); err != nil {
		t.Fatal(err)
	}
	for wanted := false; !wanted; {
		if wanted, err = r.db.GlimpsesWanted(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	glimpse := &record.Glimpse{Time: time.Now(), Stepped: true, Width: 1280, Height: 720, Pointer: record.Point{X: 100, Y: 90}, Presses: []record.Point{{X: 640, Y: 360}}, Keys: []string{"<b>KeyA</b>", "ArrowLeft"}, JPEG: small.Bytes()}
	if err := r.db.PutGlimpse(ctx, lease, glimpse); err != nil {
		t.Fatal(err)
	}
	for _, selector := range []string{".stage .marks .cursor", ".stage .marks .pointer", ".stage .marks kbd"} {
		if err := p.WaitForSelector(ctx, selector); err != nil {
			t.Errorf("%s: %v", selector, err)
		}
	}
	if text, err := p.Locator(".stage .marks").Text(ctx); err != nil || strings.Join(strings.Fields(text), " ") != "<b>KeyA</b> ←" {
		t.Errorf("the keys are shown as %q, %v", text, err)
	}
	r.end(t, run)
	if err := p.WaitForSelector(ctx, ".ring"); err != nil {
		t.Error(err)
	}
	for _, d := range p.Log().Dialogs() {
		t.Errorf("a script of a game ran: %+v", d)
	}
	for _, e := range p.Log().Exceptions() {
		t.Errorf("%+v", e)
	}
	for _, e := range p.Log().Entries() {
		if strings.Contains(e.Text, "Content Security Policy") {
			t.Errorf("%+v", e)
		}
	}
}

// Somebody who has never been here submits a game, watches it, reads the verdict, plays it
// again and compares both, with what is on the pages and nothing else.
func TestFromTheFirstPageToAComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a Chromium")
	}
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	st, err := stage.Open(ctx, r.URL+"/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	do := func(method, selector string, arguments ...string) {
		t.Helper()
		if _, err := st.Perform(ctx, stage.Action{Method: method, Selector: selector, Arguments: arguments}, nil); err != nil {
			t.Fatalf("%s %s: %v", method, selector, err)
		}
	}
	says := func(words ...string) {
		t.Helper()
		for _, w := range words {
			if err := st.Page().WaitForText(ctx, w); err != nil {
				t.Fatalf("%q: %v", w, err)
			}
		}
	}
	reads := func(words ...string) {
		t.Helper()
		text, err := st.Text(ctx)
		for _, w := range words {
			if err != nil || !strings.Contains(text, w) {
				t.Errorf("%q is not read out of the page, %v:\n%s", w, err, text)
			}
		}
	}
	says("Does the game work?")
	do(stage.Fill, "#url", "no address")
	do(stage.Click, `role=button[name="Play it"]`)
	says("has no scheme")
	do(stage.Fill, "#url", "http://games.example/ridge/")
	do(stage.Click, `role=button[name="Play it"]`)
	says("It waits for its turn.")

	run, tell := r.begin(t)
	tell(record.EventPhase, "opening the page")
	tell(record.EventControl, "left: the game answers")
	tell(record.EventDecision, "press ArrowLeft: it is listened to")
	tell(record.EventNetwork, "music.ogg: 404")
	says("It is being played.", "opening the page", "1 proven", "press ArrowLeft: it is listened to", "music.ogg: 404")
	r.end(t, run)
	if err := st.Page().WaitForSelector(ctx, ".ring"); err != nil {
		t.Fatal(err)
	}
	reads("It <script>alert(1)</script> works.", "Five metrics", "It loaded.")

	do(stage.Click, `role=button[name="Play again"]`)
	says("It waits for its turn.")
	r.play(t, record.Fail, 30)
	says("Broken")
	do(stage.Click, `role=link[name="History"]`)
	says("It has been broken since")
	do(stage.Click, `role=link[name="Compare the last two"]`)
	says("Two runs of ridge")
	reads("90 → 30")
}

// A pointer or a key is drawn only over the picture of which the report says that it
// belongs there, and where it was on the page, whatever the shape of the page. Clicks that
// came before a picture of a twin are none of its.
func TestMarksAreDrawnOverTheirOwnPicture(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a Chromium")
	}
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://games.example/")
	r.play(t, record.Pass, 90, func(rep *record.Report) {
		began := rep.Timestamp
		at := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
		rep.Screenshots = nil
		for i, name := range []string{"initial-load", "without", "with", "with-key", "after-click", "agent", "after-key", "final-state"} {
			rep.Screenshots = append(rep.Screenshots, record.Screenshot{Stage: name, Path: "screenshots/20261115T080000-phase3-" + name + ".png", Time: at(10 * float64(i))})
		}
		path := func(i int) string { return rep.Screenshots[i].Path }
		rep.Metadata.Environment.Width, rep.Metadata.Environment.Height = 720, 720
		rep.Controls = []record.ControlResult{
			{Control: record.Control{ID: "click:play", Type: record.ControlClick, Box: &record.Rect{X: 350, Y: 170, Width: 20, Height: 20}, Description: "play"}, Trial: record.Trial{Outcome: record.Responsive, Before: path(1), After: path(2)}},
			{Control: record.Control{ID: "key:KeyW", Type: record.ControlKey, Keys: []string{"KeyW"}, Description: "jump"}, Trial: record.Trial{Outcome: record.Responsive, Before: path(1), After: path(3)}},
		}
		rep.Metadata.ActionHistory = []record.ReportedAction{
			{Time: at(5), Kind: "click", Target: `click "Begin" at 640,394`, Success: true},
			{Time: at(39), Kind: "click", Target: `click "Go" at 540,540`, Success: true, Picture: path(4)},
			{Time: at(49), Kind: "click", Target: "at 180,360", Success: true, Picture: path(5)},
			{Time: at(59), Kind: "keypress", Target: "keypress ArrowLeft", Success: true, Picture: path(6)},
			{Time: at(65), Kind: "click", Target: `click "Again" at 640,394`, Success: true},
		}
	})
	p := newPage(t, ctx)
	if _, err := p.Navigate(ctx, r.URL+"/runs/"+id, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.WaitForSelector(ctx, "input[type=range]"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		First int
		Marks []string
	}
	if err := p.Evaluate(ctx, `(() => {
		const slider = document.querySelector("input[type=range]"), first = Number(slider.value);
		const mark = i => {
			slider.value = i;
			slider.dispatchEvent(new Event("input"));
			return [...document.querySelectorAll(".stage .pointer, .stage kbd")].map(m => m.style.left ? parseFloat(m.style.left) + " " + parseFloat(m.style.top) : m.textContent).join();
		};
		return { first, marks: Array.from({ length: Number(slider.max) + 1 }, (_, i) => mark(i)) };
	})()`, &got); err != nil {
		t.Fatal(err)
	}
	// The page is square and the stage 16 by 9: half of the page is 28.125 % of the stage.
	want := []string{"", "", "50 25", "W", "64.0625 75", "35.9375 50", "←", ""}
	if !slices.Equal(got.Marks, want) {
		t.Errorf("drawn is %q, not %q", got.Marks, want)
	}
	if got.First != 6 {
		t.Errorf("the picture shown first is %d, not the last with a mark", got.First)
	}
}

// newPage opens a page in a browser of its own.
func newPage(t *testing.T, ctx context.Context) *browser.Page {
	t.Helper()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // the test is over
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
