package main

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/bench/tasks"
)

func TestTable(t *testing.T) {
	ours, theirs := newResult(), newResult()
	ours.Full["large"], ours.First["large"], ours.Act, ours.Again, ours.MB = 100, 20, 90, 1, 50
	ours.Sent["small"], ours.Sent["large"] = 50, 150
	theirs.Sent["small"], theirs.Sent["large"] = 100, 1000
	ours.tree("canvas", "STARFALL PLAY", 10)
	theirs.Full["large"], theirs.Act = 1000, 600
	theirs.Errors = []string{"cross: it hung"}
	got, unkept := table("Chromium 156", []column{{"stage", ours}, {"Stagehand 3.7.3", theirs}}, []string{"agent-browser: it is not installed"})
	if len(unkept) != 0 {
		t.Errorf("goals that are not kept: %q", unkept)
	}
	for _, want := range []string{
		"| | stage | Stagehand 3.7.3 | ratio | goal |\n| --- | --- | --- | --- | --- |\n",
		"| snapshot, 3000 elements | 100 ms | 1000 ms | 0.10 | 0.15 |\n",
		"| snapshot, viewport first, 3000 elements | 20 ms | 1000 ms | 0.02 | 0.05 |\n",
		"| extract | - | - |  |  |\n",
		"| texts seen on the canvas, of 4 | 2 | 0 | | |\n",
		"Stagehand 3.7.3 on cross: it hung\n",
		"Not measured: agent-browser: it is not installed\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
}

func TestGoals(t *testing.T) {
	keeps := func() *result {
		r := newResult()
		r.Full["large"], r.First["large"], r.Act, r.Again, r.MB = 154, 54, 120, 1.1, 100
		r.Sent["small"], r.Sent["large"] = 50, 17
		return r
	}
	base := newResult()
	base.Full["large"], base.Sent["small"], base.Sent["large"], base.Act = 1000, 100, 100, 1
	tests := []struct {
		name  string
		spoil func(*result)
		want  string // begins the only goal that is not kept
	}{
		{"all kept", func(*result) {}, ""},
		{"whole tree", func(r *result) { r.Full["large"] = 160 }, "snapshot, 3000 elements: 0.16"},
		{"viewport first", func(r *result) { r.First["large"] = 60 }, "snapshot, viewport first, 3000 elements: 0.06"},
		{"tokens of a small page", func(r *result) { r.Sent["small"] = 51 }, "tokens, 50 elements: 0.51"},
		{"tokens of a large page", func(r *result) { r.Sent["large"] = 18 }, "tokens, 3000 elements: 0.18"},
		{"act", func(r *result) { r.Act = 121 }, "act: 121 ms, not 120 ms"},
		{"after frames", func(r *result) { r.Again = 1.2 }, "3000 elements after the frames page to before it: 1.20"},
		{"memory", func(r *result) { r.MB = 101 }, "our process afterwards: 101 MB"},
		{"not measured", func(r *result) { r.Act = 0 }, "act: not measured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ours := keeps()
			tt.spoil(ours)
			text, unkept := table("Chromium 156", []column{{"stage", ours}, {"Stagehand 3.7.3", base}}, nil)
			if tt.want == "" {
				if len(unkept) != 0 {
					t.Errorf("not kept: %q", unkept)
				}
				return
			}
			if len(unkept) != 1 || !strings.HasPrefix(unkept[0], tt.want) || !strings.Contains(text, "Goals that are not kept: "+tt.want) {
				t.Errorf("not kept: %q, want %q in\n%s", unkept, tt.want, text)
			}
		})
	}
}

// A goal that nothing can be held against is not kept.
func TestGoalsNeedTheOther(t *testing.T) {
	ours, hung := newResult(), newResult()
	ours.Full["large"], ours.First["large"], ours.Act, ours.Again, ours.MB = 154, 54, 120, 1.1, 100
	ours.Sent["small"], ours.Sent["large"] = 50, 17
	hung.Sent["small"], hung.Sent["large"], hung.Errors = 100, 100, []string{"large: it hung"}
	if _, unkept := table("Chromium 156", []column{{"stage", ours}, {"Stagehand 3.7.3", hung}}, nil); len(unkept) != 2 || !strings.Contains(unkept[0], "no number of Stagehand 3's") {
		t.Errorf("not kept: %q", unkept)
	}
	if _, unkept := table("Chromium 156", []column{{"stage", ours}}, nil); len(unkept) != 0 {
		t.Errorf("alone: %q", unkept)
	}
}

func TestTaskTables(t *testing.T) {
	first := tasks.All[0]
	untried := map[string]string{}
	for _, task := range tasks.All {
		untried[task.Name] = "untried"
	}
	untried[first.Name] = "a | b"
	takers := []taker{{"stage", map[string]string{}}, {"Stagehand 4.4.0", untried}}
	for _, got := range []string{taskTable(takers), areaTable(takers)} {
		if !strings.Contains(got, "30 of 30 | 0 of 1 |\n") {
			t.Errorf("the sums are missing from\n%s", got)
		}
	}
	if got := areaTable(takers); !strings.Contains(got, "| done of those tried | stage | Stagehand 4.4.0 |\n| --- | --- | --- |\n") ||
		!strings.Contains(got, "Not done: Stagehand 4.4.0, "+first.Name+": a / b.\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestChosen(t *testing.T) {
	if some, err := chosen("stagehand-go,agent-browser"); err != nil || len(some) != 2 || some[0].title != "Stagehand Go" || some[1].title != "agent-browser" {
		t.Errorf("got %v, %v", some, err)
	}
	for _, list := range []string{"selenium", "stagehand3,", ""} {
		if some, err := chosen(list); err == nil {
			t.Errorf("%q chose %d programs", list, len(some))
		}
	}
}
