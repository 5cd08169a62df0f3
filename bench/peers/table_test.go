package main

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/bench/tasks"
)

func TestTable(t *testing.T) {
	ours, theirs := newResult(), newResult()
	ours.Full["large"], ours.First["large"], ours.Act = 100, 20, 90
	ours.tree("canvas", "STARFALL PLAY", 10)
	theirs.Full["large"], theirs.Act = 1000, 600
	theirs.Errors = []string{"cross: it hung"}
	got := table([]column{{"stage", ours}, {"Stagehand 3.7.3", theirs}}, []string{"agent-browser: it is not installed"})
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
