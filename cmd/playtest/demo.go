package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"playtest/games"
)

// demoGame is played when none is named: it shows keys, pictures and a score.
const demoGame = "ridge"

func newDemo() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "demo [GAME]",
		Short: "Play a bundled game",
		Long: `Demo serves one of the bundled games on this machine and plays it. It needs no
network. "playtest games list" names the games.`,
		Example: `  playtest demo
  playtest demo noughts
  playtest demo starfall --headed`,
		Args: arguments(0, 1, ""),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, g := range games.All() {
				names = append(names, g.Name+"\t"+g.Title)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := demoGame
			if len(args) == 1 {
				name = args[0]
			}
			game, err := games.Find(name)
			if err != nil {
				var unknown *games.UnknownError
				if errors.As(err, &unknown) {
					return hint(usage(cmd, "%v", err), "playtest games list names them all")
				}
				return err
			}
			srv, err := games.Serve(cmd.Context(), nil)
			if err != nil {
				return fmt.Errorf("serving the bundled games: %w", err)
			}
			defer srv.Close()
			target, err := s.target(cmd, srv.URL(game.Name, int(s.seed)))
			if err != nil {
				return err
			}
			return s.play(cmd, target)
		},
	}
	s.register(cmd, "none")
	return cmd
}
