package evaluate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// declares gives a record metadata, and a trial for each key that is named.
func declares(t *testing.T, meta string, trials map[string]record.Outcome) *record.Record {
	t.Helper()
	m, err := metadata.Parse([]byte(meta))
	if err != nil {
		t.Fatal(err)
	}
	rec := healthy()
	rec.Target.Metadata = m
	for key, outcome := range trials {
		c := record.Control{ID: "key:" + key, Type: record.ControlKey, Keys: []string{key}, Description: "the key " + key, Sources: []string{"metadata"}}
		if key == "canvas" {
			c = record.Control{ID: "click:canvas", Type: record.ControlClick, Description: "a click on the canvas"}
		}
		rec.Discover.Controls = append(rec.Discover.Controls, c)
		rec.Explore.Trials = append(rec.Explore.Trials, record.Trial{ControlID: c.ID, Outcome: outcome, Reason: "measured", Windows: 3, Delivered: 3})
	}
	return rec
}

func TestDeclaredControls(t *testing.T) {
	const (
		yes  = record.Responsive
		no   = record.Unresponsive
		open = record.Undecided
	)
	for _, tt := range []struct {
		name     string
		meta     string
		trials   map[string]record.Outcome
		change   func(*record.Record)
		want     record.Outcome
		dead     string
		severity record.Severity // of the issue; "" for none
		issue    string
	}{
		{"an action works", `inputSchema: {actions: [{name: Fire, keys: [Space]}]}`, map[string]record.Outcome{"Space": yes}, nil, yes, "", "", ""},
		{"an action is dead", `inputSchema: {actions: [{name: Fire, keys: [Space, X]}]}`, map[string]record.Outcome{"Space": no, "KeyX": no}, nil,
			no, "", record.Major, `The declared action "Fire" (Space, X) does not respond.`},
		{"a critical action is dead", `{inputSchema: {actions: [{name: Fire, keys: [Space]}]}, testingStrategy: {criticalActions: [Fire]}}`, map[string]record.Outcome{"Space": no}, nil,
			no, "", record.Critical, `The critical declared action "Fire" (Space) does not respond.`},
		{"one of two keys is dead", `inputSchema: {actions: [{name: Fire, keys: [Space, X]}]}`, map[string]record.Outcome{"Space": yes, "KeyX": no}, nil,
			yes, "X", record.Minor, `The declared action "Fire" (Space, X) does not respond to X.`},
		{"an axis works both ways", `inputSchema: {axes: [{name: Steer, keys: [A, D]}]}`, map[string]record.Outcome{"KeyA": yes, "KeyD": yes}, nil, yes, "", "", ""},
		{"an axis works by either key", `inputSchema: {axes: [{name: Steer, keys: [A, D, ArrowLeft, ArrowRight]}]}`, map[string]record.Outcome{"KeyA": yes, "ArrowRight": yes}, nil, yes, "", "", ""},
		{"an axis works one way", `inputSchema: {axes: [{name: Steer, keys: [A, D]}]}`, map[string]record.Outcome{"KeyA": yes, "KeyD": no}, nil,
			yes, "right (D)", record.Minor, `The declared axis "Steer" (A, D) does not respond to right (D).`},
		{"a critical axis works one way", `{inputSchema: {axes: [{name: Steer, keys: [A, D]}]}, testingStrategy: {criticalAxes: [Steer]}}`, map[string]record.Outcome{"KeyA": yes, "KeyD": no}, nil,
			yes, "right (D)", record.Major, `The critical declared axis "Steer" (A, D) does not respond to right (D).`},
		{"an axis is dead", `inputSchema: {axes: [{name: Steer, keys: [A, D]}]}`, map[string]record.Outcome{"KeyA": no, "KeyD": no}, nil,
			no, "", record.Major, `The declared axis "Steer" (A, D) does not respond.`},
		{"not tried", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, nil, nil, open, "", "", ""},
		{"silent, but a scan saw its code", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, map[string]record.Outcome{"KeyX": no}, func(r *record.Record) {
			r.Discover.Controls[1].Reaches = []record.CodePlace{{Function: "fire"}}
		}, open, "", "", ""},
		{"the whole keyboard is dead", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, map[string]record.Outcome{"canvas": yes}, func(r *record.Record) {
			r.Explore.Trials = r.Explore.Trials[1:]
			r.Twins.Modalities[0].Ran = false
		}, no, "", record.Major, `The declared action "Fire" (X) does not respond.`},
		{"typed letters", `inputSchema: {actions: [{name: Spell, keys: [X]}]}`, nil, func(r *record.Record) {
			r.Explore.Trials = append(r.Explore.Trials, record.Trial{ControlID: "type:letters", Outcome: yes})
		}, yes, "", "", ""},
		{"the pointer", `inputSchema: {actions: [{name: Aim}]}`, map[string]record.Outcome{"canvas": yes}, nil, yes, "", "", ""},
		{"the pointer is dead", `inputSchema: {actions: [{name: Aim}]}`, map[string]record.Outcome{"canvas": no}, nil,
			no, "", record.Major, `The declared action "Aim" does not respond.`},
		{"a gamepad", `inputSchema: {actions: [{name: Rumble, keys: [gamepad]}]}`, nil, nil, open, "", "", ""},
		{"nothing answered, so it may not have begun", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, map[string]record.Outcome{"KeyX": no}, func(r *record.Record) {
			r.Explore.Trials[0].Outcome = open
			r.Twins.Observations, r.Twins.Exhausted = nil, false
		}, open, "", "", ""},
		{"a start was asked for and not found", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, map[string]record.Outcome{"KeyX": no}, func(r *record.Record) {
			r.Explore.Start = record.StartRecord{Needed: true}
		}, open, "", "", ""},
		{"only a click did anything", `inputSchema: {actions: [{name: Fire, keys: [X]}]}`, map[string]record.Outcome{"KeyX": no, "canvas": yes}, func(r *record.Record) {
			r.Explore.Trials[0].Outcome = no
		}, open, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := declares(t, tt.meta, tt.trials)
			if tt.change != nil {
				tt.change(rec)
			}
			rep := evaluate.Evaluate(rec, rec.Finished)
			if len(rep.Declared) != 1 {
				t.Fatalf("declared %+v", rep.Declared)
			}
			d := rep.Declared[0]
			if d.Outcome != tt.want || d.Reason == "" || strings.Join(d.Dead, ", ") != tt.dead {
				t.Errorf("%+v, want %s, dead %q", d, tt.want, tt.dead)
			}
			var found []record.Issue
			for _, i := range rep.Issues {
				if strings.Contains(i.Description, "declared") {
					found = append(found, i)
				}
			}
			switch {
			case tt.issue == "" && len(found) > 0:
				t.Errorf("issues %+v", found)
			case tt.issue != "" && (len(found) != 1 || found[0].Severity != tt.severity || found[0].Description != tt.issue):
				t.Errorf("issues %+v, want %s: %s", found, tt.severity, tt.issue)
			}
		})
	}
}

