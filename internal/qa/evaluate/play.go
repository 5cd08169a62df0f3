package evaluate

import (
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// reasonPlay is what actions of play give as their reason in a record.
const reasonPlay = "play"

// play sums up how much the game was played once its controls were known, nil
// when it was not played.
func play(f facts) *record.Play {
	if f.stepped() {
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
	if s, ok := f.playSeconds(); ok {
		p.Seconds = s
	}
	if play := f.rec.Explore.Play; play != nil {
		p.States, p.Controls = play.States, play.Controls
		for _, c := range play.Controls {
			p.Presses += c.Count
		}
		return p
	}
	if a := f.rec.Explore.Achieved; a != nil {
		p.States = a.States
	}
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

// stepped reports whether the play that counts is that of the twins. What a model played
// beside them is told by itself: most of its seconds are those in which it thought.
func (f facts) stepped() bool {
	if f.rec.Twins == nil || f.rec.Explore.Play != nil {
		return false
	}
	alive := f.rec.Twins.Alive
	return alive.Seconds > 0 && (len(alive.Presses) > 0 || f.rec.Explore.Achieved == nil)
}

// playSeconds is how long the game was played once its controls were known, false
// where nobody measured that.
func (f facts) playSeconds() (float64, bool) {
	e := f.rec.Explore
	switch {
	case f.stepped():
		return f.rec.Twins.Alive.Seconds, true
	case e.Play != nil:
		return e.Play.Seconds, true
	case e.Achieved != nil:
		return e.Achieved.Seconds, true
	}
	return 0, false
}

// playedBy is the sentence about it.
func (f facts) playedBy() string {
	a := f.achieved
	text := fmt.Sprintf("The game rests when it is left alone (%d looks); %d of %d turns of %s play changed it for good, to %d different screens",
		a.Idle, a.Effects, a.Turns, a.By, a.States)
	if len(a.Examples) > 0 {
		text += ", such as " + clip(a.Examples[0])
	}
	if a.Indicators > 0 {
		text += fmt.Sprintf("; %d of the success indicators were met", a.Indicators)
	}
	return text + "."
}
