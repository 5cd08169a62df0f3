package metadata_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func TestParseRubric(t *testing.T) {
	want := &metadata.Rubric{
		Weights: map[string]float64{metadata.MetricVisual: 2.5, metadata.MetricPlayability: 5}, Threshold: 70,
		Questions: []metadata.Question{{Ask: "Is there a tutorial?"}, {Ask: "Is text cut off?", Expect: "no", Severity: record.Major}},
	}
	for name, file := range map[string]string{
		"json": `{"weights": {"visual": 2.5, "playability": 5}, "threshold": 70,
			"questions": ["Is there a tutorial?", {"ask": "Is text cut off?", "expect": "no", "severity": "major"}], "x-note": "ours"}`,
		"yaml":               "weights: {visual: 2.5, playability: 5}\nthreshold: 70\nquestions:\n- Is there a tutorial?\n- {ask: Is text cut off?, expect: No, severity: major}\n",
		"yaml with booleans": "weights: {visual: 2.5, playability: 5}\nthreshold: 70\nquestions:\n- Is there a tutorial?\n- {ask: Is text cut off?, expect: false, severity: major}\n",
	} {
		got, err := metadata.ParseRubric([]byte(file))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestParseRubricNamesTheField(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "rubric: is empty"},
		{"cut short", `{"weights": {`, "rubric: is not valid JSON: it ends too early"},
		{"a list", "- visual", "rubric: must be an object with weights, threshold or questions, not a list"},
		{"unknown field", "treshold: 40", `rubric: treshold: is not a known field; did you mean "threshold"? (line 1)`},
		{"unknown metric", "weights: {visuals: 1}", `rubric: weights.visuals: is not a known field; did you mean "visual"?`},
		{"weight in words", "weights: {visual: much}", "rubric: weights.visual: must be a number, not text"},
		{"negative weight", "weights: {visual: -1}", "rubric: weights.visual: must be between 0 and"},
		{"no weight at all", "weights: {visual: 0}", "rubric: all weights are zero"},
		{"threshold too high", "threshold: 101", "rubric: threshold: must be between 0 and 100, not 101"},
		{"half a point", "threshold: 50.5", "rubric: threshold: must be a whole number, not 50.5"},
		{"questions no list", "questions: {ask: x}", "rubric: questions: must be a list, not an object"},
		{"question without text", "questions: [{expect: yes}]", "rubric: questions[0].ask: is missing"},
		{"empty question", `questions: ["fine?", ""]`, "rubric: questions[1].ask is missing"},
		{"third answer", "questions: [{ask: x, expect: maybe}]", `rubric: questions[0].expect: must be yes or no, not "maybe"`},
		{"severity of its own", "questions: [{ask: x, severity: fatal}]", `rubric: questions[0].severity: must be one of critical, major, minor, not "fatal"`},
		{"too many questions", "questions: [" + strings.Repeat("x?, ", 51) + "]", "rubric: questions are 51; at most 50"},
		{"two at once", "threshold: x\nweights: {fun: 1}", "rubric: weights.fun"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := metadata.ParseRubric([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	_, err := metadata.ParseRubric([]byte("threshold: x\nweights: {fun: 1}"))
	var all *metadata.RubricError
	if !errors.As(err, &all) || len(all.Problems) != 2 {
		t.Errorf("not everything was reported: %v", err)
	}
}
