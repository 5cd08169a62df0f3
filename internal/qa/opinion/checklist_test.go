package opinion_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// Runs that differ in what became of the actions.
var runs = []struct {
	name   string
	change func(*record.Record)
}{
	{"no actions, page never opened", func(r *record.Record) {
		r.Interrupted, r.Load, r.Discover, r.Explore = "cancelled", record.LoadRecord{}, record.DiscoverRecord{}, record.ExploreRecord{}
		r.Health, r.Twins, r.Actions, r.Screenshots = record.HealthRecord{}, nil, nil, nil
	}},
	{"no actions, page opened", func(r *record.Record) {
		r.Interrupted, r.Explore, r.Actions, r.Twins = "cancelled", record.ExploreRecord{}, nil, &record.TwinRecord{Opened: true, Repeatable: true}
	}},
	{"all actions failed", func(r *record.Record) {
		for i := range r.Actions {
			r.Actions[i].Success, r.Actions[i].Effect, r.Actions[i].Error = false, "", "the page did not take it"
		}
		r.Explore.Trials, r.Twins.Observations[0].Pixels = nil, 0
	}},
	{"all actions failed, page blank", func(r *record.Record) {
		for i := range r.Actions {
			r.Actions[i].Success, r.Actions[i].Effect, r.Actions[i].Error = false, "", "the page did not take it"
		}
		r.Explore.Trials, r.Load.Blank, r.Twins.Blank, r.Twins.Observations[0].Pixels = nil, true, true, 0
	}},
	{"all actions sent, game answers", func(r *record.Record) {
		for i := range r.Actions {
			r.Actions[i].Success, r.Actions[i].Error = true, ""
		}
	}},
	{"all actions sent, handlers dead", func(r *record.Record) {
		for i := range r.Actions {
			r.Actions[i].Success, r.Actions[i].Effect, r.Actions[i].Error = true, "", ""
		}
		r.Explore.Trials[0] = record.Trial{ControlID: "key:ArrowLeft", Outcome: record.Unresponsive, Reason: "nothing changed", Windows: 5, Negatives: 6, Delivered: 5}
		r.Twins.Observations[0].Pixels, r.Twins.Modalities[0].Ran = 0, false
	}},
	{"crashed while it answered", func(r *record.Record) {
		r.Health.Crashed = &record.Incident{What: "the page's process crashed"}
	}},
}

// outcome is what is promised of a report, without words that may be improved.
type outcome struct {
	Run         string            `json:"run"`
	Status      record.Verdict    `json:"status"`
	Score       int               `json:"playability_score"`
	Checks      map[string]string `json:"checks"`
	SuccessRate float64           `json:"actionSuccessRate"`
	Added       []string          `json:"added_by_the_fallback"`
}

// judged is each run as measured, and as it stands when the model is down.
func judged(t *testing.T) []outcome {
	t.Helper()
	var all []outcome
	for _, run := range runs {
		rec := healthy()
		run.change(rec)
		before := evaluate.Evaluate(rec, rec.Finished)
		var rep *record.Report
		synctest.Test(t, func(t *testing.T) {
			var err error
			if rep, err = opinion.Refine(t.Context(), rec, before, fails(model.ErrOverloaded), nil); err != nil {
				t.Fatal(err)
			}
		})
		o := outcome{Run: run.name, Status: rep.Status, Score: rep.PlayabilityScore, Checks: map[string]string{}, SuccessRate: rep.Metadata.ActionSuccessRate}
		for _, c := range rep.Checks {
			o.Checks[string(c.Name)] = string(c.State)
		}
		for _, i := range rep.Issues[len(before.Issues):] {
			o.Added = append(o.Added, string(i.Severity)+": "+i.Description)
		}
		all = append(all, o)
	}
	return all
}

func TestOutcomes(t *testing.T) { goldenJSON(t, "outcomes", judged(t)) }

