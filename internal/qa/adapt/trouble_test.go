package adapt_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// Small games in a language that the heuristics do not know, so that the model
// is asked.
var pages = map[string]string{
	// Nothing answers to anything.
	"dead": `<h1>Κλειστό</h1><p>τίποτα</p>`,
	// Every press counts.
	"counter": `<h1>Βάζο</h1><p id=s>Points: 0</p><button onclick="s.textContent = 'Points: ' + ++n" style="width:200px;height:80px">πάτα</button><script>let n = 0</script>`,
	// Two screens that lead to each other and nowhere else.
	"circle": `<h1 id=h>Αυλή</h1><button id=b onclick="h.textContent = h.textContent == 'Αυλή' ? 'Κήπος' : 'Αυλή'" style="width:200px;height:80px">πόρτα</button>`,
	// A key that is pressed again and again.
	"keys": `<h1>Δρόμος</h1><canvas id=c width=600 height=200></canvas><script>
		let x = 0; const g = c.getContext('2d'); const draw = () => { g.fillStyle = '#222'; g.fillRect(0, 0, 600, 200); g.fillStyle = '#fc3'; g.fillRect(x, 80, 40, 40) };
		addEventListener('keydown', e => { if (e.code == 'ArrowRight') { x = (x + 25) % 560; draw() } }); draw()</script>`,
	// It writes down what is done to it, and has something to say after three
	// times R.
	"log": `<h1 id=h>Ημερολόγιο</h1><script>
		const did = [], down = new Set(); let from = 0, at = 0;
		addEventListener('keydown', e => down.add(e.code));
		addEventListener('keyup', e => {
			down.delete(e.code);
			if (did.at(-1)?.startsWith(e.code + '+')) return;
			did.push([...down, e.code].join('+'));
			if (did.filter(d => d == 'KeyR').length == 3) h.textContent = 'Τέλος';
		});
		addEventListener('mousedown', e => { from = e.clientX; at = performance.now() });
		addEventListener('mouseup', e => did.push(e.clientX != from ? 'dragged ' + (e.clientX - from) : performance.now() - at > 1200 ? 'held' : 'click'));
		addEventListener('dblclick', () => { did.length -= 2; did.push('dblclick') });
		addEventListener('wheel', () => did.push('wheel'));</script>`,
	// A lamp that never rests, and a stroke that is counted but costs points.
	"strokes": `<h1>Σφαίρα</h1><p id=s></p><canvas id=c width=600 height=200></canvas><script>
		let n = 0, tick = 0; const g = c.getContext('2d'), tell = () => s.textContent = 'strokes ' + n + ' of 9, score ' + (100 - 15 * n);
		const frame = () => { g.fillStyle = (tick++ >> 3) % 2 ? '#fc3' : '#222'; g.fillRect(500, 80, 60, 60); requestAnimationFrame(frame) };
		addEventListener('mousedown', () => { n++; tell() }); tell(); frame()</script>`,
	// Three steps and the end.
	"stairs": `<h1 id=h>Σκαλί ένα</h1><button id=b onclick="up()" style="width:200px;height:80px">πάνω</button><script>
		let n = 0; const names = ['Σκαλί ένα', 'Αυλή δύο', 'Κήπος τρία', 'You win'], ways = ['πάνω', 'δεξιά', 'μέσα', ''];
		function up() { n++; h.textContent = names[n]; b.textContent = ways[n]; b.hidden = n == 3 }</script>`,
}

func serve(t *testing.T, name string) *game.Game {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>"+name+"</title><body style='margin:0'>"+pages[strings.Trim(r.URL.Path, "/")])
	}))
	t.Cleanup(srv.Close)
	return openURL(t, srv.URL+"/"+name)
}

// says is a model that always gives the same answer.
func says(reply string) *modeltest.Fake {
	return modeltest.NewFake("stand-in/eye", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return modeltest.Say(reply, model.Usage{Input: 1000, Output: 100}), nil
	})
}

// press clicks the button in the corner, where all pages have theirs.
const press = `{"seen":"a button","action":"click","x":80,"y":100,"reasoning":"press it","confidence":90}`

