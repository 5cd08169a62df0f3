package decide

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/words"
)

// patterns are the plain ways to play the genres. Where looking decides, as in
// puzzles, a pattern is not sure enough to be taken without a look.
var patterns = map[Genre]func(*State) []Proposal{
	Platformer: platformer,
	Clicker:    clicker,
	Puzzle:     puzzle,
	Runner:     runner,
	Shooter:    shooter,
	Board:      board,
	Match3:     match3,
	Typing:     typing,
}

// platformer runs to the right and jumps on the way.
func platformer(s *State) []Proposal {
	right, ok := s.key("ArrowRight", "KeyD")
	if !ok {
		return nil
	}
	sure := 70.0
	if s.proven(right) {
		sure = 88
	}
	out := []Proposal{{Action: Action{Kind: Hold, Keys: []string{right}, For: 900 * time.Millisecond}, Confidence: sure - 3, Reason: "platformers go to the right"}}
	if jump, ok := s.key("Space", "ArrowUp", "KeyW"); ok {
		out = append(out, Proposal{
			Action:     Action{Kind: Hold, Keys: []string{right, jump}, For: 600 * time.Millisecond},
			Confidence: sure, Reason: "platformers go to the right and jump over what is in the way",
		})
	}
	if left, ok := s.key("ArrowLeft", "KeyA"); ok {
		out = append(out, Proposal{Action: Action{Kind: Hold, Keys: []string{left}, For: 500 * time.Millisecond}, Confidence: sure - 12, Reason: "a step back before the next try"})
	}
	return out
}

// clicker presses what pays, again and again, and buys what can be bought.
func clicker(s *State) []Proposal {
	var out []Proposal
	for _, it := range s.Items {
		buy := buys.MatchString(it.Text)
		if !it.Interactive || it.Disabled || it.Box.Empty() || words.IsAside(it.Text) && !buy || !s.Viewport.Contains(it.Box.Center()) {
			continue
		}
		at := it.Box.Center()
		a := Action{Kind: Repeat, At: &at, Times: 10, Label: it.Text}
		if buy {
			a = it.click()
		}
		sure := 72 + min(it.Box.Width*it.Box.Height/20000, 12) // the large thing in the middle is what is clicked
		if tries, hits := s.fruits(a); tries > 0 && hits == tries {
			sure += 8
		}
		out = append(out, Proposal{Action: a, Confidence: sure, Reason: "clickers pay for clicks"})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Confidence > out[j].Confidence })
	return out[:min(len(out), 6)]
}

var buys = regexp.MustCompile(`(?i)\bbuy\b|upgrade|\d+\s*(coins?|gold|\$|€)|\$\s*\d`)

// puzzle knows the moves but not which one is right.
func puzzle(s *State) []Proposal {
	return discount(generic(s), 30)
}

// runner presses the one key there is.
func runner(s *State) []Proposal {
	jump, ok := s.key("Space", "ArrowUp", "KeyW")
	if !ok {
		at := s.Game.Center()
		return []Proposal{{Action: Action{Kind: Click, At: &at, Label: "the middle"}, Confidence: 66, Reason: "runners have one button"}}
	}
	sure := 64.0
	if s.proven(jump) {
		sure = 74
	}
	if n := len(s.History); n > 0 && s.History[n-1].Progress {
		sure += 10 // it went well so far
	}
	return []Proposal{
		{Action: Action{Kind: Hold, Keys: []string{jump}, For: 200 * time.Millisecond}, Confidence: sure, Reason: "runners jump"},
		{Action: Action{Kind: Repeat, Keys: []string{jump}, Times: 8}, Confidence: sure - 4, Reason: "runners jump again and again"},
	}
}

// shooter moves to and fro and fires.
func shooter(s *State) []Proposal {
	fire, ok := s.key("Space", "KeyX", "KeyZ", "ControlLeft")
	if !ok {
		return nil
	}
	way := []string{"ArrowLeft", "KeyA"}
	if len(s.History)%2 == 1 {
		way = []string{"ArrowRight", "KeyD"}
	}
	move, ok := s.key(way...)
	if !ok {
		return []Proposal{{Action: Action{Kind: Repeat, Keys: []string{fire}, Times: 8}, Confidence: 82, Reason: "shooters fire"}}
	}
	sure := 72.0
	if s.proven(move) || s.proven(fire) {
		sure = 87
	}
	return []Proposal{
		{Action: Action{Kind: Hold, Keys: []string{move, fire}, For: 700 * time.Millisecond}, Confidence: sure, Reason: "shooters move and fire"},
		{Action: Action{Kind: Repeat, Keys: []string{fire}, Times: 8}, Confidence: sure - 8, Reason: "shooters fire"},
	}
}

// board presses one piece or card after the other; whether that is wise it
// cannot tell.
func board(s *State) []Proposal {
	var out []Proposal
	for _, it := range s.Items {
		if !it.Interactive || it.Disabled || it.Box.Empty() || words.IsAside(it.Text) || words.IsAgain(it.Text) || !s.Viewport.Contains(it.Box.Center()) {
			continue
		}
		a := it.click()
		tries, _ := s.fruits(a)
		out = append(out, Proposal{Action: a, Confidence: 68 - 8*float64(tries), Reason: "a piece that was not touched yet"})
	}
	return out
}

// match3 swaps neighbours; which ones, a look must tell.
func match3(s *State) []Proposal {
	return discount(board(s), 15)
}

// word is a text that can be typed.
var word = regexp.MustCompile(`^\p{L}{1,24}$`)

// typing types the words on the screen, the lowest first: those that fall are
// nearest to the ground there.
func typing(s *State) []Proposal {
	var list []Item
	for _, it := range s.Items {
		if word.MatchString(it.Text) && !it.Interactive && !it.Box.Empty() && words.Of(it.Text) == words.None || it.Painted && word.MatchString(it.Text) && words.Of(it.Text) == words.None {
			list = append(list, it)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Box.Y > list[j].Box.Y })
	var out []Proposal
	for i, it := range list {
		if i == 4 {
			break
		}
		out = append(out, Proposal{
			Action:     Action{Kind: Type, Text: strings.ToLower(it.Text)},
			Confidence: 86 - 4*float64(i), Reason: fmt.Sprintf("%q is on the screen to be typed", it.Text),
		})
	}
	return out
}