// The validation list of the evaluation that this one grew out of, line by
// line. Where a line took a sent action for a working game, the measurement
// decides instead; the line says so.
func TestValidationList(t *testing.T) {
	list := judged(t)
	by := func(name string) outcome {
		i := slices.IndexFunc(list, func(o outcome) bool { return o.Run == name })
		if i < 0 {
			t.Fatalf("no run %q", name)
		}
		return list[i]
	}
	each := func(t *testing.T, ok func(outcome) bool) {
		t.Helper()
		for _, o := range list {
			if !ok(o) {
				t.Errorf("%+v", o)
			}
		}
	}
	rec := healthy()
	rep := evaluate.Evaluate(rec, rec.Finished)

	t.Run("the result has all required fields", func(t *testing.T) {
		data, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"status", "playability_score", "overall_score", "confidence", "checks", "metrics", "issues", "screenshots", "timestamp", "metadata", "evaluator"} {
			if len(fields[name]) == 0 || string(fields[name]) == "null" {
				t.Errorf("%s is missing", name)
			}
		}
	})
	t.Run("the score is one of 0 30 40 60 70 100", func(t *testing.T) {
		each(t, func(o outcome) bool { return slices.Contains([]int{0, 30, 40, 60, 70, 100}, o.Score) })
	})
	t.Run("there are all three checks, each true, false or undecided", func(t *testing.T) {
		each(t, func(o outcome) bool {
			for _, state := range o.Checks {
				if state != yes && state != no && state != unclear {
					return false
				}
			}
			return len(o.Checks) == 3
		})
	})
	t.Run("issues have proper severities", func(t *testing.T) {
		for _, run := range runs {
			rec := healthy()
			run.change(rec)
			for _, i := range evaluate.Evaluate(rec, rec.Finished).Issues {
				if i.Severity != record.Critical && i.Severity != record.Major && i.Severity != record.Minor || i.Description == "" {
					t.Errorf("%s: %+v", run.name, i)
				}
			}
		}
	})
	t.Run("screenshots are the record's", func(t *testing.T) {
		if !slices.Equal(rep.Screenshots, rec.Screenshots) {
			t.Errorf("%+v", rep.Screenshots)
		}
	})
	t.Run("metadata has correct counts", func(t *testing.T) {
		if m := rep.Metadata; len(m.ActionHistory) != 3 || m.ActionSuccessRate != 0.667 || len(m.ConsoleErrors) != 1 {
			t.Errorf("%d actions, rate %v, %d errors", len(m.ActionHistory), m.ActionSuccessRate, len(m.ConsoleErrors))
		}
	})
	t.Run("a score below the threshold never passes, and no pass without all three", func(t *testing.T) {
		each(t, func(o outcome) bool {
			all := o.Checks["gameLoaded"] == yes && o.Checks["controlsResponsive"] == yes && o.Checks["gameStable"] == yes
			return (o.Status == record.Pass) == (all && o.Score >= 50)
		})
	})
	t.Run("the score is 30, 40 and 30 for what is proven", func(t *testing.T) {
		each(t, func(o outcome) bool {
			sum := 0
			for name, state := range o.Checks {
				if state == yes {
					sum += record.Points[record.CheckName(name)]
				}
			}
			return sum == o.Score
		})
	})
	t.Run("the fallback is the measured result and says so", func(t *testing.T) {
		each(t, func(o outcome) bool { return len(o.Added) == 1 })
	})
	t.Run("no actions: nothing that needs one is proven, 0 when nothing was opened", func(t *testing.T) {
		if o := by("no actions, page never opened"); o.Score != 0 || o.Status == record.Pass {
			t.Errorf("%+v", o)
		}
		if o := by("no actions, page opened"); o.Score > 30 || o.Status == record.Pass {
			t.Errorf("%+v", o)
		}
	})
	t.Run("all actions failed: controls are not proven, and 30 at most when nothing is to be seen", func(t *testing.T) {
		if o := by("all actions failed"); o.Checks["controlsResponsive"] == yes || o.Status == record.Pass || o.SuccessRate != 0 {
			t.Errorf("%+v", o)
		}
		if o := by("all actions failed, page blank"); o.Score > 30 || o.Checks["gameLoaded"] != no {
			t.Errorf("%+v", o)
		}
	})
	t.Run("all actions successful: 100 when the game answers, and only then", func(t *testing.T) {
		if o := by("all actions sent, game answers"); o.Score != 100 || o.Status != record.Pass {
			t.Errorf("%+v", o)
		}
		if o := by("all actions sent, handlers dead"); o.Score != 60 || o.Status != record.Fail || o.SuccessRate != 1 {
			t.Errorf("%+v", o)
		}
	})
}

// A model's opinion on each of these runs changes neither score nor verdict,
// whichever way it lies.
func TestLyingChangesNoVerdict(t *testing.T) {
	for _, run := range runs {
		for _, lie := range []string{yes, no} {
			rec := healthy()
			run.change(rec)
			before := evaluate.Evaluate(rec, rec.Finished)
			lies := said{Reasoning: "I know it.", GameLoaded: lie, ControlsResponsive: lie, GameStable: lie,
				Issues: []issue{{"critical", "It cannot be played at all.", []string{"A1", "L1", "C1"}}}}
			after, err := opinion.Refine(t.Context(), rec, before, modeltest.Replies("test/liar", lies.String()), nil)
			if err != nil {
				t.Fatal(err)
			}
			if after.Status != before.Status || after.PlayabilityScore != before.PlayabilityScore || after.OverallScore != before.OverallScore {
				t.Errorf("%s, says %s: %s %d, measured was %s %d", run.name, lie, after.Status, after.PlayabilityScore, before.Status, before.PlayabilityScore)
			}
			disagrees := slices.ContainsFunc(before.Checks, func(c record.Check) bool { return c.State != record.Unknown && string(c.State) != lie })
			doubted := disagrees && before.Confidence > 0 // an undecided run has none
			if doubted != (after.Confidence < before.Confidence) || disagrees != (len(after.Opinion.Disagreements) > 0) {
				t.Errorf("%s, says %s: confidence %v after %v, %v", run.name, lie, after.Confidence, before.Confidence, after.Opinion.Disagreements)
			}
		}
	}
}
