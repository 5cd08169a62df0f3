package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Whoever asks for pictures gets them, and nobody else; the worker is told that somebody
// watches, through the database, wherever it is.
func TestPicturesAreForThoseWhoAskForThem(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	run, tell := r.begin(t)
	lease := store.Lease{RunID: run.ID, Number: run.Lease}
	put := func(key string) {
		t.Helper()
		if err := r.db.PutGlimpse(ctx, lease, &record.Glimpse{Width: 1280, Height: 720, Keys: []string{key}, JPEG: []byte("a picture")}); err != nil {
			t.Fatal(err)
		}
	}
	blind := r.dial(t, ctx, "/api/runs/"+id+"/live", nil)
	read(t, ctx, blind)
	tell(record.EventPhase, "one")
	if m := read(t, ctx, blind); m.Type != "event" && m.Type != "run" {
		t.Fatalf("told %+v", m)
	}
	if wanted, err := r.db.GlimpsesWanted(ctx, id); err != nil || wanted {
		t.Fatalf("pictures are wanted though nobody asked: %v, %v", wanted, err)
	}

	seeing := r.dial(t, ctx, "/api/runs/"+id+"/live?pictures=1", nil)
	for {
		wanted, err := r.db.GlimpsesWanted(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if wanted {
			break
		}
	}
	put("KeyA")
	var g record.Glimpse
	for g.Keys == nil {
		if m := read(t, ctx, seeing); m.Type == "picture" {
			if err := json.Unmarshal(m.Picture, &g); err != nil {
				t.Fatal(err)
			}
		}
	}
	if g.Keys[0] != "KeyA" || string(g.JPEG) != "a picture" || g.Width != 1280 {
		t.Errorf("saw %+v", g)
	}
	late := r.dial(t, ctx, "/api/runs/"+id+"/live?pictures=1", nil)
	read(t, ctx, late)
	for read(t, ctx, late).Type != "picture" { // the newest, without waiting for another
	}
	r.end(t, run)
	for {
		m := read(t, ctx, blind)
		if m.Type == "picture" {
			t.Fatal("a picture for somebody who did not ask")
		}
		if m.Type == "run" && m.Run.Status.Ended() {
			break
		}
	}
}

func TestScreensAreAGraph(t *testing.T) {
	r := local(t)
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	run, _ := r.begin(t)
	rec, rep := sample(id, run.URL, record.Pass, 90)
	click := func(label string) record.Input { return record.Input{Kind: record.InputClick, Label: label} }
	start, more := record.Step{Frame: 10, Input: click("Start")}, record.Step{Frame: 90, Input: click("More")}
	saw := func(from, to, pixels int, label string) record.Observation {
		return record.Observation{Stage: "search", Input: click(label), From: from, To: to, Pixels: pixels, Before: "screenshots/before.png", After: fmt.Sprintf("screenshots/after-%d.png", to)}
	}
	rec.Twins = &record.TwinRecord{
		Screens:      []record.Screen{{ID: 0, Offers: 3, Tried: 2}, {ID: 1, Offers: 9, Tried: 4, Prefix: []record.Step{start}}, {ID: 2, Prefix: []record.Step{start, more}}, {ID: 3, Prefix: []record.Step{start, more}}},
		Observations: []record.Observation{saw(0, 0, 0, "Nothing"), saw(0, 1, 5000, "Start"), saw(0, 1, 5000, "Start"), saw(1, 1, 900, "More"), saw(7, 1, 900, "From nowhere")},
	}
	update(t, r.db, func(tx *store.Tx) error {
		return tx.Finish(t.Context(), store.Lease{RunID: run.ID, Number: run.Lease}, store.Completed, store.Result{Record: rec, Report: rep})
	})
	a := r.ask(t, "GET", "/api/runs/"+id+"/screens", "")
	want := `{"screens":[{"id":0,"offers":3,"tried":2,"answers":0,"picture":"screenshots/before.png"},` +
		`{"id":1,"offers":9,"tried":4,"answers":1,"picture":"screenshots/after-1.png"},{"id":2,"offers":0,"tried":0,"answers":0},{"id":3,"offers":0,"tried":0,"answers":0}],` +
		`"moves":[{"from":0,"to":1,"input":"click \"Start\" at 0,0"},{"from":1,"to":2,"input":"click \"More\" at 0,0"},{"from":2,"to":3,"input":"time passes"}]}` + "\n"
	if a.StatusCode != 200 || string(a.body) != want {
		t.Errorf("%d\n%s\nwant\n%s", a.StatusCode, a.body, want)
	}
}