func TestModelsThatDoNotHelp(t *testing.T) {
	tests := []struct {
		name, page string
		reply      string
		err        error
		turns      int    // at most
		ended      string // part of it
	}{
		{"always waits", "dead", `{"seen":"s","action":"wait","milliseconds":50,"reasoning":"r","confidence":95}`, nil, 12, "stuck: "},
		{"always says complete", "dead", `{"seen":"s","action":"complete","reasoning":"done","confidence":99}`, nil, 2, "nothing that was measured confirms it"},
		{"is confidently wrong", "dead", `{"seen":"s","action":"click","x":700,"y":500,"reasoning":"r","confidence":99,"alternatives":[{"action":"keypress","keys":["Enter"],"reasoning":"or enter","confidence":80}]}`, nil, 14, "stuck: "},
		{"points outside the picture", "dead", `{"seen":"s","action":"click","x":5000,"y":500,"reasoning":"r","confidence":99}`, nil, 3, "outside the picture"},
		{"names keys that do not exist", "dead", `{"seen":"s","action":"keypress","keys":["Jump"],"reasoning":"r","confidence":99}`, nil, 3, `no key is called "Jump"`},
		{"answers nonsense", "dead", `the cat sat on the mat`, nil, 3, "vision, failed"},
		{"refuses", "dead", "", &model.Error{Kind: model.ErrRefusal, Model: "stand-in/eye"}, 3, "vision, failed"},
		{"is down", "dead", "", &model.Error{Kind: model.ErrServer, Model: "stand-in/eye"}, 3, "vision, failed"},
		{"goes in circles", "circle", press, nil, 19, "stuck: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := says(tt.reply)
			if tt.err != nil {
				m = modeltest.NewFake("stand-in/eye", nil, func(context.Context, int, *model.Request) (*model.Response, error) { return nil, tt.err })
			}
			g := serve(t, tt.page)
			s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(tell(s))
			claims := strings.Contains(tt.reply, `"complete"`)
			if claims != slices.ContainsFunc(g.Record.Decisions, func(d record.Decision) bool { return d.Layer == "measured" }) {
				t.Errorf("that a claim is not believed is in the record only if there is one: %+v", g.Record.Decisions)
			}
			if s.Completed || len(s.Turns) > tt.turns || !strings.Contains(s.Ended, tt.ended) {
				t.Errorf("ended after %d turns with %q (completed: %v), want %q within %d", len(s.Turns), s.Ended, s.Completed, tt.ended, tt.turns)
			}
		})
	}
}

// Stuck: first an alternative, then another strategy.
func TestLadder(t *testing.T) {
	t.Parallel()
	g := serve(t, "dead")
	m := says(`{"seen":"s","action":"click","x":700,"y":500,"reasoning":"there","confidence":99,"alternatives":[{"action":"keypress","keys":["Enter"],"reasoning":"or enter","confidence":51},{"action":"keypress","keys":["Tab"],"reasoning":"or tab","confidence":50}]}`)
	s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tell(s))
	var instead []string
	for _, turn := range s.Turns {
		if turn.Action.Kind == decide.Click && turn.Effect != "" {
			t.Errorf("a click on nothing has the effect %q", turn.Effect)
		}
		if turn.Instead != "" {
			instead = append(instead, turn.Action.String()+": "+turn.Instead)
		}
	}
	if len(instead) == 0 || instead[0] != "keypress Enter: nothing came of the first choice" {
		t.Errorf("after three turns in vain came %q, want the alternative", instead)
	}
	for _, i := range instead {
		if strings.Contains(i, "Tab") {
			t.Error("an alternative that is only half sure was tried")
		}
	}
	another := false
	for _, d := range g.Record.Decisions {
		another = another || d.What == "another strategy"
	}
	if !another {
		t.Error("no other strategy was tried")
	}
}

// In a game that moves by itself a picture tells little of one click; what the game
// counts tells that it was taken.
func TestWhatTheGameCountsTellsOfAnEffect(t *testing.T) {
	t.Parallel()
	g := serve(t, "strokes")
	s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: says(press), MaxActions: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Turns) != 1 || s.Turns[0].Effect != "score 85, before score 100; strokes 1, before strokes 0" || len(s.Progress) > 0 {
		t.Errorf("a stroke that costs points:\n%s%+v", tell(s), s.Progress)
	}
}

