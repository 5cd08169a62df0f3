package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// metrics scores the five metrics, each with sentences that cite the evidence.
func metrics(f facts, r *record.Report, rubric metadata.Rubric) []record.Metric {
	scores := map[string]func(facts, *record.Report) (float64, string){
		metadata.MetricLoad: loadMetric, metadata.MetricVisual: visualMetric, metadata.MetricControls: controlsMetric,
		metadata.MetricPlayability: playMetric, metadata.MetricTechnical: technicalMetric,
	}
	sum := 0.0
	for _, w := range rubric.Weights {
		sum += w
	}
	var out []record.Metric
	for _, name := range metadata.MetricNames {
		s, why := scores[name](f, r)
		weight := 0.0
		if sum > 0 {
			weight = rubric.Weights[name] / sum
		}
		out = append(out, record.Metric{Name: name, Score: int(math.Round(math.Max(0, math.Min(100, s)))), Weight: math.Round(weight*1000) / 1000, Justification: why})
	}
	return out
}

func loadMetric(f facts, r *record.Report) (float64, string) {
	l := f.rec.Load
	if r.Check(record.GameLoaded).State == record.Disproven {
		return 0, "The game did not load. " + r.Checks[0].Reason
	}
	secs := l.ReadyAfter.Seconds()
	s := 100 - 4*math.Max(0, secs-2)
	held := 0
	for _, sig := range l.Signals {
		if sig.Held {
			held++
		}
	}
	if !l.Ready {
		s -= 25
	}
	failed := 0
	for _, fl := range f.rec.Health.FailedLoads {
		if fl.SameSite && !words.IsTracker(fl.URL) {
			failed++
		}
	}
	s -= math.Min(20, 4*float64(failed))
	return s, fmt.Sprintf("Ready after %.1f seconds with %d of %d signs of readiness. %s", secs, held, len(l.Signals), plural(failed, "request of the game itself failed.", "requests of the game itself failed."))
}

