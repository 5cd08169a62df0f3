package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/bench"
)

func newBenchFetch() *cobra.Command {
	var labelFile string
	var round int
	cmd := &cobra.Command{
		Use:   "fetch DIR",
		Short: "Lay the games of packages out in a folder and say which others are missing",
		Long: `Fetch looks which of the labelled games lie in DIR, each in a folder of its name,
as playtest bench --real expects them. Games of npm packages that are missing are
laid out there; nothing of a package is run. Of games of repositories it prints
where they come from and where to put them.`,
		Example: `  playtest bench fetch games
  playtest bench fetch games --round 16`,
		Args: arguments(1, 1, "DIR is where the games lie"),
		RunE: func(cmd *cobra.Command, args []string) error {
			labels, err := bench.ReadLabels(labelFile)
			if err != nil {
				return err
			}
			missing := bench.Missing(labels, args[0], round)
			out, progress := cmd.OutOrStdout(), cmd.ErrOrStderr()
			var errs []error
			repos := 0
			for _, l := range missing {
				if l.Package == "" {
					repos++
					fmt.Fprintf(out, "%s: %s at %s; put %s into %s/%s\n", l.Name, l.Repo, l.Commit, below(l.Root), args[0], l.Name)
					continue
				}
				fmt.Fprintf(progress, "fetching %s\n", l.Package)
				if err := bench.FetchPackage(cmd.Context(), l, args[0]); err != nil {
					errs = append(errs, err)
				}
			}
			if repos > 0 {
				fmt.Fprintf(progress, "%d games of repositories are missing\n", repos)
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&labelFile, "games", realLabels, "labels of games, a JSON `FILE`")
	cmd.Flags().IntVar(&round, "round", 0, "only the games that were first played in this round")
	return cmd
}

func below(root string) string {
	if root == "" {
		return "all of it"
	}
	return root
}
