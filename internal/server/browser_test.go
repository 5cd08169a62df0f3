package server_test

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
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
	first := r.submit(t, store.DefaultProject, hostile)
	r.play(t, record.Pass, 90)
	second := r.submit(t, store.DefaultProject, hostile)
	r.play(t, record.Fail, 30)

	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
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
