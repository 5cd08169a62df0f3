package search

import "github.com/playtest-dev/playtest/record"

// controls are the inputs that had an effect and left the player on the same screen.
func controls(observations []record.Observation) []record.Input {
	var out []record.Input
	seen := map[string]bool{}
	for _, o := range observations {
		if !o.Effect() || o.From != o.To || seen[o.Input.String()] {
			continue
		}
		seen[o.Input.String()] = true
		out = append(out, o.Input)
	}
	return out
}
