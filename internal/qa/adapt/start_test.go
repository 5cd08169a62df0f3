package adapt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/explore"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// changes makes a gesture and compares the headings before and after.
func changes(t *testing.T, g *game.Game) explore.Try {
	heading := func(ctx context.Context) string {
		var s string
		if err := g.Page.Evaluate(ctx, "document.querySelector('h1').textContent", &s); err != nil {
			t.Error(err)
		}
		return s
	}
	return func(ctx context.Context, _ string, do func(context.Context) error) (string, error) {
		before := heading(ctx)
		if err := do(ctx); err != nil {
			return "", err
		}
		if after := heading(ctx); after != before {
			return "the heading says " + after, nil
		}
		return "", nil
	}
}

// finder answers act's question with the line that has the text, once it is
// asked for the n-th time; before, with the heading.
func finder(t *testing.T, text string, from int) *modeltest.Fake {
	return modeltest.NewFake("stand-in/reader", nil, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
		id := ""
		for line := range strings.Lines(req.Messages[0].Text()) {
			want := "heading"
			if n >= from {
				want = text
			}
			if strings.Contains(line, want) {
				id, _, _ = strings.Cut(strings.TrimSpace(line), " ")
			}
		}
		data, err := json.Marshal(map[string]any{"found": true, "elementId": id, "description": text, "method": "click", "arguments": []string{}, "twoStep": false, "part": 0})
		if err != nil {
			t.Error(err)
		}
		return modeltest.Say(string(data), model.Usage{}), nil
	})
}

func TestStartByWords(t *testing.T) {
	tests := []struct {
		name     string
		model    model.Model
		attempts int
		effect   bool
		fails    error
	}{
		{"at the first phrasing", finder(t, "πάνω", 1), 1, true, nil},
		{"at the third", finder(t, "πάνω", 3), 3, true, nil},
		{"at none of the four", finder(t, "πάνω", 99), 4, false, nil},
		{"without a model", modeltest.NewFake("stand-in/none", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
			return nil, &model.Error{Kind: model.ErrAuth, Model: "stand-in/none"}
		}), 1, false, model.ErrAuth},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, "stairs")
			list, err := adapt.StartByWords(testContext(t), g, tt.model, changes(t, g))
			if !errors.Is(err, tt.fails) {
				t.Fatalf("the error is %v, want %v", err, tt.fails)
			}
			if len(list) != tt.attempts {
				t.Fatalf("%d attempts, want %d: %+v", len(list), tt.attempts, list)
			}
			last := list[len(list)-1]
			if last.Effect != tt.effect || last.Tier != adapt.TierWords || tt.effect && last.Proof == "" {
				t.Errorf("the last attempt is %+v, want an effect: %v", last, tt.effect)
			}
		})
	}
}

func TestStartBySight(t *testing.T) {
	const there, nowhere = `"action":"click","x":80,"y":100`, `"action":"click","x":700,"y":500`
	tests := []struct {
		name     string
		reply    string
		attempts []bool // their effects
		fails    bool
	}{
		{"the first choice", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9}`, there), []bool{true}, false},
		{"an alternative", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9,"alternatives":[{"action":"keypress","key":"Enter","reasoning":"r","confidence":0.8},{%s,"reasoning":"r","confidence":0.6}]}`, nowhere, there), []bool{false, false, true}, false},
		{"an alternative that is half sure", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9,"alternatives":[{%s,"reasoning":"r","confidence":0.5}]}`, nowhere, there), []bool{false}, false},
		{"impossible choices", fmt.Sprintf(`{"action":"keypress","key":"Go","reasoning":"r","confidence":0.9,"alternatives":[{"action":"click","x":9000,"y":1,"reasoning":"r","confidence":0.9},{"action":"click","reasoning":"r","confidence":0.9},{"action":"sing","reasoning":"r","confidence":0.9},{%s,"reasoning":"r","confidence":0.7}]}`, there), []bool{true}, false},
		{"already running", `{"action":"none","reasoning":"it runs","confidence":0.9}`, nil, false},
		{"nonsense", `hm`, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, "stairs")
			list, err := adapt.StartBySight(testContext(t), g, says(tt.reply), changes(t, g))
			if (err != nil) != tt.fails {
				t.Fatalf("the error is %v, want one: %v", err, tt.fails)
			}
			var got []bool
			for _, a := range list {
				got = append(got, a.Effect)
				if a.Tier != adapt.TierSight {
					t.Errorf("the tier is %s", a.Tier)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.attempts) {
				t.Errorf("the effects are %v, want %v: %+v", got, tt.attempts, list)
			}
		})
	}
}

// What started a game is remembered, and found again by its label.
func TestKnownStarts(t *testing.T) {
	t.Parallel()
	book := knowledge.Open(&knowledge.Ram{}, nil)
	g := serve(t, "stairs")
	try := changes(t, g)
	list, err := adapt.StartBySight(testContext(t), g, says(`{"action":"click","x":80,"y":100,"reasoning":"r","confidence":0.9}`), try)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d attempts (%v)", len(list), err)
	}
	g.Record.Explore.Start.Attempts = list
	if _, err := adapt.Play(testContext(t), g, &adapt.Options{Book: book, MaxActions: 1}); err != nil {
		t.Fatal(err)
	}
	again := serve(t, "stairs")
	memory, err := adapt.Recollect(testContext(t), again, book)
	if err != nil {
		t.Fatal(err)
	}
	known, err := memory.Starts(testContext(t), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(known) != 1 || known[0].Kind != game.Click || !strings.Contains(known[0].Why, "worked 1 of 1") {
		t.Fatalf("the known starts are %+v, want the click", known)
	}
	if err := again.Do(testContext(t), known[0], 0); err != nil {
		t.Fatal(err)
	}
	var heading string
	if err := again.Page.Evaluate(testContext(t), "document.querySelector('h1').textContent", &heading); err != nil || heading != "Αυλή δύο" {
		t.Errorf("after the known start the heading is %q (%v)", heading, err)
	}
}
