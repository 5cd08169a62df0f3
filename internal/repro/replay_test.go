package repro_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

// Replays tell what an input does on a page on which something moves by itself and
// by chance, each time the same, and shrinking finds the one input that it takes.
func TestReplay(t *testing.T) {
	b, err := browser.Launch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	srv := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(srv.Close)
	p := &repro.Player{URL: srv.URL + "/page.html", Open: func(ctx context.Context) (*browser.Context, error) {
		return b.NewContext(ctx, &browser.ContextOptions{Width: 800, Height: 450})
	}}
	press := func(id string) record.Input {
		return record.Input{Kind: record.InputClick, At: record.Point{X: 100, Y: 50}, Selector: "#" + id, Label: id}
	}
	claim := func(kind repro.Kind, input string, before ...string) *repro.Claim {
		c := &repro.Claim{Kind: kind, Window: record.Rect{Width: 800, Height: 450}, Frame: 300, Input: press(input)}
		for i, id := range before {
			c.Prefix = append(c.Prefix, record.Step{Frame: 60 + 20*i, Input: press(id)})
		}
		return c
	}
	thrown := claim(repro.Throws, "throws")
	thrown.Error = "TypeError: Cannot read properties of null (reading 'x')"
	for _, tt := range []struct {
		claim *repro.Claim
		same  bool
	}{
		{claim(repro.Works, "works"), true},
		{claim(repro.Dead, "dead"), true},
		{thrown, true},
		{claim(repro.Works, "locked"), false},
	} {
		o, err := p.Replay(t.Context(), tt.claim)
		if err != nil {
			t.Fatalf("%s: %v", tt.claim, err)
		}
		if o.Same(tt.claim) != tt.same {
			t.Errorf("%s: it is the same: %v, want %v: %s", tt.claim, !tt.same, tt.same, o)
		}
		if o.Noise != 0 {
			t.Errorf("%s: %d points differ by chance", tt.claim, o.Noise)
		}
	}
	long := claim(repro.Works, "locked", "dead", "works", "dead")
	short, err := repro.Shrink(t.Context(), long, func(ctx context.Context, c *repro.Claim) (bool, error) {
		o, err := p.Replay(ctx, c)
		return err == nil && o.Same(c), err
	})
	if err != nil || len(short.Prefix) != 1 || short.Prefix[0].Input.Label != "works" {
		t.Errorf("%v: %v", err, short)
	}
}
