package decide_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/record"
)

func button(text string, x, y, w, h float64) decide.Item {
	return decide.Item{ID: text, Role: "button", Text: text, Interactive: true, Box: record.Rect{X: x, Y: y, Width: w, Height: h}}
}

func painted(text string, y float64) decide.Item {
	return decide.Item{ID: text, Role: "painted", Text: text, Painted: true, Box: record.Rect{X: 100, Y: y, Width: 80, Height: 20}}
}

// proven are the controls' ids, all of them seen to work.
func proven(list []record.Control) map[string]bool {
	out := map[string]bool{}
	for _, c := range list {
		out[c.ID] = true
	}
	return out
}

func TestHeuristics(t *testing.T) {
	jumper := keys("ArrowLeft", "ArrowRight", "ArrowUp", "Space")
	shooter := keys("ArrowLeft", "ArrowRight", "Space")
	box := record.Rect{X: 10, Y: 10, Width: 40, Height: 40}
	ball := record.Control{ID: "ball", Type: record.ControlDrag, Text: "ball", Path: []record.Point{{X: 230, Y: 238}, {X: 320, Y: 238}}, Confidence: 1}
	inVain := decide.Turn{Action: decide.Action{Kind: decide.Hold, Keys: []string{"KeyQ"}}, Layer: decide.Heuristic, Effect: "the game answers to these keys and goes on"}
	tests := []struct {
		name  string
		state decide.State
		want  string
		taken bool
	}{
		{"a start button", decide.State{Items: []decide.Item{button("Play", 0, 0, 100, 40)}}, `click "Play" at 50,20`, true},
		{"a painted start button", decide.State{Items: []decide.Item{painted("START", 50)}}, `click "START" at 140,60`, true},
		{"the next level", decide.State{Items: []decide.Item{button("Next level", 0, 0, 100, 40)}}, `click "Next level" at 50,20`, true},
		{"play again", decide.State{Items: []decide.Item{button("Play again", 0, 0, 100, 40)}}, `click "Play again" at 50,20`, true},
		{"a disabled start button", decide.State{Items: []decide.Item{{Role: "button", Text: "Play", Interactive: true, Disabled: true, Box: box}}}, "wait 1s", false},
		{"a start button that did nothing", decide.State{
			Items:  []decide.Item{button("Play", 0, 0, 100, 40)},
			Futile: map[string]bool{(decide.Action{Kind: decide.Click, At: at(50, 20)}).Key(): true},
		}, "wait 1s", false},
		{"a key that the screen asks for", decide.State{Items: texts("Press SPACE to start")}, "keypress Space", true},
		{"a restart button beside a running game", decide.State{Controls: jumper, Proven: proven(jumper), Genre: decide.Platformer, Items: []decide.Item{button("Restart", 0, 0, 100, 40)}}, "hold ArrowRight+Space for 600ms", true},
		{"a choice of levels", decide.State{Items: []decide.Item{button("Easy", 0, 0, 100, 40)}}, `click "Easy" at 50,20`, true},
		{"the only button", decide.State{Items: []decide.Item{button("Έναρξη", 0, 0, 100, 40)}}, `click "Έναρξη" at 50,20`, false},
		{"nothing to go by", decide.State{}, "wait 1s", false},

		{"platformer", decide.State{Genre: decide.Platformer, Controls: jumper, Proven: proven(jumper)}, "hold ArrowRight+Space for 600ms", true},
		{"platformer with unproven keys", decide.State{Genre: decide.Platformer, Controls: jumper}, "hold ArrowRight+Space for 600ms", false},
		{"platformer without keys", decide.State{Genre: decide.Platformer}, "wait 1s", false},
		{"platformer that is stuck", decide.State{Genre: decide.Platformer, Controls: jumper, Proven: proven(jumper), Stuck: 1}, "hold ArrowRight+Space for 600ms", false},
		{"shooter", decide.State{Genre: decide.Shooter, Controls: shooter, Proven: proven(shooter)}, "hold ArrowLeft+Space for 700ms", true},
		{"shooter the other way", decide.State{Genre: decide.Shooter, Controls: shooter, Proven: proven(shooter), History: []decide.Turn{{}}}, "hold ArrowRight+Space for 700ms", true},
		{"shooter that stands still", decide.State{Genre: decide.Shooter, Controls: keys("Space")}, "repeat Space up to 8 times until something changes", true},
		{"shooter without a trigger", decide.State{Genre: decide.Shooter, Controls: keys("KeyQ")}, "hold KeyQ for 300ms", false},
		{"runner", decide.State{Genre: decide.Runner, Controls: keys("Space"), Proven: proven(keys("Space"))}, "hold Space for 200ms", false},
		{"runner that is doing well", decide.State{Genre: decide.Runner, Controls: keys("Space"), Proven: proven(keys("Space")), History: []decide.Turn{{Effect: "score 2", Progress: true}}}, "hold Space for 200ms", true},
		{"runner with the mouse", decide.State{Genre: decide.Runner, Game: record.Rect{Width: 200, Height: 100}}, `click "the middle" at 100,50`, false},
		{"clicker", decide.State{Genre: decide.Clicker, Items: []decide.Item{button("jar", 400, 200, 500, 400), button("Settings", 0, 0, 500, 500)}}, `repeat click "jar" at 650,400 up to 10 times until something changes`, true},
		{"clicker that can buy", decide.State{Genre: decide.Clicker, Items: []decide.Item{button("Buy a moth, 10 coins", 400, 200, 500, 400)}}, `click "Buy a moth, 10 coins" at 650,400`, true},
		{"puzzle knows no move for sure", decide.State{Genre: decide.Puzzle, Controls: keys("ArrowUp"), Proven: proven(keys("ArrowUp"))}, "hold ArrowUp for 300ms", false},
		{"board", decide.State{Genre: decide.Board, Items: cells(9)}, "click at 25,25", false},
		{"match-3", decide.State{Genre: decide.Match3, Items: cells(40)}, "click at 25,25", false},
		{"typing, the lowest word first", decide.State{Genre: decide.Typing, Items: []decide.Item{painted("moth", 100), painted("lantern", 400), painted("Score 3", 10)}}, `type "lantern"`, true},
		{"typing without words", decide.State{Genre: decide.Typing, Items: texts("Score 3")}, "wait 1s", false},
		{"generic, what is proven", decide.State{Genre: decide.Generic, Controls: append(keys("KeyQ"), keys("KeyE")...), Proven: proven(keys("KeyE"))}, "hold KeyE for 300ms", true},
		{"generic, a click target", decide.State{Controls: []record.Control{{ID: "a", Type: record.ControlClick, Box: &box, Text: "cup", Confidence: 0.9}}}, `click "cup" at 30,30`, true},
		{"generic, a thing that moved", decide.State{
			Controls: []record.Control{ball}, Proven: proven([]record.Control{ball}), Items: []decide.Item{{Role: "painted", Text: "Ball", Painted: true, Box: record.Rect{X: 400, Y: 300, Width: 20, Height: 20}}},
		}, `drag "ball" from 410,310 to 500,310`, true},
		{"generic, a thing of another screen", decide.State{Controls: []record.Control{ball}, Proven: proven([]record.Control{ball}), Items: texts("choose a course")}, `drag "ball" from 230,238 to 320,238`, false},
		{"generic, what goes on and brings nothing", decide.State{Controls: keys("KeyE"), Proven: proven(keys("KeyE")), History: []decide.Turn{inVain, inVain, inVain}}, "hold KeyE for 300ms", false},
		{"generic, what somebody else got further with", decide.State{
			Controls: keys("KeyE"), Proven: proven(keys("KeyE")), History: []decide.Turn{inVain, inVain, inVain, {Layer: decide.Sight, Effect: "score 2", Progress: true}},
		}, "hold KeyE for 300ms", false},
		{"generic, what got the game further", decide.State{
			Controls: keys("KeyE"), Proven: proven(keys("KeyE")), History: []decide.Turn{inVain, inVain, {Layer: decide.Heuristic, Effect: "score 2", Progress: true}, inVain},
		}, "hold KeyE for 300ms", true},
		{"generic, a menu after play that brought nothing", decide.State{
			Controls: keys("KeyE"), Proven: proven(keys("KeyE")), Items: []decide.Item{button("Next level", 0, 0, 100, 40)}, History: []decide.Turn{inVain, inVain, inVain},
		}, `click "Next level" at 50,20`, true},
		{"generic, a drag", decide.State{Controls: []record.Control{{ID: "a", Type: record.ControlDrag, Path: []record.Point{{X: 1, Y: 1}, {X: 9, Y: 9}}, Confidence: 0.5}}}, "drag from 1,1 to 9,9", false},
		{"generic, nothing operable", decide.State{Controls: []record.Control{{ID: "a", Type: record.ControlHover}}}, "wait 1s", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.state
			s.Viewport = viewport
			p, err := (decide.Heuristics{}).Propose(t.Context(), &s)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Action.String(); got != tt.want {
				t.Errorf("proposes %q (%.0f, %s), want %q", got, p.Confidence, p.Reason, tt.want)
			}
			if taken := p.Confidence > decide.HeuristicThreshold; taken != tt.taken {
				t.Errorf("sure by %.0f (%s), taken is %v, want %v", p.Confidence, p.Reason, taken, tt.taken)
			}
			if p.Reason == "" {
				t.Error("no reason is given")
			}
		})
	}
}

