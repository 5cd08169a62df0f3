package decide_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/record"
)

// layer is a layer that says what the test wants.
type layer struct {
	name      string
	threshold float64
	proposal  decide.Proposal
	err       error
	breaks    bool
	thinks    bool
	asked     *decide.State
}

func (l *layer) Name() string       { return l.name }
func (l *layer) Threshold() float64 { return l.threshold }
func (l *layer) Thinks() bool       { return l.thinks }
func (l *layer) Propose(_ context.Context, s *decide.State) (decide.Proposal, error) {
	l.asked = s
	if l.breaks {
		panic("index out of range")
	}
	return l.proposal, l.err
}

var viewport = record.Rect{Width: 1280, Height: 720}

func sure(confidence float64) decide.Proposal {
	return decide.Proposal{Action: decide.Action{Kind: decide.Keypress, Keys: []string{"Space"}}, Confidence: confidence, Reason: "because"}
}

// three are the real layers' names and thresholds with given answers.
func three(heuristic, vision, knowledge layer) []*layer {
	heuristic.name, heuristic.threshold = decide.Heuristic, decide.HeuristicThreshold
	vision.name, vision.threshold = decide.Sight, decide.VisionThreshold
	knowledge.name, knowledge.threshold = decide.Memory, decide.KnowledgeThreshold
	return []*layer{&heuristic, &vision, &knowledge}
}

