package evaluate

import (
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// reasonPlay is what actions of play give as their reason in a record.
const reasonPlay = "play"

// play sums up how much the game was played once its controls were known, nil
// when it was not played.
func play(f facts) *record.Play {
	if f.checks != nil {
		alive := f.rec.Twins.Alive
		p := &record.Play{Seconds: alive.Seconds, States: alive.States, Controls: alive.Presses, Progress: len(f.rec.Explore.Progress)}
		for _, c := range alive.Presses {
			p.Presses += c.Count
		}
		return p
	}
	if f.rec.Explore.Played == 0 {
		return nil
	}
	p := &record.Play{Seconds: record.Seconds(f.rec.Explore.Played), Controls: []record.PressCount{}, Progress: len(f.rec.Explore.Progress)}
	for _, a := range f.rec.Actions {
		// What a model or the adaptive loop did has the address that it was done at.
		if a.Phase != record.PhaseExplore || !a.Success || a.URL == "" && a.Reasoning != reasonPlay {
			continue
		}
		p.Presses++
		i := slices.IndexFunc(p.Controls, func(c record.PressCount) bool { return c.Input == a.Target })
		if i < 0 {
			i = len(p.Controls)
			p.Controls = append(p.Controls, record.PressCount{Input: a.Target})
		}
		p.Controls[i].Count++
	}
	return p
}
