package qa_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// seer is a model that is shown the screen of a game and says what to do next. It
// knows of no start.
func seer(play func(ctx context.Context, turn int) (string, error)) *modeltest.Fake {
	turns := 0
	return modeltest.NewFake("test/seer", nil, func(ctx context.Context, _ int, req *model.Request) (*model.Response, error) {
		if req.Schema == nil || req.Schema.Name != "next_action" {
			return nil, &model.Error{Kind: model.ErrRefusal, Model: "test/seer"}
		}
		turns++
		text, err := play(ctx, turns)
		if err != nil {
			return nil, err
		}
		return modeltest.Say(text, model.Usage{Input: 1000, Output: 100}), nil
	})
}

// The indicators are watched while a model plays: what it reaches is met by nothing
// that comes before it, one of them is gone again before the end, and the last picture
// is that of the end.
func TestAdaptivePlayAchievesSomething(t *testing.T) {
	b := launch(t.Context(), t)
	server := httptest.NewServer(gametest.Page(chords))
	t.Cleanup(server.Close)
	m := seer(func(_ context.Context, turn int) (string, error) {
		if turn > 5 {
			return `{"seen":"s","action":"complete","reasoning":"it is built","confidence":95}`, nil
		}
		return `{"seen":"eight squares","action":"chord","keys":["KeyJ","KeyU"],"reasoning":"both at once","confidence":90}`, nil
	})
	rec, report, err := qa.Run(t.Context(), b, record.Target{
		URL: server.URL, Mode: record.ModeAdaptive, Seed: 1, Metadata: &metadata.Metadata{Genre: "puzzle", SuccessIndicators: []metadata.SuccessIndicator{
			{Type: metadata.SuccessElementVisible, Selector: "#won"}, {Type: metadata.SuccessElementVisible, Selector: "#two"}, {Type: metadata.SuccessScoreChange},
		}},
	}, &qa.Options{Model: m, Evidence: kept{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range report.Indicators {
		if !in.Met {
			t.Errorf("indicator %+v", in)
		}
	}
	a := rec.Explore.Achieved
	if report.Status != record.Pass || a == nil || a.By != record.ModeAdaptive || a.Effects != 5 || a.Indicators != 3 || len(report.Indicators) != 3 {
		t.Errorf("%s (%s), ended with %q, achieved %+v", report.Status, report.Summary, rec.Explore.Ended, a)
	}
	if why := report.Check(record.ControlsResponsive).Reason; !strings.Contains(why, "5 of 5 turns of adaptive play") {
		t.Errorf("the check says %q", why)
	}
	turns := 0
	for _, act := range rec.Actions {
		if act.Kind != "chord" {
			continue
		}
		turns++
		if act.Reasoning != "both at once" || act.Picture == "" || act.URL == "" {
			t.Errorf("a turn cannot be followed: %+v", act)
		}
	}
	if turns != 5 {
		t.Errorf("%d turns in the record: %+v", turns, rec.Actions)
	}
	if !slices.ContainsFunc(rec.Decisions, func(d record.Decision) bool { return d.Saw == "eight squares" }) {
		t.Errorf("what the model saw is not in the record: %+v", rec.Decisions)
	}
	endsWithItsLastPicture(t, rec)
}

// A model plays no longer than the metadata wants the game played, however long it
// thinks.
func TestModelsPlayAsLongAsTheMetadataSays(t *testing.T) {
	b := launch(t.Context(), t)
	server := httptest.NewServer(gametest.Page(chords))
	t.Cleanup(server.Close)
	thinks := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for i, tt := range []struct {
		mode  record.Mode
		model model.Model
		ended func(*record.Record) bool
	}{
		{record.ModeAdaptive, seer(func(ctx context.Context, _ int) (string, error) { return "", thinks(ctx) }), func(rec *record.Record) bool {
			return strings.Contains(rec.Explore.Ended, "the 1.5s of the loop were up")
		}},
		{record.ModeAgent, modeltest.NewFake("test/player", nil, func(ctx context.Context, _ int, _ *model.Request) (*model.Response, error) {
			return nil, thinks(ctx)
		}), func(rec *record.Record) bool {
			return rec.Explore.Agent != nil && rec.Explore.Agent.Stop == string(agent.TimeLimit)
		}},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			every(t, 2, i)
			t.Parallel()
			rec, _, err := qa.Run(t.Context(), b, record.Target{
				URL: server.URL, Mode: tt.mode, Seed: 1, Metadata: &metadata.Metadata{Genre: "puzzle", TestingStrategy: &metadata.TestingStrategy{InteractionDuration: 1500}},
			}, &qa.Options{Model: tt.model, Evidence: kept{}})
			if err != nil {
				t.Fatal(err)
			}
			if !tt.ended(rec) {
				t.Errorf("ended with %q, the agent with %+v, phases %s", rec.Explore.Ended, rec.Explore.Agent, fmt.Sprintf("%+v", rec.Phases))
			}
		})
	}
}

// endsWithItsLastPicture sees that the picture called final was taken after everything
// that was done in the live page, and that no other is called so.
func endsWithItsLastPicture(t *testing.T, rec *record.Record) {
	t.Helper()
	var final []record.Screenshot
	for _, s := range rec.Screenshots {
		if s.Stage == record.StageFinalState {
			final = append(final, s)
		}
	}
	if len(final) != 1 || len(rec.Actions) == 0 {
		t.Fatalf("final pictures %+v after %d actions", final, len(rec.Actions))
	}
	if last := rec.Actions[len(rec.Actions)-1]; final[0].Time.Before(last.Time) {
		t.Errorf("the final picture was taken at %v, before %s %s at %v", final[0].Time, last.Kind, last.Target, last.Time)
	}
}

// locked is a game that waits for a click at one spot of a plain picture; then Space
// plays it.
const locked = `<!doctype html><title>Locked</title>
<style>body{margin:0;background:#234}canvas{display:block}</style><canvas width=800 height=500></canvas>
<script>
const c = document.querySelector('canvas').getContext('2d');
let open = false, n = 0;
const draw = () => {
  c.fillStyle = open ? '#243' : '#abc'; c.fillRect(0, 0, 800, 500);
  c.fillStyle = '#fd4';
  for (let i = 0; i < n; i++) c.fillRect(20 + 60 * (i % 12), 20 + 60 * Math.floor(i / 12), 50, 50);
};
addEventListener('mousedown', e => {
  if (Math.hypot(e.clientX - 613, e.clientY - 377) < 6) { open = true; draw(); }
});
addEventListener('keydown', e => {
  if (open && e.code == 'Space') { n = (n + 1) % 90; draw(); }
});
draw();
</script>`

// Where the free ways find no start, a standard run with a model asks it, and what it
// proposes is measured like everything else.
func TestModelFindsTheStart(t *testing.T) {
	b := launch(t.Context(), t)
	server := httptest.NewServer(gametest.Page(locked))
	t.Cleanup(server.Close)
	m := modeltest.NewFake("test/seer", nil, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		parts := req.Messages[0].Parts
		if len(parts) < 2 || parts[1].Image == nil { // asked for elements, of which there are none
			return nil, &model.Error{Kind: model.ErrRefusal, Model: "test/seer"}
		}
		scale := float64(parts[1].Image.Width) / 1280
		reply := fmt.Sprintf(`{"action":"click","x":%.1f,"y":%.1f,"reasoning":"there","confidence":0.9}`, 613*scale, 377*scale)
		return modeltest.Say(reply, model.Usage{Input: 1000, Output: 100}), nil
	})
	rec, report, err := qa.Run(t.Context(), b, record.Target{URL: server.URL, Seed: 1, Play: brief}, &qa.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Requests()) == 0 {
		t.Error("no model was asked: the start was found without one")
	}
	if by := rec.Explore.Start.Gestures(); report.Status != record.Pass || len(by) != 1 || !strings.HasPrefix(by[0], "click") {
		t.Errorf("%s (%s), started by %q after %d questions", report.Status, report.Summary, by, len(m.Requests()))
	}
}
