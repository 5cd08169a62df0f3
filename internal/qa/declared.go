package qa

import (
	"slices"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// maxAlternatives bounds the keys that are tried of those that do the same, as the letters
// of a game of words.
const maxAlternatives = 4

// declaredInputs are what the metadata declares, critical controls first, each input once.
// Where a pointer is declared the middle of the window is pressed.
func declaredInputs(bindings []metadata.Binding, v viewport) (out []record.Input) {
	bindings = slices.Clone(bindings)
	slices.SortStableFunc(bindings, func(a, b metadata.Binding) int {
		switch {
		case a.Critical == b.Critical:
			return 0
		case a.Critical:
			return -1
		}
		return 1
	})
	add := func(in record.Input) {
		if !slices.ContainsFunc(out, func(o record.Input) bool { return o.String() == in.String() }) {
			out = append(out, in)
		}
	}
	press := func(keys []string, held bool) {
		for _, k := range keys[:min(len(keys), maxAlternatives)] {
			add(record.Input{Kind: record.InputKey, Key: k, Held: held})
		}
	}
	for _, b := range bindings {
		for _, d := range b.Directions {
			press(d.Keys, b.Hold)
		}
		if len(b.Directions) == 0 {
			press(b.Keys, b.Hold)
		}
		if b.AnyKey {
			press([]string{"Space", "Enter"}, false)
		}
		if b.Pointer {
			add(record.Input{Kind: record.InputClick, At: record.Point{X: float64(v.width) / 2, Y: float64(v.height) / 2}})
		}
	}
	return out
}