// What never has an effect is proposed with ever less confidence, and what is
// done all the time makes room for something else.
func TestHeuristicsLearnFromHistory(t *testing.T) {
	list := keys("ArrowLeft", "ArrowRight")
	s := decide.State{Viewport: viewport, Controls: list, Proven: proven(list)}
	first, _ := (decide.Heuristics{}).Propose(t.Context(), &s)
	for range 3 {
		s.History = append(s.History, decide.Turn{Action: first.Action})
	}
	second, _ := (decide.Heuristics{}).Propose(t.Context(), &s)
	if second.Action.Key() == first.Action.Key() {
		t.Errorf("%s is proposed again after three times in vain", first.Action)
	}
	if len(second.Alternatives) == 0 {
		t.Error("there are two controls and no alternative")
	}
	s.History = nil
	for range 12 {
		s.History = append(s.History, decide.Turn{Action: first.Action, Effect: "moved"})
	}
	third, _ := (decide.Heuristics{}).Propose(t.Context(), &s)
	if third.Action.Key() == first.Action.Key() {
		t.Errorf("%s is proposed for the thirteenth time", first.Action)
	}
}

var (
	print = knowledge.Fingerprint{
		Site: "example.com/golf/", Title: "Golf", Kind: "canvas2d", Genre: "generic", Look: "0123456789",
		Listens: []string{"mousedown"}, Keys: []string{"Escape"}, Structure: []string{"canvas:1"}, Words: []string{"golf", "play"},
	}
	situation = knowledge.Situation{Words: []string{"choose a course", "meadow"}}
)

