package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/bench/tasks"
	"github.com/playtest-dev/playtest/browser"
)

// runTasks has the tasks carried out by a stage, by an agent and by Stagehand, and
// writes which of them were done.
func runTasks(ctx context.Context, folder, docs string) error {
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bench, err := tasks.New(b, dir)
	if err != nil {
		return err
	}
	defer bench.Close()
	done := map[tasks.Way]map[string]string{}
	for _, way := range []tasks.Way{tasks.Stage, tasks.Agent} {
		done[way] = map[string]string{}
		for _, task := range tasks.All {
			bound, cancel := context.WithTimeout(ctx, time.Minute)
			_, err := bench.Run(bound, task, way)
			cancel()
			if err != nil {
				done[way][task.Name] = err.Error()
			}
		}
	}
	var theirs map[string]string
	if folder != "" {
		if theirs, err = stagehandTasks(ctx, folder, dir, bench.URL()); err != nil {
			return err
		}
	}
	fmt.Print(taskTable(done[tasks.Stage], done[tasks.Agent], theirs))
	if docs == "" {
		return nil
	}
	return writeSection(docs, "tasks", areaTable(done[tasks.Stage], done[tasks.Agent], theirs))
}

func stagehandTasks(ctx context.Context, folder, dir, base string) (map[string]string, error) {
	chromium, err := browser.Find("")
	if err != nil {
		return nil, err
	}
	full, err := filepath.Abs(filepath.Join(folder, "stagehand3"))
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(tasks.All)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "tasks.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return nil, err
	}
	variables, err := json.Marshal(tasks.Variables)
	if err != nil {
		return nil, err
	}
	bound, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	var out map[string]string
	if err := runNode(bound, &out, "bench/peers/tasks.mjs", full, chromium.Path, base, file, string(variables)); err != nil {
		return nil, fmt.Errorf("stagehand's tasks: %w", err)
	}
	return out, nil
}

// tally is how many tasks were done of those that were tried.
type tally struct{ done, tried int }

func (t tally) String() string {
	if t.tried == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", t.done, t.tried)
}

// add counts one task and says what came of it.
func (t *tally) add(results map[string]string, task string) string {
	why := results[task]
	switch {
	case results == nil:
		return "-"
	case why == "":
		t.done++
		t.tried++
		return "done"
	case why == "untried":
		return "not tried"
	}
	t.tried++
	return "no: " + strings.NewReplacer("|", "/", "\n", " ").Replace(why[:min(len(why), 100)])
}

// entrants are the columns of both tables, after the name.
const entrants = "stage | agent | Stagehand 3.7.3 |\n"

// taskTable is what came of each task, as Markdown.
func taskTable(stage, agent, theirs map[string]string) string {
	var b strings.Builder
	b.WriteString("| | task | " + entrants + "| --- | --- | --- | --- | --- |\n")
	var sums [3]tally
	for _, task := range tasks.All {
		fmt.Fprintf(&b, "| %s | %s |", task.Area, task.Name)
		for i, results := range []map[string]string{stage, agent, theirs} {
			fmt.Fprintf(&b, " %s |", sums[i].add(results, task.Name))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| | done of those tried | %s | %s | %s |\n", sums[0], sums[1], sums[2])
	return b.String()
}

// areaTable is the section of the page of benchmarks: a row for each area, and what was not done.
func areaTable(stage, agent, theirs map[string]string) string {
	var b strings.Builder
	b.WriteString("## Thirty tasks\n\n")
	fmt.Fprintf(&b, "`scripts/bench-peers -tasks`, %s; it prints each task. A scripted model knows what each step wants and has to find the element in the tree that it is\n", time.Now().UTC().Format("2 January 2006"))
	b.WriteString("sent: that says what a program can reach, not what a model understands. The script for Stagehand does not try files and a second context.\n\n")
	b.WriteString("| done of those tried | " + entrants + "| --- | --- | --- | --- |\n")
	var areas []string
	rows := map[string]*[3]tally{}
	var sums [3]tally
	var missed []string
	for _, task := range tasks.All {
		row := rows[task.Area]
		if row == nil {
			row = new([3]tally)
			rows[task.Area] = row
			areas = append(areas, task.Area)
		}
		for i, results := range []map[string]string{stage, agent, theirs} {
			row[i].add(results, task.Name)
			if why := sums[i].add(results, task.Name); strings.HasPrefix(why, "no: ") {
				missed = append(missed, fmt.Sprintf("%s, %s: %s", []string{"stage", "agent", "Stagehand"}[i], task.Name, strings.TrimPrefix(why, "no: ")))
			}
		}
	}
	for _, area := range areas {
		row := rows[area]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", area, row[0], row[1], row[2])
	}
	fmt.Fprintf(&b, "| all | %s | %s | %s |\n", sums[0], sums[1], sums[2])
	if len(missed) > 0 {
		fmt.Fprintf(&b, "\nNot done: %s.\n", strings.Join(missed[:min(len(missed), 5)], "; "))
	}
	return b.String()
}
