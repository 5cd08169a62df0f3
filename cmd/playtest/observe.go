package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/explore"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

func newObserve() *cobra.Command {
	var p pageFlags
	var controls bool
	var out string
	cmd := &cobra.Command{
		Use:   "observe URL [TEXT]",
		Short: "Find elements on a page by what they are",
		Long: `Observe opens a page and finds the elements that TEXT is about: buttons, fields,
links, and what is painted on a canvas. The answer is JSON: for each element what
can be done to it and how to find it again.

With --snapshot it prints the page as a tree, with no model. With --controls it
starts a game, with no model either, finds its controls, and draws those that have
a place on a picture.`,
		Example: `  playtest observe https://example.com/ "the ways to pay"
  playtest observe http://localhost:8080/ --snapshot --form interactive
  playtest observe http://localhost:8080/ --controls --out found`,
		Args: arguments(1, 2, "the page's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			vars, err := p.check(cmd, args[0])
			if err != nil {
				return err
			}
			if p.session != "" && !controls {
				return forward(cmd, p.session, args, vars)
			}
			if controls {
				return p.controls(cmd, args[0], out)
			}
			text := ""
			if len(args) > 1 {
				text = args[1]
			}
			return p.on(cmd, args[0], func(ctx context.Context, st *stage.Stage) (any, error) {
				found, err := st.Observe(ctx, text, &stage.ObserveOptions{Within: p.within, Variables: vars})
				if err != nil {
					return nil, err
				}
				found.Meta.Sent = nil
				return found, nil
			})
		},
	}
	p.register(cmd)
	cmd.Flags().BoolVar(&controls, "controls", false, "find a game's controls, and ask no model")
	cmd.Flags().StringVar(&out, "out", "", "`DIR` for the picture with the controls outlined")
	cmd.MarkFlagDirname("out")
	return cmd
}

// found is what discovery prints.
type found struct {
	URL          string           `json:"url"`
	Kind         string           `json:"kind"`
	Engine       string           `json:"engine,omitempty"`
	Hypothesis   string           `json:"hypothesis"`
	StartedBy    []string         `json:"startedBy,omitempty"`
	Controls     []record.Control `json:"controls"`
	Instructions []string         `json:"instructions,omitempty"`
	Picture      string           `json:"picture,omitempty"`
}

// album keeps the picture with the controls outlined.
type album struct{ dir, path string }

func (a *album) Picture(name string, png []byte) (string, error) {
	if a.dir == "" || filepath.Base(name) != name || !strings.Contains(name, "phase2-controls") {
		return name, nil
	}
	a.path = filepath.Join(a.dir, name)
	return name, os.WriteFile(a.path, png, 0o644)
}

// controls loads and starts a game, and prints the controls that it has then.
func (p *pageFlags) controls(cmd *cobra.Command, url, dir string) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), p.timeout)
	defer cancel()
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("results folder: %w", withoutOp(err))
		}
	}
	choice := (&settings{browser: p.browser}).browserChoice()
	proxied, _, gone, err := p.reach.through(ctx, choice, url, nil)
	if err != nil {
		return err
	}
	defer gone()
	b, err := openBrowser(ctx, choice, p.reach.launch(&browser.LaunchOptions{Headed: p.headed}))
	if err != nil {
		return err
	}
	defer b.Close()
	c, err := b.NewContext(proxied, nil)
	if err != nil {
		return err
	}
	rec := &record.Record{
		Version: record.RecordVersion, RunID: qa.NewRunID(), Started: time.Now(), Target: record.Target{URL: url, Mode: record.ModeStandard},
		Environment: record.Environment{Browser: b.Version(), Width: 1280, Height: 720, Cores: runtime.NumCPU()},
	}
	pictures := &album{dir: dir}
	g, err := game.Open(ctx, c, rec, game.Options{Pictures: pictures})
	if err != nil {
		return err
	}
	if err := load.Run(ctx, g); err != nil {
		return hint(fmt.Errorf("%s could not be opened: %w", url, err), "check the address, and that the server is running")
	}
	if f := rec.Load.Failure; f != nil {
		return hint(fmt.Errorf("%s could not be opened: %s", url, f.Message), "check the address, and that the server is running")
	}
	if err := discover.Run(ctx, g); err != nil {
		return fmt.Errorf("finding the controls: %w", err)
	}
	if err := explore.Begin(ctx, g); err != nil {
		return fmt.Errorf("starting the game: %w", err)
	}
	res := found{
		URL: url, Kind: string(rec.Load.Kind), Engine: rec.Load.Engine.Name, Hypothesis: rec.Discover.Hypothesis,
		Controls: rec.Discover.Controls, Instructions: rec.Discover.Instructions, Picture: pictures.path,
	}
	for _, a := range rec.Explore.Start.Attempts {
		if a.Effect {
			res.StartedBy = append(res.StartedBy, a.Gesture)
		}
	}
	if res.Controls == nil {
		res.Controls = []record.Control{}
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	if err := enc.Encode(res); err != nil {
		return errors.Join(errors.New("writing to stdout"), err)
	}
	return nil
}