// remembering is a book that was taught one lesson about the screen.
func remembering(t *testing.T, a decide.Action, worked ...bool) *knowledge.Book {
	t.Helper()
	book := knowledge.Open(&knowledge.Ram{}, nil)
	do, err := decide.Memorise(a, record.Rect{X: 100, Y: 0, Width: 1000, Height: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range worked {
		if err := book.Learn(t.Context(), print, []knowledge.Lesson{{Purpose: knowledge.Progress, Do: do, Says: a.String(), On: situation, Worked: w}}); err != nil {
			t.Fatal(err)
		}
	}
	return book
}

func TestAsTheLastTime(t *testing.T) {
	click := decide.Action{Kind: decide.Click, At: at(600, 250), Label: "MEADOW"}
	tests := []struct {
		name   string
		worked []bool
		change func(*decide.State)
		want   string
	}{
		{"at the same place of the game", []bool{true}, func(*decide.State) {}, `click "MEADOW" at 500,250`},
		{"at the thing with the label", []bool{true}, func(s *decide.State) { s.Items = []decide.Item{painted("MEADOW", 300)} }, `click "MEADOW" at 140,310`},
		{"not on another screen", []bool{true}, func(s *decide.State) { s.Situation = knowledge.Situation{Words: []string{"hole 1"}} }, "wait 1s"},
		{"not when it failed there too", []bool{true, false}, func(*decide.State) {}, "wait 1s"},
		{"in a twin of it elsewhere", []bool{true}, func(s *decide.State) { s.Print.Site = "example.org/copy/" }, `click "MEADOW" at 500,250`},
		{"not in a sibling", []bool{true}, func(s *decide.State) {
			s.Print.Site, s.Print.Words, s.Print.Genre = "example.org/chess/", []string{"chess", "play"}, "board"
		}, "wait 1s"},
		{"not when nothing came of it today", []bool{true}, func(s *decide.State) {
			s.History = []decide.Turn{{Action: decide.Action{Kind: decide.Click, At: at(500, 250)}}}
		}, "wait 1s"},
		{"not twice on the same screen", []bool{true}, func(s *decide.State) {
			s.Screen, s.History = "b", []decide.Turn{{Action: decide.Action{Kind: decide.Click, At: at(500, 250)}, Screen: "b", Effect: "level 2"}}
		}, "wait 1s"},
		{"but on another one", []bool{true}, func(s *decide.State) {
			s.Screen, s.History = "b", []decide.Turn{{Action: decide.Action{Kind: decide.Click, At: at(500, 250)}, Screen: "a", Effect: "level 2"}}
		}, `click "MEADOW" at 500,250`},
		{"not while stuck", []bool{true}, func(s *decide.State) { s.Stuck = 1 }, "wait 1s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &decide.State{Viewport: viewport, Game: record.Rect{Width: 1000, Height: 500}, Print: print, Situation: situation}
			tt.change(s)
			p, err := (decide.Heuristics{Book: remembering(t, click, tt.worked...)}).Propose(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Action.String(); got != tt.want {
				t.Errorf("proposes %q (%s), want %q", got, p.Reason, tt.want)
			}
		})
	}
}

func TestRecall(t *testing.T) {
	click := decide.Action{Kind: decide.Click, At: at(600, 250), Label: "MEADOW"}
	state := func() *decide.State {
		return &decide.State{Viewport: viewport, Game: record.Rect{Width: 1000, Height: 500}, Print: print, Situation: situation}
	}
	tests := []struct {
		name   string
		book   *knowledge.Book
		change func(*decide.State)
		taken  bool
		fails  bool
	}{
		{"what worked once here", remembering(t, click, true), func(*decide.State) {}, true, false},
		{"what worked and failed", remembering(t, click, true, false), func(*decide.State) {}, false, false},
		{"what leads nowhere here", remembering(t, click, true), func(s *decide.State) {
			turn := decide.Turn{Action: decide.Action{Kind: decide.Click, At: at(500, 250)}}
			s.History = []decide.Turn{turn, turn}
		}, false, true},
		{"a place off the screen", remembering(t, decide.Action{Kind: decide.Click, At: at(5000, 250)}, true), func(*decide.State) {}, false, true},
		{"a game unlike all others", remembering(t, click, true), func(s *decide.State) {
			s.Print = knowledge.Fingerprint{Site: "x", Kind: "dom", Engine: "Phaser", Words: []string{"chess"}, Keys: []string{"KeyA"}}
		}, false, true},
		{"an empty book", knowledge.Open(&knowledge.Ram{}, nil), func(*decide.State) {}, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := state()
			tt.change(s)
			l := decide.NewRecall(tt.book)
			p, err := l.Propose(t.Context(), s)
			if (err != nil) != tt.fails {
				t.Fatalf("the error is %v, want one: %v", err, tt.fails)
			}
			if taken := err == nil && p.Confidence > l.Threshold(); taken != tt.taken {
				t.Errorf("sure by %.0f (%s), taken is %v, want %v", p.Confidence, p.Reason, taken, tt.taken)
			}
		})
	}
	if got := decide.NewRecall(nil).Name(); got != decide.Memory {
		t.Errorf("it is called %s", got)
	}
}

// What a store hands out may be anything.
func TestDamagedMemories(t *testing.T) {
	book := knowledge.Open(&knowledge.Ram{}, nil)
	for i, do := range []string{`"jump"`, `{"kind":"fly"}`, `{"kind":"click"}`} {
		says := string(rune('a' + i))
		if err := book.Learn(t.Context(), print, []knowledge.Lesson{{Purpose: knowledge.Progress, Do: json.RawMessage(do), Says: says, On: situation, Worked: true}}); err != nil {
			t.Fatal(err)
		}
	}
	s := &decide.State{Viewport: viewport, Print: print, Situation: situation}
	if p, err := decide.NewRecall(book).Propose(t.Context(), s); err == nil {
		t.Errorf("proposes %s, want nothing", p.Action)
	}
}

func TestMemoriesMove(t *testing.T) {
	a := decide.Action{Kind: decide.Sequence, Steps: []decide.Action{
		{Kind: decide.Drag, Path: []record.Point{{X: 100, Y: 0}, {X: 1100, Y: 500}}},
		{Kind: decide.Hold, Keys: []string{"Space"}, For: time.Second},
	}}
	data, err := decide.Memorise(a, record.Rect{X: 100, Y: 0, Width: 1000, Height: 500})
	if err != nil {
		t.Fatal(err)
	}
	got, err := decide.Remembered(data, &decide.State{Game: record.Rect{X: 0, Y: 10, Width: 100, Height: 100}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "sequence: drag from 0,10 to 100,110, hold Space for 1s"; got.String() != want {
		t.Errorf("remembered as %q, want %q", got, want)
	}
}
