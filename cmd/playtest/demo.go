package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
)

// demoGame is played when none is named: a board that anyone knows.
const demoGame = "noughts"

func newDemo() *cobra.Command {
	var s settings
	var broken string
	cmd := &cobra.Command{
		Use:   "demo [GAME]",
		Short: "Play a bundled game",
		Long: `Demo serves one of the bundled games on this machine and plays it. It needs no
network. With --fault the game is broken on purpose first. "playtest games list"
names the games, "playtest games faults" the faults.`,
		Example: `  playtest demo
  playtest demo noughts
  playtest demo starfall --headed
  playtest demo ridge --fault keys-ignored
  playtest demo lights --mode adaptive`,
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
			url := func(srv *games.Server) string { return srv.URL(game.Name, int(s.seed)) }
			if broken != "" {
				if _, ok := fault.Get(broken); !ok {
					return hint(usage(cmd, "there is no fault called %q", broken), "playtest games faults names them all")
				}
				url = func(srv *games.Server) string { return srv.FaultURL(game.Name, broken, int(s.seed)) }
			}
			srv, err := games.Serve(cmd.Context(), faulty(""))
			if err != nil {
				return fmt.Errorf("serving the bundled games: %w", err)
			}
			defer srv.Close()
			target, err := s.target(cmd, url(srv))
			if err != nil {
				return err
			}
			return s.play(cmd, target)
		},
	}
	s.register(cmd, "none")
	s.modes = &modes{}
	s.modes.register(cmd)
	s.modes.registerTools(cmd)
	cmd.Flags().StringVar(&broken, "fault", "", "break the game on purpose with the fault of that `NAME`")
	cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, f := range fault.All() {
			names = append(names, f.Name+"\t"+f.Title)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}
