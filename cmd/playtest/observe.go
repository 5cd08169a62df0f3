package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa"
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
plays a game, with no model either, finds the controls that it answers to, and draws
those that have a place on a picture.`,
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
	URL       string   `json:"url"`
	Kind      string   `json:"kind"`
	Engine    string   `json:"engine,omitempty"`
	StartedBy []string `json:"startedBy,omitempty"`
	// Hypothesis is a sentence about how the game is played.
	Hypothesis string           `json:"hypothesis,omitempty"`
	Controls   []record.Control `json:"controls"`
	Picture    string           `json:"picture,omitempty"`
}

// album keeps the last picture of the game while it is played.
type album struct{ last []byte }

func (a *album) Picture(name string, png []byte) (string, error) {
	if strings.HasPrefix(name, "phase3-with") || a.last == nil {
		a.last = png
	}
	return name, nil
}

func (a *album) File(string, []byte) error { return nil }

// outlined writes the picture with the controls outlined and returns its path.
func (a *album) outlined(dir string, controls []record.Control) (string, error) {
	if dir == "" || a.last == nil {
		return "", nil
	}
	png, err := qa.Outline(a.last, controls)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "controls.png")
	return path, os.WriteFile(path, png, 0o644)
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
	warnUnsandboxed(cmd.ErrOrStderr(), b)
	pictures := &album{}
	rec, _, err := qa.Run(proxied, b, record.Target{URL: url, Mode: record.ModeStandard, MaxDuration: p.timeout}, &qa.Options{Evidence: pictures, Version: record.Version})
	if err != nil {
		return err
	}
	if f := rec.Load.Failure; f != nil {
		return hint(fmt.Errorf("%s could not be opened: %s", url, f.Message), "check the address, and that the server is running")
	}
	res := found{URL: url, Kind: string(rec.Load.Kind), Engine: rec.Load.Engine.Name, Hypothesis: rec.Discover.Hypothesis, Controls: rec.Discover.Controls}
	if res.Picture, err = pictures.outlined(dir, rec.Discover.Controls); err != nil {
		return fmt.Errorf("draw the controls: %w", err)
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
