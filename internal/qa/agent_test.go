package qa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// chords is a still game that answers to two keys at once and to nothing else,
// which no search tries and a player who was told does. Until then it shows nothing;
// what it says after the second time is gone after the third.
const chords = `<!doctype html><title>Chords</title>
<style>body{margin:0;background:#234}#won,#two{display:none}canvas{display:block}</style>
<p id=score>Score: 0</p><canvas width=800 height=500></canvas><p id=won>All is built.</p><p id=two>Two of them.</p>
<script>
const c = document.querySelector('canvas').getContext('2d'), down = new Set();
let n = 0;
c.fillStyle = '#abc'; c.fillRect(0, 0, 800, 500);
addEventListener('keyup', e => down.delete(e.code));
addEventListener('keydown', e => {
  down.add(e.code);
  if (!down.has('KeyJ') || !down.has('KeyU') || e.repeat) return;
  c.fillStyle = '#402'; c.fillRect(40 + 60 * n++, 200, 50, 50);
  document.querySelector('#score').textContent = 'Score: ' + n;
  document.querySelector('#two').style.display = n == 2 ? 'block' : 'none';
  if (n > 3) document.querySelector('#won').style.display = 'block';
});
</script>`

// album is evidence that says when a picture of an agent's play was kept that none of
// its turns asked for.
type album struct {
	kept
	once     sync.Once
	thinking chan struct{}
}

func (a *album) Picture(name string, _ []byte) (string, error) {
	if strings.Contains(name, "phase3-agent-thinks") {
		a.once.Do(func() { close(a.thinking) })
	}
	return name, nil
}

// talker is a model that calls one tool after the other and says why. It thinks about
// its second turn until wait is closed; nil lets it answer at once.
func talker(wait <-chan struct{}, calls ...[2]string) *modeltest.Fake {
	return modeltest.NewFake("test/player", nil, func(ctx context.Context, n int, _ *model.Request) (*model.Response, error) {
		if n == 2 && wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		call := calls[min(n, len(calls))-1]
		resp := modeltest.Calls(model.ToolCall{ID: fmt.Sprint("c", n), Name: call[0], Arguments: json.RawMessage(call[1])})
		resp.Message.Parts = append([]model.Part{model.Text("It is the game's own way.")}, resp.Message.Parts...)
		return resp, nil
	})
}

type closer struct{ closed *atomic.Int32 }

func (c closer) Close() error { c.closed.Add(1); return nil }

// What an agent's play achieves is measured and counts; what it claims does not.
// It gets the tools of others, and every one of its turns can be followed.
func TestAgentAchievesSomething(t *testing.T) {
	chord := [2]string{"hold", `{"keys":["KeyJ","KeyU"],"milliseconds":80}`}
	end := [2]string{"close", `{"reasoning":"The game works.","taskComplete":true}`}
	b := launch(t.Context(), t)
	server := httptest.NewServer(gametest.Page(chords))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name   string
		calls  [][2]string
		status record.Verdict
		slow   bool
	}{
		{"plays", [][2]string{{"words_hint", `{}`}, chord, chord, chord, chord, chord, end}, record.Pass, false},
		{"only claims", [][2]string{{"words_hint", `{}`}, {"keys", `{"keys":["KeyX"]}`}, {"keys", `{"keys":["KeyY"]}`}, end}, record.VerdictError, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked, closed atomic.Int32
			hint, err := tool.New("words_hint", "Says how the game is played.", func(context.Context, struct{}) (*tool.Outcome, error) {
				asked.Add(1)
				return tool.Say("J and U together."), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			pictures := &album{thinking: make(chan struct{})}
			var wait <-chan struct{}
			if tt.slow {
				wait = pictures.thinking // however long it takes: it is kept although nothing is done
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			rec, report, err := qa.Run(ctx, b, record.Target{
				URL: server.URL, Mode: record.ModeAgent, Seed: 1,
				Metadata: &metadata.Metadata{SuccessIndicators: []metadata.SuccessIndicator{
					{Type: metadata.SuccessElementVisible, Selector: "#won"}, {Type: metadata.SuccessElementVisible, Selector: "#two"}, {Type: metadata.SuccessScoreChange},
				}},
			}, &qa.Options{
				Model: talker(wait, tt.calls...), Evidence: pictures,
				Tools: func(context.Context) ([]tool.Tool, io.Closer, error) { return []tool.Tool{hint}, closer{&closed}, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			if asked.Load() != 1 || closed.Load() != 1 {
				t.Errorf("the tool was asked %d times and closed %d times", asked.Load(), closed.Load())
			}
			a := rec.Explore.Achieved
			if a == nil || report.Status != tt.status || report.Agent == nil || !report.Agent.Success {
				t.Fatalf("%s (%s), achieved %+v, the agent says %+v", report.Status, report.Summary, a, report.Agent)
			}
			plays := tt.status == record.Pass
			for _, in := range report.Indicators {
				if in.Met != plays {
					t.Errorf("indicator %+v", in)
				}
			}
			if !plays {
				if a.Effects != 0 {
					t.Errorf("achieved %+v", a)
				}
				return
			}
			if a.Turns != 5 || a.Effects != 5 || a.States != 6 || a.Indicators != 3 || a.Idle < 4 {
				t.Errorf("achieved %+v", a)
			}
			if why := report.Check(record.ControlsResponsive).Reason; !strings.Contains(why, "5 of 5 turns of agent play") {
				t.Errorf("the check says %q", why)
			}
			turns := 0
			for _, act := range rec.Actions {
				if act.URL == "" {
					continue
				}
				turns++
				if act.Reasoning != "It is the game's own way." || act.Picture == "" || act.Kind != "hold" {
					t.Errorf("a turn cannot be followed: %+v", act)
				}
			}
			if turns != 5 {
				t.Errorf("%d turns in the record", turns)
			}
			endsWithItsLastPicture(t, rec)
		})
	}
}

// Tools that cannot be opened end a run before the game is opened.
func TestAgentWithoutItsTools(t *testing.T) {
	b := launch(t.Context(), t)
	_, _, err := qa.Run(t.Context(), b, record.Target{URL: "http://localhost:1/", Mode: record.ModeAgent}, &qa.Options{
		Model: talker(nil, [2]string{"close", `{}`}),
		Tools: func(context.Context) ([]tool.Tool, io.Closer, error) { return nil, nil, io.ErrUnexpectedEOF },
	})
	if err == nil || !strings.Contains(err.Error(), "the agent's tools cannot be opened") {
		t.Errorf("got %v", err)
	}
}
