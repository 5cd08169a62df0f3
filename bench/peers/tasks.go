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

// taker is a program that carries the tasks out, and what came of each: empty for
// done, "untried", or why not.
type taker struct {
	name string
	done map[string]string
}

// runTasks has the tasks carried out by a stage, by an agent and by both versions
// of Stagehand, and writes which of them were done.
func runTasks(ctx context.Context, chromium browser.Executable, folder, docs string) error {
	b, err := browser.Launch(ctx, &browser.LaunchOptions{Path: chromium.Path})
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
	var takers []taker
	for _, way := range []tasks.Way{tasks.Stage, tasks.Agent} {
		t := taker{string(way), map[string]string{}}
		for _, task := range tasks.All {
			bound, cancel := context.WithTimeout(ctx, time.Minute)
			_, err := bench.Run(bound, task, way)
			cancel()
			if err != nil {
				t.done[task.Name] = err.Error()
			}
		}
		takers = append(takers, t)
	}
	if folder != "" {
		for _, p := range peers[:2] {
			version, err := p.version(filepath.Join(folder, p.dir))
			if err != nil {
				return fmt.Errorf("%s: %w", p.title, err)
			}
			done, err := stagehandTasks(ctx, chromium.Path, filepath.Join(folder, p.dir), version, dir, bench.URL())
			if err != nil {
				return fmt.Errorf("%s: %w", p.title, err)
			}
			takers = append(takers, taker{"Stagehand " + version, done})
		}
	}
	fmt.Print(taskTable(takers))
	if docs == "" {
		return nil
	}
	return writeSection(docs, "tasks", areaTable(takers))
}

func stagehandTasks(ctx context.Context, chromium, folder, version, dir, base string) (map[string]string, error) {
	full, err := filepath.Abs(folder)
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
	major, _, _ := strings.Cut(version, ".")
	var out map[string]string
	err = runScript(bound, &out, "node", "--experimental-websocket", "bench/peers/tasks.mjs", major, full, chromium, base, file, string(variables))
	return out, err
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

// header is the first two lines of a table with these columns before the takers'.
func header(takers []taker, before ...string) string {
	line := "|"
	for _, name := range before {
		line += " " + name + " |"
	}
	for _, t := range takers {
		line += " " + t.name + " |"
	}
	return line + "\n|" + strings.Repeat(" --- |", len(before)+len(takers)) + "\n"
}

func row(b *strings.Builder, name string, tallies []tally) {
	fmt.Fprintf(b, "| %s |", name)
	for _, t := range tallies {
		fmt.Fprintf(b, " %s |", t)
	}
	b.WriteString("\n")
}

// taskTable is what came of each task, as Markdown.
func taskTable(takers []taker) string {
	var b strings.Builder
	b.WriteString(header(takers, "", "task"))
	sums := make([]tally, len(takers))
	for _, task := range tasks.All {
		fmt.Fprintf(&b, "| %s | %s |", task.Area, task.Name)
		for i, t := range takers {
			fmt.Fprintf(&b, " %s |", sums[i].add(t.done, task.Name))
		}
		b.WriteString("\n")
	}
	row(&b, " | done of those tried", sums)
	return b.String()
}

// areaTable is the section of the page: a row for each area, and what was not done.
func areaTable(takers []taker) string {
	var b strings.Builder
	b.WriteString("## Thirty tasks\n\n")
	fmt.Fprintf(&b, "`scripts/bench-peers -tasks`, %s; it prints each task. A scripted model knows what each step wants and has to find the element in the tree that it is\n", time.Now().UTC().Format("2 January 2006"))
	b.WriteString("sent: that says what a program can reach, not what a model understands. The script for Stagehand does not try files and a second context.\n\n")
	b.WriteString(header(takers, "done of those tried"))
	var areas []string
	rows := map[string][]tally{}
	sums := make([]tally, len(takers))
	var missed []string
	for _, task := range tasks.All {
		if rows[task.Area] == nil {
			rows[task.Area] = make([]tally, len(takers))
			areas = append(areas, task.Area)
		}
		for i, t := range takers {
			rows[task.Area][i].add(t.done, task.Name)
			if why, no := strings.CutPrefix(sums[i].add(t.done, task.Name), "no: "); no {
				missed = append(missed, fmt.Sprintf("%s, %s: %s", t.name, task.Name, why))
			}
		}
	}
	for _, area := range areas {
		row(&b, area, rows[area])
	}
	row(&b, "all", sums)
	if len(missed) > 0 {
		fmt.Fprintf(&b, "\nNot done: %s.\n", strings.Join(missed[:min(len(missed), 5)], "; "))
	}
	return b.String()
}
