package adapt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// pointer answers observe's question with the lines that have the texts.
func pointer(t *testing.T, texts ...string) *modeltest.Fake {
	return modeltest.NewFake("stand-in/reader", nil, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		elements := []map[string]any{}
		for _, text := range texts {
			for line := range strings.Lines(req.Messages[0].Text()) {
				if strings.Contains(line, text) {
					id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
					elements = append(elements, map[string]any{"elementId": id, "description": text, "method": "click", "arguments": []string{}})
				}
			}
		}
		data, err := json.Marshal(map[string]any{"elements": elements, "part": 0})
		if err != nil {
			t.Error(err)
		}
		return modeltest.Say(string(data), model.Usage{}), nil
	})
}

// heading is what the page says after an input.
func heading(t *testing.T, g *game.Game, in record.Input) (text string) {
	t.Helper()
	ctx := testContext(t)
	err := g.Page.Mouse().Click(ctx, in.At.X, in.At.Y, nil)
	if in.Key != "" {
		err = g.Page.Keyboard().Press(ctx, in.Key, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Page.Evaluate(ctx, "document.querySelector('h1').textContent", &text); err != nil {
		t.Fatal(err)
	}
	return text
}

const upstairs, downstairs = "Αυλή δύο", "Σκαλί ένα"

func TestStartsByWords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  model.Model
		starts int
		fails  error
	}{
		{"what it names", pointer(t, "πάνω"), 1, nil},
		{"nothing", pointer(t), 0, nil},
		{"something that is not there", pointer(t, "κάτω από"), 0, nil},
		{"without a model", modeltest.NewFake("stand-in/none", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
			return nil, &model.Error{Kind: model.ErrAuth, Model: "stand-in/none"}
		}), 0, model.ErrAuth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, "stairs")
			list, err := adapt.StartsByWords(testContext(t), g, tt.model)
			if !errors.Is(err, tt.fails) || len(list) != tt.starts {
				t.Fatalf("%v (%v), want %d and %v", list, err, tt.starts, tt.fails)
			}
			if tt.starts > 0 {
				if h := heading(t, g, list[0]); h != upstairs {
					t.Errorf("%s leads to %q", list[0], h)
				}
			}
		})
	}
}

func TestStartsBySight(t *testing.T) {
	const there, nowhere = `"action":"click","x":80,"y":100`, `"action":"click","x":700,"y":500`
	for _, tt := range []struct {
		name  string
		reply string
		want  []string // what the heading says after each
		fails bool
	}{
		{"the first choice", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9}`, there), []string{upstairs}, false},
		{"an alternative", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9,"alternatives":[{"action":"keypress","key":"Enter","reasoning":"r","confidence":0.8},{%s,"reasoning":"r","confidence":0.6}]}`, nowhere, there), []string{downstairs, downstairs, upstairs}, false},
		{"an alternative that is half sure", fmt.Sprintf(`{%s,"reasoning":"r","confidence":0.9,"alternatives":[{%s,"reasoning":"r","confidence":0.5}]}`, nowhere, there), []string{downstairs}, false},
		{"impossible choices", fmt.Sprintf(`{"action":"keypress","key":"Go","reasoning":"r","confidence":0.9,"alternatives":[{"action":"click","x":9000,"y":1,"reasoning":"r","confidence":0.9},{"action":"click","reasoning":"r","confidence":0.9},{"action":"sing","reasoning":"r","confidence":0.9},{%s,"reasoning":"r","confidence":0.7}]}`, there), []string{upstairs}, false},
		{"already running", `{"action":"none","reasoning":"it runs","confidence":0.9}`, nil, false},
		{"nonsense", `hm`, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, "stairs")
			list, err := adapt.StartsBySight(testContext(t), g, says(tt.reply))
			if (err != nil) != tt.fails || len(list) != len(tt.want) {
				t.Fatalf("%v (%v), want %d inputs and an error: %v", list, err, len(tt.want), tt.fails)
			}
			for i, in := range list {
				if h := heading(t, g, in); h != tt.want[i] {
					t.Errorf("%s leads to %q, want %q", in, h, tt.want[i])
				}
			}
		})
	}
}

// What started a game is remembered, and found again by its label.
func TestKnownStarts(t *testing.T) {
	t.Parallel()
	book := knowledge.Open(&knowledge.Ram{}, nil)
	g := serve(t, "stairs")
	list, err := adapt.StartsByWords(testContext(t), g, pointer(t, "πάνω"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d proposals (%v)", len(list), err)
	}
	g.Record.Explore.Start.Attempts = []record.StartAttempt{{Gesture: list[0].String(), Tier: adapt.TierWords, Effect: true}}
	if _, err := adapt.Play(testContext(t), g, &adapt.Options{Book: book, MaxActions: 1}); err != nil {
		t.Fatal(err)
	}
	again := serve(t, "stairs")
	memory, err := adapt.Recollect(testContext(t), again, book)
	if err != nil {
		t.Fatal(err)
	}
	known, err := memory.Starts(testContext(t))
	if err != nil || len(known) != 1 {
		t.Fatalf("the known starts are %v (%v), want the click", known, err)
	}
	if h := heading(t, again, known[0]); h != upstairs {
		t.Errorf("after the known start the heading is %q", h)
	}
}