// Every indicator of the metadata is in the report, also of a game that was
// never played, and each that was missed is an issue.
func TestIndicators(t *testing.T) {
	const metadata = `
loadingIndicators: [{type: element, selector: "#game"}, {type: text, pattern: ready}]
successIndicators: [{type: score_change, selector: "#score"}, {type: animation, description: the flag waves}]`
	met := record.IndicatorResult{Met: true, Detail: `"0" became "3"`}
	for _, tt := range []struct {
		name             string
		loading, success []record.IndicatorResult
		want             []bool
	}{
		{"all met", []record.IndicatorResult{met, met}, []record.IndicatorResult{met, met}, []bool{true, true, true, true}},
		{"one of each missed", []record.IndicatorResult{met, {}}, []record.IndicatorResult{met, {Detail: "it stood still"}}, []bool{true, false, true, false}},
		{"never played", nil, nil, []bool{false, false, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := declares(t, metadata, nil)
			rec.Load.Indicators, rec.Explore.Indicators = tt.loading, tt.success
			rep := evaluate.Evaluate(rec, rec.Finished)
			var got []bool
			missed := 0
			for _, in := range rep.Indicators {
				got = append(got, in.Met)
				if in.Detail == "" || in.Text == "" {
					t.Errorf("%+v does not say what was measured", in)
				}
				if !in.Met {
					missed++
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%+v", rep.Indicators)
			}
			for _, i := range rep.Issues {
				if strings.Contains(i.Description, "indicator") {
					missed--
				}
			}
			if missed != 0 {
				t.Errorf("issues %+v", rep.Issues)
			}
		})
	}
}