func TestEscalation(t *testing.T) {
	failed := errors.New("it is down")
	tests := []struct {
		name                         string
		heuristic, vision, knowledge layer
		taken                        string // "" for a crash
		asked                        int
	}{
		{"a sure heuristic ends it", layer{proposal: sure(81)}, layer{proposal: sure(99)}, layer{proposal: sure(99)}, decide.Heuristic, 1},
		{"exactly 80 escalates", layer{proposal: sure(80)}, layer{proposal: sure(90)}, layer{}, decide.Sight, 2},
		{"a hair above 80 does not", layer{proposal: sure(80.01)}, layer{proposal: sure(90)}, layer{}, decide.Heuristic, 1},
		{"an unsure heuristic escalates", layer{proposal: sure(40)}, layer{proposal: sure(71)}, layer{}, decide.Sight, 2},
		{"a failing heuristic escalates", layer{err: failed}, layer{proposal: sure(71)}, layer{}, decide.Sight, 2},
		{"a heuristic that breaks down escalates", layer{breaks: true}, layer{proposal: sure(71)}, layer{}, decide.Sight, 2},
		{"exactly 70 escalates", layer{proposal: sure(10)}, layer{proposal: sure(70)}, layer{proposal: sure(75)}, decide.Memory, 3},
		{"a hair above 70 does not", layer{proposal: sure(10)}, layer{proposal: sure(70.01)}, layer{proposal: sure(75)}, decide.Sight, 2},
		{"an unsure look escalates", layer{proposal: sure(10)}, layer{proposal: sure(30)}, layer{proposal: sure(61)}, decide.Memory, 3},
		{"a failing look escalates", layer{proposal: sure(10)}, layer{err: failed}, layer{proposal: sure(75)}, decide.Memory, 3},
		{"a look that breaks down escalates", layer{proposal: sure(10)}, layer{breaks: true}, layer{proposal: sure(75)}, decide.Memory, 3},
		{"a failing memory is a crash", layer{proposal: sure(80)}, layer{proposal: sure(70)}, layer{err: failed}, "", 3},
		{"a hair above 60 remembered is not a crash", layer{proposal: sure(10)}, layer{proposal: sure(10)}, layer{proposal: sure(60.01)}, decide.Memory, 3},
		{"exactly 60 remembered is a crash", layer{proposal: sure(10)}, layer{proposal: sure(10)}, layer{proposal: sure(60)}, "", 3},
		{"all unsure is a crash", layer{proposal: sure(80)}, layer{proposal: sure(70)}, layer{proposal: sure(20)}, "", 3},
		{"all failing is a crash", layer{err: failed}, layer{err: failed}, layer{err: failed}, "", 3},
		{"a place outside the picture escalates", layer{proposal: decide.Proposal{Action: decide.Action{Kind: decide.Click, At: &record.Point{X: 2000, Y: 10}}, Confidence: 99}}, layer{proposal: sure(90)}, layer{}, decide.Sight, 2},
		{"a confidence that is none escalates", layer{proposal: sure(9000)}, layer{proposal: sure(90)}, layer{}, decide.Sight, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := three(tt.heuristic, tt.vision, tt.knowledge)
			var log []decide.Said
			s := decide.New([]decide.Layer{list[0], list[1], list[2]}, &decide.Options{Log: func(said decide.Said) { log = append(log, said) }})
			state := &decide.State{Turn: 3, Viewport: viewport, Genre: decide.Puzzle}
			d, err := s.Next(t.Context(), state)
			if len(d.Said) != tt.asked || len(log) != tt.asked {
				t.Errorf("%d layers answered and %d answers were logged, want %d", len(d.Said), len(log), tt.asked)
			}
			for i, said := range log {
				want := []float64{decide.HeuristicThreshold, decide.VisionThreshold, decide.KnowledgeThreshold}[i]
				if said.Number != i+1 || said.Threshold != want || said.Layer != list[i].name {
					t.Errorf("answer %d is logged as layer %d %s with threshold %v", i+1, said.Number, said.Layer, said.Threshold)
				}
				if list[i].asked != state {
					t.Errorf("layer %d was not given the state", i+1)
				}
			}
			if tt.taken == "" {
				var crash *decide.CrashError
				if !errors.Is(err, decide.ErrGameCrash) || !errors.As(err, &crash) {
					t.Fatalf("the error is %v, want a game crash", err)
				}
				for _, name := range []string{decide.Heuristic, decide.Sight, decide.Memory} {
					if !strings.Contains(err.Error(), name) {
						t.Errorf("%q does not say what %s said", err, name)
					}
				}
				if tt.heuristic.err != nil && !errors.Is(err, failed) {
					t.Errorf("%v does not wrap what the layers failed with", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.Layer != tt.taken || d.Number != tt.asked || !log[len(log)-1].Taken {
				t.Errorf("taken from %s (%d), want %s", d.Layer, d.Number, tt.taken)
			}
			if d.Threshold != log[len(log)-1].Threshold || d.Confidence <= d.Threshold {
				t.Errorf("taken at %v with a threshold of %v", d.Confidence, d.Threshold)
			}
		})
	}
}

func TestLogLines(t *testing.T) {
	tests := []struct {
		name string
		said decide.Said
		want string
	}{
		{"taken", decide.Said{Layer: "vision", Number: 2, Action: decide.Action{Kind: decide.Wait, For: time.Second}, Confidence: 71, Threshold: 70, Reason: "it loads", Taken: true},
			"layer 2, vision: wait 1s, sure by 71, more than 70: it loads"},
		{"not taken", decide.Said{Layer: "heuristic", Number: 1, Confidence: 80, Threshold: 80, Reason: "a guess"},
			"layer 1, heuristic: nothing, sure by 80, not more than 80: a guess"},
		{"failed", decide.Said{Layer: "knowledge", Number: 3, Err: errors.New("no store")}, "layer 3, knowledge, failed: no store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.said.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := (&decide.CrashError{}).Error(); got != decide.ErrGameCrash.Error() {
		t.Errorf("without any layer the error is %q", got)
	}
}

func TestBest(t *testing.T) {
	e := &decide.CrashError{Said: []decide.Said{{Layer: "a", Confidence: 30}, {Layer: "b", Confidence: 90, Err: errors.New("no")}, {Layer: "c", Confidence: 55}}}
	if best, ok := e.Best(); !ok || best.Layer != "c" {
		t.Errorf("the surest answer is %v, want that of c", best)
	}
	if _, ok := (&decide.CrashError{Said: []decide.Said{{Err: errors.New("no")}}}).Best(); ok {
		t.Error("a failed layer has no answer")
	}
}

func TestSkippedLayersAreNotAsked(t *testing.T) {
	list := three(layer{proposal: sure(99)}, layer{proposal: sure(99)}, layer{})
	s := decide.New([]decide.Layer{list[0], list[1], list[2]}, nil)
	d, err := s.Next(t.Context(), &decide.State{Viewport: viewport, Skip: map[string]bool{decide.Heuristic: true}})
	if err != nil || d.Layer != decide.Sight || list[0].asked != nil {
		t.Errorf("decided by %s (%v), want vision without asking heuristics", d.Layer, err)
	}
}

// The game is held only around layers that take their time.
func TestAround(t *testing.T) {
	list := three(layer{proposal: sure(10)}, layer{proposal: sure(99), thinks: true}, layer{})
	var order []string
	s := decide.New([]decide.Layer{list[0], list[1], list[2]}, &decide.Options{
		Log: func(said decide.Said) { order = append(order, said.Layer) },
		Around: func(_ context.Context, name string) func() {
			order = append(order, "hold "+name)
			return func() { order = append(order, "release") }
		},
	})
	if _, err := s.Next(t.Context(), &decide.State{Viewport: viewport}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, ", "), "heuristic, hold vision, release, vision"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list := three(layer{proposal: sure(99)}, layer{}, layer{})
	if _, err := decide.New([]decide.Layer{list[0]}, nil).Next(ctx, &decide.State{Viewport: viewport}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of the context", err)
	}
	// Cancelled while the only layer thought: no game has crashed.
	ctx, cancel = context.WithCancel(t.Context())
	stopped := decide.New([]decide.Layer{list[2]}, &decide.Options{Log: func(decide.Said) { cancel() }})
	if _, err := stopped.Next(ctx, &decide.State{Viewport: viewport}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of the context", err)
	}
}

func TestImpossibleAlternativesAreDropped(t *testing.T) {
	p := sure(99)
	p.Alternatives = []decide.Alternative{
		{Action: decide.Action{Kind: "fly"}},
		{Action: decide.Action{Kind: decide.Keypress, Keys: []string{"Enter"}}, Confidence: 60},
	}
	list := three(layer{proposal: p}, layer{}, layer{})
	d, err := decide.New([]decide.Layer{list[0]}, nil).Next(t.Context(), &decide.State{Viewport: viewport})
	if err != nil || len(d.Alternatives) != 1 || d.Alternatives[0].Action.Keys[0] != "Enter" {
		t.Errorf("alternatives %v (%v), want only the one that can be done", d.Alternatives, err)
	}
}
