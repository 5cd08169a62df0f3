package computer

import (
	"encoding/json"
	"slices"

	"github.com/playtest-dev/playtest/model"
)

// How often the same may be asked for on the same picture. Keys are pressed
// again and again in games, and a wait is a wait: there patience is longer.
const (
	warnAfter, stopAfter               = 3, 5
	warnAfterRepeats, stopAfterRepeats = 8, 16
)

// again is said to a model that goes round in circles.
const again = "You have asked for just this before, with the same picture before you. Try something else."

// habit notices a model that goes round in circles: the same wishes on the same
// picture, in a row or in turns with others.
type habit map[string]int

// note books a turn. It says whether the model should be told, and whether to
// stop.
func (h habit) note(calls []Call, url string, picture *model.Image) (warn, stop bool) {
	var wishes []any
	patient := true
	for _, call := range calls {
		if call.Tool != nil {
			wishes = append(wishes, call.Tool.Name, string(call.Tool.Arguments))
		} else {
			wishes = append(wishes, call.Name, call.Problem, call.Actions)
		}
		patient = patient && call.Tool == nil && call.Problem == "" && !slices.ContainsFunc(call.Actions, func(a Action) bool {
			return a.Kind != Press && a.Kind != Hold && a.Kind != Wait
		})
	}
	key, err := json.Marshal([]any{wishes, url, picture.Hash()})
	if err != nil {
		return false, false // a number that is none; the next check refuses it
	}
	h[string(key)]++
	n := h[string(key)]
	if patient {
		return n >= warnAfterRepeats, n >= stopAfterRepeats
	}
	return n >= warnAfter, n >= stopAfter
}
