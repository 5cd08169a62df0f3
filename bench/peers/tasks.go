package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
	text := taskTable(done[tasks.Stage], done[tasks.Agent], theirs)
	fmt.Print(text)
	if docs == "" {
		return nil
	}
	return writeSection(docs, "tasks", text)
}

func stagehandTasks(ctx context.Context, folder, dir, base string) (map[string]string, error) {
	chromium, err := browser.Find("")
	if err != nil {
		return nil, err
	}
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
	cmd := exec.CommandContext(bound, "node", "bench/peers/tasks.mjs", full, chromium.Path, base, file, string(variables))
	cmd.Stderr = os.Stderr
	// Its browser goes with it, also when it hangs and has to be ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("stagehand's tasks: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var out map[string]string
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil {
		return nil, fmt.Errorf("stagehand's answer: %w", err)
	}
	return out, nil
}

// taskTable is what was done as Markdown.
func taskTable(stage, agent, theirs map[string]string) string {
	var b strings.Builder
	b.WriteString("## Thirty tasks\n\n")
	fmt.Fprintf(&b, "`scripts/bench-peers -tasks`, %s. The same sites and the same scripted model, which knows what each step wants and has to find the element in the\n", time.Now().UTC().Format("2 January 2006"))
	b.WriteString("tree that it is sent; what was done is read from the page afterwards. It says what a program can reach, not what a model understands.\n")
	b.WriteString("\"Not tried\" is what our script for Stagehand does not do: files and a second context. It is no finding about Stagehand.\n\n")
	b.WriteString("| | task | stage | agent | Stagehand 3.7.3 |\n| --- | --- | --- | --- | --- |\n")
	var counts, tried [3]int
	for _, task := range tasks.All {
		cells := []string{}
		for i, results := range []map[string]string{stage, agent, theirs} {
			why := results[task.Name]
			switch {
			case i == 2 && theirs == nil:
				cells = append(cells, "-")
			case why == "":
				counts[i]++
				tried[i]++
				cells = append(cells, "done")
			case why == "untried":
				cells = append(cells, "not tried")
			default:
				tried[i]++
				cells = append(cells, "no: "+strings.NewReplacer("|", "/", "\n", " ").Replace(why[:min(len(why), 100)]))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", task.Area, task.Name, strings.Join(cells, " | "))
	}
	fmt.Fprintf(&b, "| | done of those tried | %d of %d | %d of %d | %d of %d |\n", counts[0], tried[0], counts[1], tried[1], counts[2], tried[2])
	return b.String()
}
