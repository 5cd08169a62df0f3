package report

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// besides are the screenshots that no control shows already.
func besides(rep *record.Report) []record.Screenshot {
	shown := map[string]bool{}
	for _, c := range rep.Controls {
		if c.Trial.Replayed() {
			shown[c.Trial.Before], shown[c.Trial.After] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(rep.Screenshots), func(s record.Screenshot) bool { return shown[s.Path] })
}

// fresh leaves out pictures that are the same, to the byte, as the one before them: a
// game that stands still is told once.
func fresh(shots []record.Screenshot, files fs.FS) []record.Screenshot {
	if files == nil {
		return shots
	}
	shots = slices.Clone(shots)
	slices.SortStableFunc(shots, func(a, b record.Screenshot) int { return a.Time.Compare(b.Time) })
	var last [sha256.Size]byte
	return slices.DeleteFunc(shots, func(s record.Screenshot) bool {
		name := picture(s.Path)
		if name == "" {
			return false
		}
		f, err := files.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, io.LimitReader(f, maxPicture)); err != nil {
			return false
		}
		was := last
		sum.Sum(last[:0])
		return was == last && s.Stage != record.StageFinalState
	})
}

// story puts screenshots in order, each with the actions that followed it.
func story(shots []record.Screenshot, actions []record.ReportedAction) []scene {
	shots, actions = slices.Clone(shots), slices.Clone(actions)
	slices.SortStableFunc(shots, func(a, b record.Screenshot) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(actions, func(a, b record.ReportedAction) int { return a.Time.Compare(b.Time) })
	if len(shots) == 0 && len(actions) == 0 {
		return nil
	}
	var begin time.Time
	if len(shots) > 0 {
		begin = shots[0].Time
	}
	if len(actions) > 0 && (begin.IsZero() || actions[0].Time.Before(begin)) {
		begin = actions[0].Time
	}
	var scenes []scene
	if len(shots) == 0 || len(actions) > 0 && actions[0].Time.Before(shots[0].Time) {
		scenes = append(scenes, scene{})
	}
	next := 0
	take := func(until time.Time, all bool) {
		s := &scenes[len(scenes)-1]
		for next < len(actions) && (all || actions[next].Time.Before(until)) {
			if s.Steps = addStep(s.Steps, actions[next]); len(s.Steps) > stepsShown {
				s.Steps = s.Steps[:stepsShown]
				s.More++
			}
			next++
		}
	}
	for i := range shots {
		if len(scenes) > 0 {
			take(shots[i].Time, false)
		}
		s := scene{Shot: &shots[i], After: since(shots[i].Time.Sub(begin))}
		if strings.Contains(shots[i].Note, "game time") {
			s.After = "" // it was kept later than it was taken
		}
		scenes = append(scenes, s)
	}
	take(time.Time{}, true)
	return scenes
}

// stepsShown bounds the list of actions between two pictures.
const stepsShown = 40

func addStep(steps []step, a record.ReportedAction) []step {
	s := step{What: stepName(a), Effect: a.Effect, Times: 1, Failed: !a.Success}
	if a.URL != "" {
		s.Why, s.URL = a.Reasoning, a.URL
	}
	if n := len(steps); n > 0 {
		last := &steps[n-1]
		if last.What == s.What && last.Effect == s.Effect && last.Failed == s.Failed && last.Why == s.Why && last.URL == s.URL {
			last.Times++
			return steps
		}
	}
	return append(steps, s)
}