// Macros are played out by themselves: each of these is one answer of the model.
func TestMacros(t *testing.T) {
	tests := []struct{ name, answer, want string }{
		{"a sequence", `"action":"sequence","steps":[
			{"action":"hold","x":400,"y":400,"milliseconds":1500},{"action":"chord","keys":["ShiftLeft","KeyA"]},{"action":"hold","keys":["KeyD"],"milliseconds":150},
			{"action":"doubleclick","x":400,"y":400},{"action":"drag","x":400,"y":400,"toX":480,"toY":400},{"action":"scroll","x":400,"y":400},{"action":"type","text":"hi"}]`,
			"held, ShiftLeft+KeyA, KeyD, dblclick, dragged 100, wheel, KeyH, KeyI"},
		{"a key until something changes", `"action":"repeat","keys":["KeyR"],"times":9`, "KeyR, KeyR, KeyR"},
		{"a click until something changes", `"action":"repeat","x":400,"y":400,"times":2`, "click, click"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, "log")
			m := says(`{"seen":"s",` + tt.answer + `,"reasoning":"r","confidence":90}`)
			s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m, MaxActions: 1})
			if err != nil {
				t.Fatal(err)
			}
			var did []string
			if err := g.Page.Evaluate(testContext(t), "did", &did); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(did, ", "); got != tt.want {
				t.Errorf("the page was done %q, want %q\n%s", got, tt.want, tell(s))
			}
		})
	}
}

// The same key again and again is how games are played.
func TestRepeatedKeysAreNormal(t *testing.T) {
	t.Parallel()
	m := says(`{"seen":"s","action":"keypress","keys":["ArrowRight"],"reasoning":"on to the right","confidence":90}`)
	s, err := adapt.Play(testContext(t), serve(t, "keys"), &adapt.Options{Model: m, MaxActions: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Turns) != 10 || !strings.Contains(s.Ended, "10 actions") {
		t.Errorf("ended after %d turns with %q, want all 10 to be used", len(s.Turns), s.Ended)
	}
	for _, turn := range s.Turns {
		if turn.Effect == "" || turn.Instead != "" {
			t.Errorf("turn %d: effect %q, instead %q", turn.Number, turn.Effect, turn.Instead)
		}
	}
}

func TestBudget(t *testing.T) {
	dollars := func(d float64) *model.Money { m := model.Dollars(d); return &m }
	// 100,000 tokens of a known model at 2 dollars a million and ten for the answer.
	priced := func() *modeltest.Fake {
		return modeltest.NewFake("anthropic/claude-sonnet-5", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
			return modeltest.Say(press, model.Usage{Input: 45_000, Output: 1000}), nil
		})
	}
	tests := []struct {
		name      string
		model     *modeltest.Fake
		budget    *model.Money
		calls     int
		estimated bool
	}{
		{"nothing to spend asks nobody", priced(), dollars(0), 0, false},
		{"ends at 90 per cent of what was measured", priced(), dollars(0.5), 5, false},
		{"ends at 90 per cent where the whole would pay for another", priced(), dollars(0.55), 5, false},
		{"the estimate where no price is known", says(press), dollars(0.2), 5, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := adapt.Play(testContext(t), serve(t, "counter"), &adapt.Options{Model: tt.model, Budget: tt.budget})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(tell(s))
			if got := len(tt.model.Requests()); got != tt.calls {
				t.Errorf("%d questions, want %d", got, tt.calls)
			}
			if s.Estimated != tt.estimated || tt.calls > 0 && !strings.Contains(s.Ended, "of the budget") {
				t.Errorf("ended with %q (estimated: %v)", s.Ended, s.Estimated)
			}
		})
	}
}

func TestProgressIsListed(t *testing.T) {
	t.Parallel()
	g := serve(t, "counter")
	g.Record.Target.Metadata = &metadata.Metadata{Objectives: "Fill the jar.\nLeave no room."}
	g.Record.Discover.Instructions = []string{"each press counts"}
	m := says(press)
	s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m, MaxActions: 3, NoHold: true})
	if err != nil {
		t.Fatal(err)
	}
	if goals := strings.Join(s.Goals, "; "); goals != "Fill the jar.; Leave no room.; each press counts" || !strings.Contains(m.Requests()[0].Messages[0].Text(), goals) {
		t.Errorf("the goals are %q, or the model is not told", goals)
	}
	if a := g.Record.Explore.Achieved; a == nil || a.By != record.ModeAdaptive || a.Turns != 3 || a.Effects < 2 || a.States < 3 || a.Idle < 4 || a.Moves {
		t.Errorf("what was achieved is %+v", a)
	}
	if noted(s, "score") != 3 || len(g.Record.Explore.Progress) != 3 {
		t.Errorf("the progress is %v, want three higher scores", s.Progress)
	}
	if s.Holds != 0 {
		t.Errorf("the clock was held %d times although it should not be", s.Holds)
	}
	if n := len(g.Record.Actions); n != 3 || g.Record.Actions[2].Effect == "" || g.Record.Actions[2].Reasoning != "press it" {
		t.Errorf("the record's actions are %+v", g.Record.Actions)
	}
	layers := map[string]int{}
	for _, d := range g.Record.Decisions {
		layers[d.Layer]++
		if d.Layer == "2 vision" && (d.Threshold != 0.7 || d.Confidence != 0.9 || d.Why != "press it") {
			t.Errorf("a decision is written down as %+v", d)
		}
	}
	if layers["1 heuristic"] != 3 || layers["2 vision"] != 3 {
		t.Errorf("the decisions by layer are %v, want three of each", layers)
	}
}

