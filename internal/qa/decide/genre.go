package decide

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// Genre is a kind of game that is played in its own way.
type Genre string

// The genres. Generic is everything that is none of the others.
const (
	Generic    Genre = "generic"
	Platformer Genre = "platformer"
	Clicker    Genre = "clicker"
	Puzzle     Genre = "puzzle"
	Runner     Genre = "runner"
	Shooter    Genre = "shooter"
	Board      Genre = "board" // cards too: one piece or card after the other
	Match3     Genre = "match-3"
	Typing     Genre = "typing"
)

// words that name a genre, and words in descriptions and on screens that
// suggest it. What the author calls the game counts most.
var (
	genreNames = []struct {
		genre Genre
		words *regexp.Regexp
	}{
		{Match3, regexp.MustCompile(`(?i)match[- ]?(3|three)|\bmatching\b|bejewel|candy`)},
		{Typing, regexp.MustCompile(`(?i)\btyp(ing|er|e the)\b|\bwordle\b|\bword game\b|hangman|text adventure|interactive fiction`)},
		{Board, regexp.MustCompile(`(?i)\bcards?\b|solitaire|patience|memory|\bpairs\b|\bboard\b|chess|checkers|draughts|tic[- ]?tac|noughts|reversi|othello|poker|blackjack|minesweeper`)},
		{Puzzle, regexp.MustCompile(`(?i)puzzle|sokoban|sudoku|2048|sliding|lights? ?out|\blogic\b|tetris|falling block`)},
		{Runner, regexp.MustCompile(`(?i)\brunner\b|endless|flappy|\bdino\b|auto[- ]?run`)},
		{Platformer, regexp.MustCompile(`(?i)platform|jump (and|'?n'?) run|metroidvania|side[- ]?scroll`)},
		{Shooter, regexp.MustCompile(`(?i)shoot|shmup|invaders|asteroids|\bfps\b|gunner|bullet`)},
		{Clicker, regexp.MustCompile(`(?i)click(er|ing)|\bidle\b|incremental|tycoon`)},
	}
	genreHints = []struct {
		genre Genre
		words *regexp.Regexp
	}{
		{Match3, regexp.MustCompile(`(?i)swap|three in a row|match (three|3)|cascade`)},
		{Typing, regexp.MustCompile(`(?i)type the|\bletters?\b|\bwpm\b|words? per minute`)},
		{Board, regexp.MustCompile(`(?i)\bdeal\b|\bdeck\b|\bflip\b|your turn|\bpairs?\b|\bsuit\b`)},
		{Puzzle, regexp.MustCompile(`(?i)\bmoves?\b|\bsolve\b|\bundo\b|\bpush\b|\brotate\b`)},
		{Runner, regexp.MustCompile(`(?i)distance|\bgaps?\b|avoid|obstacle|\bflap\b`)},
		{Platformer, regexp.MustCompile(`(?i)\bjump\b|\bcoins?\b|\bclimb\b`)},
		{Shooter, regexp.MustCompile(`(?i)\bfire\b|\bshoot\b|\bammo\b|\bwave\b|\benem(y|ies)\b`)},
		{Clicker, regexp.MustCompile(`(?i)per second|\bupgrades?\b|\bbuy\b|click the`)},
	}
)

// Votes of the sources. A genre needs more than one weak hint.
const (
	byName     = 6.0
	byTitle    = 3.0
	byHint     = 1.0
	byControls = 2.0
	enough     = 2.0
)

// Recognise tells the genre from what the author says, from the controls that
// were found and from the things on the screen, with the reasons.
func Recognise(meta *metadata.Metadata, controls []record.Control, items []Item) (Genre, string) {
	votes := map[Genre]float64{}
	why := map[Genre][]string{}
	vote := func(g Genre, n float64, because string) {
		votes[g] += n
		if len(why[g]) < 3 {
			why[g] = append(why[g], because)
		}
	}
	if meta != nil {
		byWords(genreNames, meta.Genre, func(g Genre, w string) { vote(g, byName, fmt.Sprintf("the author calls it %q", w)) })
		prose := strings.Join([]string{meta.Title, meta.Description, meta.Objectives}, " ")
		byWords(genreNames, prose, func(g Genre, w string) { vote(g, byTitle, fmt.Sprintf("the author writes %q", w)) })
		byWords(genreHints, prose, func(g Genre, w string) { vote(g, byHint, fmt.Sprintf("the author writes %q", w)) })
	}
	var screen strings.Builder
	for _, it := range items {
		screen.WriteString(it.Text + "\n")
	}
	byWords(genreNames, screen.String(), func(g Genre, w string) { vote(g, byTitle, fmt.Sprintf("the screen says %q", w)) })
	byWords(genreHints, screen.String(), func(g Genre, w string) { vote(g, byHint, fmt.Sprintf("the screen says %q", w)) })
	byControl(controls, items, vote)

	best := Generic
	order := make([]Genre, 0, len(votes))
	for g := range votes {
		order = append(order, g)
	}
	sort.Slice(order, func(i, j int) bool { return order[i] < order[j] })
	for _, g := range order {
		if votes[g] >= enough && (best == Generic || votes[g] > votes[best]) {
			best = g
		}
	}
	if best == Generic {
		return Generic, "nothing tells its genre"
	}
	return best, strings.Join(why[best], "; ")
}

func byWords(list []struct {
	genre Genre
	words *regexp.Regexp
}, text string, found func(Genre, string)) {
	for _, l := range list {
		seen := map[string]bool{}
		for _, w := range l.words.FindAllString(text, 8) {
			if w = strings.ToLower(w); !seen[w] && len(seen) < 2 {
				seen[w] = true
				found(l.genre, w)
			}
		}
	}
}

// byControl votes by the way the game is operated.
func byControl(controls []record.Control, items []Item, vote func(Genre, float64, string)) {
	keys := map[string]bool{}
	typing := false
	for _, c := range controls {
		typing = typing || c.Type == record.ControlTyping
		for _, k := range c.Keys {
			keys[k] = true
		}
	}
	has := func(codes ...string) bool {
		for _, c := range codes {
			if keys[c] {
				return true
			}
		}
		return false
	}
	sideways := has("ArrowLeft", "KeyA") && has("ArrowRight", "KeyD")
	up, down, act := has("ArrowUp", "KeyW"), has("ArrowDown", "KeyS"), has("Space")
	switch {
	case typing:
		vote(Typing, byControls, "it takes letters")
	case sideways && up && act && !down:
		vote(Platformer, byControls, "left, right, up and space")
	case sideways && act && !up && !down:
		vote(Shooter, byControls, "left, right and space")
	case !sideways && !down && (up || act) && len(keys) <= 3:
		vote(Runner, byControls, "one key does it all")
	case len(keys) == 0:
		switch n := grid(items); {
		case n >= 36:
			vote(Match3, byControls, fmt.Sprintf("a grid of %d", n))
		case n >= 9:
			vote(Board, byControls, fmt.Sprintf("%d pieces of the same size", n))
		}
	}
}

// grid is the largest number of pressable things of the same size.
func grid(items []Item) int {
	sizes := map[[2]int]int{}
	most := 0
	for _, it := range items {
		if !it.Interactive || it.Painted || it.Box.Empty() {
			continue
		}
		size := [2]int{int(it.Box.Width) / 4, int(it.Box.Height) / 4}
		sizes[size]++
		most = max(most, sizes[size])
	}
	return most
}
