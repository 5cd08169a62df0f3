package tasks_test

import (
	"context"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/bench/tasks"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
)

var chromium *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &chromium) }

// Each task is done by a stage and by an agent.
func TestTasks(t *testing.T) {
	if len(tasks.All) != 30 {
		t.Errorf("there are %d tasks", len(tasks.All))
	}
	b, err := tasks.New(chromium, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	for _, way := range []tasks.Way{tasks.Stage, tasks.Agent} {
		for _, task := range tasks.All {
			t.Run(string(way)+"/"+task.Area+"/"+task.Name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				t.Cleanup(cancel)
				took, err := b.Run(ctx, task, way)
				if err != nil {
					t.Error(err)
				}
				t.Logf("%v", took.Round(time.Millisecond))
			})
		}
	}
}