// What is learned makes the second run cheaper: the same game needs no look.
func TestSecondRunIsCheaper(t *testing.T) {
	t.Parallel()
	book := knowledge.Open(&knowledge.Ram{}, nil)
	var first *adapt.Summary
	for run, want := range []int{4, 1} {
		m := standIn(t, func(_ int, s screen) answer {
			if _, won := s.find("You win"); won {
				return answer{"action": "complete"}.sure(95, "it is won")
			}
			return answer{"action": "click", "x": 80, "y": 100}.sure(90, "the button leads on")
		})
		s, err := adapt.Play(testContext(t), serve(t, "stairs"), &adapt.Options{Model: m, Book: book})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(tell(s))
		if !s.Completed || s.Checks != want {
			t.Errorf("run %d: %d questions, completed %v; want %d and the game finished", run+1, s.Checks, s.Completed, want)
		}
		if first == nil {
			first = s
		} else if s.Cost >= first.Cost {
			t.Errorf("the second run cost %v, the first %v", s.Cost, first.Cost)
		}
	}
}

// Knowledge that leads nowhere is given up, and unlearned.
func TestWrongKnowledge(t *testing.T) {
	t.Parallel()
	store := &knowledge.Ram{}
	book := knowledge.Open(store, nil)
	g := serve(t, "dead")
	do, err := decide.Memorise(decide.Action{Kind: decide.Click, At: &record.Point{X: 300, Y: 300}}, g.Rect)
	if err != nil {
		t.Fatal(err)
	}
	print := knowledge.Fingerprint{Site: knowledge.Site(g.Record.Target.URL), Kind: g.Record.Load.Kind}
	on := knowledge.Situation{Words: knowledge.Marks([]string{"Κλειστό", "τίποτα"})}
	lesson := knowledge.Lesson{Purpose: knowledge.Progress, Do: do, Says: "click at 300,300", On: on, Worked: true}
	if err := book.Learn(t.Context(), print, []knowledge.Lesson{lesson}); err != nil {
		t.Fatal(err)
	}
	s, err := adapt.Play(testContext(t), g, &adapt.Options{Book: book})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tell(s))
	if len(s.Turns) == 0 || s.Turns[0].Action.Kind != decide.Click {
		t.Fatalf("the first turn is not what was remembered: %+v", s.Turns)
	}
	offers, err := book.Offers(t.Context(), print, on, knowledge.Progress)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offers {
		if o.Confidence > decide.KnowledgeThreshold {
			t.Errorf("%s is still offered with %.0f", o.Says, o.Confidence)
		}
	}
}

func TestOutOfTime(t *testing.T) {
	t.Parallel()
	m := says(`{"seen":"s","action":"wait","milliseconds":5000,"reasoning":"r","confidence":95}`)
	s, err := adapt.Play(testContext(t), serve(t, "dead"), &adapt.Options{Model: m, MaxDuration: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Ended, "4s of the loop were up") {
		t.Errorf("ended with %q, want the time to be up", s.Ended)
	}
}

func TestPageThatGoes(t *testing.T) {
	t.Parallel()
	g := serve(t, "counter")
	m := modeltest.NewFake("stand-in/eye", nil, func(ctx context.Context, _ int, _ *model.Request) (*model.Response, error) {
		if err := g.Page.Close(ctx); err != nil {
			t.Error(err)
		}
		return modeltest.Say(press, model.Usage{}), nil
	})
	if _, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m}); !errors.Is(err, game.ErrGone) {
		t.Errorf("the error is %v, want that the page is gone", err)
	}
}