func plural(n int, one, many string) string {
	switch n {
	case 0:
		return "No " + many
	case 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func visualMetric(f facts, r *record.Report) (float64, string) {
	if r.Check(record.GameLoaded).State == record.Disproven {
		return 5, "There is nothing to look at. " + r.Checks[0].Reason
	}
	h := f.rec.Health
	s := 85.0
	moving, looks := f.changes()
	if moving > 0 {
		s += 10
	}
	s -= 8 * math.Min(4, float64(len(h.Shader)))
	s -= 5 * math.Min(4, float64(len(h.Decode)))
	w := f.rec.Load.GameRect
	changed := "."
	if looks > 0 {
		changed = fmt.Sprintf(" and its picture changed in %d of %d looks.", moving, looks)
	}
	return s, fmt.Sprintf("The game fills %.0f by %.0f pixels of the screen%s %s",
		w.Width, w.Height, changed, plural(len(h.Decode)+len(h.Shader), "picture or shader failed.", "pictures or shaders failed."))
}

// changes counts the looks at the game and those in which its picture had changed: in the
// twins' minute and after their inputs, or in the live page.
func (f facts) changes() (changed, looks int) {
	if f.rec.Twins == nil {
		for _, s := range f.rec.Health.Samples {
			looks++
			if s.Changed > 0 {
				changed++
			}
		}
		return changed, looks
	}
	for _, o := range f.rec.Twins.Observations {
		if o.Effect() {
			looks++
			changed++
		}
	}
	for _, l := range f.rec.Twins.Alive.Looks {
		looks++
		if l.Moved {
			changed++
		}
	}
	return changed, looks
}

func controlsMetric(f facts, r *record.Report) (float64, string) {
	switch r.Check(record.ControlsResponsive).State {
	case record.Disproven:
		return 0, "The controls do not work. " + r.Checks[1].Reason
	case record.Unknown:
		if f.rec.Load.Failure != nil {
			return 0, "There was no game whose controls could be tried."
		}
		return 40, "It is not known whether the controls work. " + r.Checks[1].Reason
	}
	total, deadOnes := 0, 0
	for _, t := range f.rec.Explore.Trials {
		total++
		if t.Outcome == record.Unresponsive {
			deadOnes++
		}
	}
	s := 100 - 4*math.Min(5, float64(deadOnes))
	promised := ""
	if n := len(r.Declared); n > 0 {
		works := 0
		for _, d := range r.Declared {
			lost := 0.0
			switch {
			case d.Outcome == record.Unresponsive:
				lost = 15
			case len(d.Dead) > 0:
				lost = 5
			}
			if d.Critical {
				lost *= 2
			}
			s -= lost
			if d.Outcome == record.Responsive {
				works++
			}
		}
		promised = fmt.Sprintf(" Of %d declared controls %d answered.", n, works)
	}
	best := first(f)
	detail := ""
	if best != nil {
		detail = fmt.Sprintf(" %s: %s.", upperFirst(best.Control.Description), best.Trial.Reason)
	}
	if len(f.answers) == 0 && f.achieved != nil {
		if total == 0 {
			return s, f.playedBy() + promised
		}
		return s, fmt.Sprintf("None of %d controls that were tried answered by itself. %s%s", total, f.playedBy(), promised)
	}
	if n := f.untried(); n > 0 {
		promised += fmt.Sprintf(" %d more that its code knows were not tried one by one.", n)
	}
	return s, fmt.Sprintf("%d of %d controls that were tried answered: %s.%s%s", len(f.answers), total, f.answered(), promised, detail)
}

// untried counts the controls that the game's code was seen to know and that no trial
// was made of.
func (f facts) untried() int {
	n := 0
	for _, c := range f.rec.Discover.Controls {
		if len(c.Reaches) > 0 && f.trial(c.ID) == nil {
			n++
		}
	}
	return n
}

func playMetric(f facts, r *record.Report) (float64, string) {
	score := 0
	for _, c := range r.Checks {
		if c.State == record.Proven {
			score += record.Points[c.Name]
		}
	}
	e := f.rec.Explore
	s := float64(score)
	how := "It runs without a start."
	if f.rec.Load.Failure != nil {
		how = "There was nothing to play."
	} else if e.Start.Needed {
		how = "It was started"
		if len(e.Start.Attempts) > 0 && e.Start.Started {
			how += " by " + startedBy(e.Start)
		} else {
			how = "No way to start it was found"
		}
		how += "."
	} else if r.Check(record.ControlsResponsive).State == record.Disproven {
		how = "Whether it has to be started is not known."
	}
	round := ""
	if e.GameOvers > 0 {
		round = fmt.Sprintf(" Rounds ended %d times and were begun again %d times.", e.GameOvers, e.Restarts)
	}
	reach := ""
	if e.Reach.Functions > 0 {
		reach = fmt.Sprintf(" %d of about %d functions of its own code ran.", e.Reach.Executed, e.Reach.Functions)
	}
	return s, fmt.Sprintf("The three checks give %d of 100 points. %s%s%s", score, how, round, reach)
}

// startedBy names what started the game, one gesture after the other where menus
// lay between. What began another round did not start it.
func startedBy(s record.StartRecord) string {
	did := slices.DeleteFunc(s.Gestures(), words.SaysAgain)
	switch n := len(did); {
	case n == 0:
		return "an input"
	case n > 3:
		did = append(did[:3], fmt.Sprintf("%d more", n-3))
	}
	return strings.Join(did, ", then ")
}

func technicalMetric(f facts, r *record.Report) (float64, string) {
	h := f.rec.Health
	s := 100.0
	switch r.Check(record.GameStable).State {
	case record.Disproven:
		s = 15
	case record.Unknown:
		if f.rec.Load.Failure != nil {
			return 0, "There was no game to watch."
		}
		s = 50
	}
	errs := 0
	for _, e := range h.Exceptions {
		errs += e.Count
	}
	if f.rec.Twins != nil && errs == 0 {
		for _, o := range f.rec.Twins.Observations { // the live page was not given these inputs
			if o.Threw != "" {
				errs++
			}
		}
	}
	s -= math.Min(30, 3*float64(errs))
	s -= math.Min(15, float64(len(h.ConsoleErrors))*2)
	if h.LongTasks.Share > 0.5 {
		s -= 15
	}
	blocked := "The main thread was never blocked for long."
	if h.LongTasks.Count > 0 {
		blocked = fmt.Sprintf("The main thread was blocked for %.0f %% of the time, at most %s at a stretch.", 100*h.LongTasks.Share, h.LongTasks.Longest.Round(time.Millisecond))
	}
	parts := []string{plural(errs, "error went uncaught.", "errors went uncaught."), blocked}
	if h.Hung != nil || f.rec.Twins != nil && f.rec.Twins.Alive.Hung != "" {
		parts = parts[:1] // the check says how the page hangs
	}
	if r.Check(record.GameStable).State == record.Disproven {
		parts = append([]string{r.Checks[2].Reason}, parts...)
	} else if r.Check(record.GameLoaded).State == record.Disproven {
		s = math.Min(s, 40) // what is not there throws no errors
		parts = append([]string{"The game did not load, so there was little to watch."}, parts...)
	}
	return s, strings.Join(parts, " ")
}
