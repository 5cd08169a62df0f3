package tasks

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/stage"
)

// Way is what a task is carried out with.
type Way string

// The ways.
const (
	Stage Way = "stage"
	Agent Way = "agent"
)

// Bench holds what the tasks need: the sites, and a folder.
type Bench struct {
	browser *browser.Browser
	sites   *httptest.Server
	dir     string
}

// New serves the sites for a browser. Files go into folders below dir.
func New(b *browser.Browser, dir string) (*Bench, error) {
	if err := os.WriteFile(filepath.Join(dir, File), []byte(content), 0o600); err != nil {
		return nil, err
	}
	return &Bench{browser: b, sites: serve(), dir: dir}, nil
}

// URL is where the sites are.
func (b *Bench) URL() string { return b.sites.URL }

// Close ends the sites.
func (b *Bench) Close() { b.sites.Close() }

// Run carries a task out and says what speaks against its being done. Took is
// the time without starting a context.
func (b *Bench) Run(ctx context.Context, task Task, way Way) (took time.Duration, err error) {
	folder, err := os.MkdirTemp(b.dir, "download")
	if err != nil {
		return 0, err
	}
	opts := &browser.ContextOptions{Tabs: 3, Downloads: &browser.DownloadOptions{Dir: folder}}
	var read []string
	steps := task.Steps
	for {
		part, rest := steps, []Step(nil)
		for i, s := range steps {
			if s.Restart {
				part, rest = steps[:i], steps[i+1:]
				break
			}
		}
		model := &script{steps: part}
		st, err := stage.Open(ctx, b.URL()+task.Path, model, &stage.OpenOptions{Browser: b.browser, Context: opts})
		if err != nil {
			return 0, err
		}
		began := time.Now()
		if way == Agent {
			err = b.agent(ctx, st, model, task.Name)
		} else {
			err = b.stage(ctx, st, part)
		}
		took += time.Since(began)
		read = append(read, model.read...)
		if rest == nil {
			return took, errors.Join(err, b.verify(ctx, task, st, read, folder), st.Close())
		}
		state, serr := st.Page().Context().StorageState(ctx)
		if err := errors.Join(err, serr, st.Close()); err != nil {
			return took, err
		}
		again := *opts
		again.Storage = state
		opts, steps = &again, rest
	}
}

func (b *Bench) stage(ctx context.Context, st *stage.Stage, steps []Step) error {
	for _, s := range steps {
		var err error
		if s.Find != "" {
			_, err = stage.Extract[struct {
				Extraction string `json:"extraction"`
			}](ctx, st, s.Say, nil)
		} else {
			_, err = st.Act(ctx, s.Say, &stage.ActOptions{Variables: Variables, Files: []string{filepath.Join(b.dir, File)}})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Say, err)
		}
	}
	return nil
}

func (b *Bench) agent(ctx context.Context, st *stage.Stage, m *script, goal string) error {
	a, err := agent.New(ctx, st.Page(), m, &agent.Options{Limits: agent.Limits{Steps: 20}, Variables: Variables, Files: []string{filepath.Join(b.dir, File)}, Probe: st.Probe()})
	if err != nil {
		return err
	}
	res, err := a.Run(ctx, goal)
	if err != nil {
		return err
	}
	if !res.Success || res.Verified.Failed > 0 {
		for _, act := range res.Actions {
			if act.Error != "" {
				return fmt.Errorf("%s %s: %s", act.Tool, act.Arguments, act.Error)
			}
		}
		return fmt.Errorf("the agent ended with %s: %s", res.Stop, res.Message)
	}
	st.Use(ctx, a.Page()) // the agent may have gone on in another tab
	return nil
}

// verify looks whether the task is done, whatever was said about it.
func (b *Bench) verify(ctx context.Context, task Task, st *stage.Stage, read []string, folder string) error {
	for i, s := range reads(task) {
		if i >= len(read) || read[i] != s.Want {
			return fmt.Errorf("%s: %q was read, want %q", s.Say, read, s.Want)
		}
	}
	if task.Download != "" {
		return waitFor(ctx, func() error {
			_, err := os.Stat(filepath.Join(folder, task.Download))
			return err
		})
	}
	if task.Done == "" {
		return nil
	}
	return waitFor(ctx, func() error {
		var done bool
		if err := st.Page().Evaluate(ctx, task.Done, &done); err != nil {
			return err
		}
		if !done {
			return fmt.Errorf("%s does not hold", task.Done)
		}
		return nil
	})
}

// patience is how long a page or a file may take after the last step.
const patience = 3 * time.Second

func waitFor(ctx context.Context, holds func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := holds()
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func reads(task Task) []Step {
	var out []Step
	for _, s := range task.Steps {
		if s.Find != "" {
			out = append(out, s)
		}
	}
	return out
}
