package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/stage"
)

func newAct() *cobra.Command {
	var p pageFlags
	var cache, shot string
	var files []string
	cmd := &cobra.Command{
		Use:   "act URL TEXT [TEXT...]",
		Short: "Act on a page in plain words",
		Long: `Act opens a page and does what each TEXT says, one after the other: "click the
red button", "fill in %name%". The answer is a list in JSON: what was done, to
which element, and what it cost.

With --cache an instruction that was carried out before on such a page is
carried out again without a model.`,
		Example: `  playtest act https://example.com/ "accept the cookies" "open the menu"
  playtest act http://localhost:8080/login "log in as %user% with %password%" --var user=ada --var password
  playtest act http://localhost:8080/ "click START" --cache actions.json`,
		Args: arguments(2, 100, "the page's address, or what to do there,"),
		RunE: func(cmd *cobra.Command, args []string) error {
			vars, err := p.check(cmd, args[0])
			if err != nil {
				return err
			}
			if p.session != "" {
				return forward(cmd, p.session, args, vars)
			}
			p.cache, p.shot = cache, shot
			return p.on(cmd, args[0], func(ctx context.Context, st *stage.Stage) (any, error) {
				done := []*stage.Acted{}
				for _, text := range args[1:] {
					acted, err := st.Act(ctx, text, &stage.ActOptions{Variables: vars, Files: files, Within: p.within})
					acted.Meta.Sent = nil
					done = append(done, acted)
					if err != nil {
						return done, err
					}
				}
				return done, nil
			})
		},
	}
	p.register(cmd)
	f := cmd.Flags()
	f.StringVar(&cache, "cache", "", "`FILE` to keep actions in and replay them from")
	f.StringArrayVar(&files, "file", nil, "`FILE` that may be uploaded")
	f.StringVar(&shot, "screenshot", "", "PNG `FILE` with the page afterwards")
	cmd.MarkFlagFilename("cache", "json")
	cmd.MarkFlagFilename("screenshot", "png")
	return cmd
}

// cacheFor opens the action cache that was asked for, nil for none.
func cacheFor(path string) (*stage.Cache, error) {
	if path == "" {
		return nil, nil
	}
	return stage.OpenCache(filepath.Clean(path))
}
