package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
)

func newGames() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "games",
		Short: "The bundled games, and the faults that can be put into them",
		Example: `  playtest games list
  playtest games faults
  playtest games serve --addr 127.0.0.1:8080`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newGamesList(), newGamesFaults(), newGamesServe())
	return cmd
}

func newGamesList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the bundled games",
		Example: `  playtest games list
  playtest games list --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return writeGamesJSON(cmd)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKIND\tGENRE\tSTART\tKEYS\tTITLE")
			for _, g := range games.All() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", g.Name, g.Kind, g.Genre, g.Start.Type, shortKeys(g.Keys()), g.Title)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// shortKeys fits a game's keys into a column.
func shortKeys(keys []string) string {
	const most = 8
	switch {
	case len(keys) == 0:
		return "mouse"
	case len(keys) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:most/2], " "), len(keys)-most/2)
	}
	return strings.Join(keys, " ")
}

func writeGamesJSON(cmd *cobra.Command) error {
	type game struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Kind        string          `json:"kind"`
		Genre       string          `json:"genre"`
		Description string          `json:"description"`
		Start       games.Start     `json:"start"`
		Controls    []games.Control `json:"controls"`
	}
	var all []game
	for _, g := range games.All() {
		all = append(all, game{g.Name, g.Title, g.Kind, g.Genre, g.Description, g.Start, g.Controls})
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func newGamesFaults() *cobra.Command {
	return &cobra.Command{
		Use:   "faults",
		Short: "List the faults that can be put into a game",
		Long: `Faults lists what can be done to a game on purpose, to see whether a run notices.
A fault must fail the game. An issue leaves it playable: it must pass, and the
report should name the issue. A trap is harmless and must not fail it.`,
		Example: `  playtest games faults`,
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKIND\tWHAT IT DOES")
			for _, f := range fault.All() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, f.Kind, f.Title)
			}
			return w.Flush()
		},
	}
}

// faulty are the options of a server whose games can be broken.
func faulty(addr string) *games.ServeOptions {
	s := &fault.Switch{}
	return &games.ServeOptions{Addr: addr, Faults: fault.Infos(), Apply: s.Apply}
}

func newGamesServe() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the bundled games until interrupted",
		Long: `Serve puts the bundled games on this machine's loopback address, with a page
that lists them, until it is interrupted. The address is printed on stdout.`,
		Example: `  playtest games serve
  playtest games serve --addr 127.0.0.1:8080`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			srv, err := games.Serve(ctx, faulty(addr))
			if err != nil {
				return hint(err, "choose another address with --addr HOST:PORT")
			}
			fmt.Fprintln(cmd.OutOrStdout(), srv.URL("", 0))
			fmt.Fprintln(cmd.ErrOrStderr(), "press Ctrl-C to stop")
			<-ctx.Done()
			return srv.Close() // being told to stop is how this command ends
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	return cmd
}
