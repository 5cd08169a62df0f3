package adapt_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/daily"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// TestPuzzleOfLevels: lanterns that flip their neighbours, six levels of it, in
// Greek and in a closed shadow root. The stand-in sees which are lit, in the
// picture, and works out which to press.
func TestPuzzleOfLevels(t *testing.T) {
	whole(t)
	daily.Turn(t, courseDays, 0, *everyCourse)
	t.Parallel()
	book := knowledge.Open(&knowledge.Ram{}, nil)
	first := lanterns.play(t, lamplighter(t), book)
	if got := noted(first, "level"); got < 5 {
		t.Errorf("%d new levels were noticed, want 5 or more", got)
	}
	// The second time the way is known; only whether it is won has to be asked.
	second := lanterns.play(t, lamplighter(t), book)
	t.Logf("%d questions, %v, %v; then %d questions, %v, %v", first.Checks, first.Cost, first.Took, second.Checks, second.Cost, second.Took)
	if second.Checks > first.Checks/2 || second.Cost > first.Cost/2 {
		t.Errorf("%d questions for %v the first time, %d for %v the second", first.Checks, first.Cost, second.Checks, second.Cost)
	}
	if !first.Completed || !second.Completed {
		t.Errorf("ended with %q and %q, want the goal reached", first.Ended, second.Ended)
	}
}

// lamplighter puts the lanterns out.
func lamplighter(t *testing.T) *modeltest.Fake {
	return standIn(t, func(_ int, s screen) answer {
		if _, done := s.find("Όλα σβηστά"); done {
			return answer{"action": "complete"}.sure(95, "the village sleeps: all six levels are done")
		}
		if start, ok := s.find("Έναρξη"); ok {
			return answer{"action": "click", "element": start.id}.sure(90, "a lone button under a greeting starts the game")
		}
		var lamps []line
		for _, l := range s.lines {
			if strings.HasPrefix(l.text, "φανάρι ") {
				lamps = append(lamps, l)
			}
		}
		var steps []answer
		for _, i := range solve(lamps, s) {
			steps = append(steps, answer{"action": "click", "element": lamps[i].id})
		}
		if len(steps) == 0 {
			return answer{"action": "wait", "milliseconds": 600}.sure(80, "the next level is about to come")
		}
		return answer{"action": "sequence", "steps": steps}.sure(88, fmt.Sprintf("pressing %d lanterns puts all of them out", len(steps)))
	})
}

// solve says which lanterns to press so that all go out.
func solve(lamps []line, s screen) []int {
	n := len(lamps)
	size := int(math.Sqrt(float64(n)))
	rows := make([]uint64, n)
	for i := range n {
		x, y := i%size, i/size
		for j := range n {
			dx, dy := j%size-x, j/size-y
			if dx*dx+dy*dy <= 1 {
				rows[i] |= 1 << j
			}
		}
		l := lamps[i]
		// The roofs of the village hide the lower half of the last row.
		if c := s.at(l.x+l.w/2, l.y+0.22*l.h); c.R > 150 && c.R > c.B {
			rows[i] |= 1 << n // lit: an odd number of presses must reach it
		}
	}
	where := slices.Repeat([]int{-1}, n)
	rank := 0
	for col := 0; col < n && rank < n; col++ {
		pick := slices.IndexFunc(rows[rank:], func(r uint64) bool { return r>>col&1 == 1 })
		if pick < 0 {
			continue
		}
		rows[rank], rows[rank+pick] = rows[rank+pick], rows[rank]
		for i := range rows {
			if i != rank && rows[i]>>col&1 == 1 {
				rows[i] ^= rows[rank]
			}
		}
		where[col] = rank
		rank++
	}
	var out []int
	for col, row := range where {
		if row >= 0 && rows[row]>>n&1 == 1 {
			out = append(out, col)
		}
	}
	return out
}
