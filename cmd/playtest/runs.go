package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
)

func newRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Submit runs to be played, and see what became of them",
		Long: `Runs are kept in a database, their pictures and logs beside it. What was submitted
is played by a worker (playtest worker), whatever dies on the way.`,
		Example: `  playtest runs submit https://example.com/game/
  playtest runs list --status failed
  playtest runs show 20261115-041821-a376b5a1c0ffee00`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newRunsSubmit(), newRunsList(), newRunsShow(), newRunsTrend(), newRunsCancel(), newRunsRetry(), newRunsExport(), newRunsImport(), newRunsPrune())
	return cmd
}

func newRunsList() *cobra.Command {
	var s storage
	var status, host string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Example: `  playtest runs list
  playtest runs list --status parked --json
  playtest runs list --host games.example.com --limit 200`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if status != "" && !slices.Contains(store.Statuses, store.Status(status)) {
				return usage(cmd, "--status %q is not one of %s", status, statusNames())
			}
			if limit < 1 {
				return usage(cmd, "--limit %d is less than 1", limit)
			}
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			runs, err := db.List(cmd.Context(), &store.ListOptions{Status: store.Status(status), Host: strings.ToLower(host), Limit: limit})
			if err != nil {
				return err
			}
			if asJSON {
				return writeIndented(cmd, runs)
			}
			return writeRuns(cmd.OutOrStdout(), runs)
		},
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&status, "status", "", "only runs in this state: "+statusNames())
	f.StringVar(&host, "host", "", "only runs of this `HOST`")
	f.IntVar(&limit, "limit", 50, "most runs to list")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(strings.Split(statusNames(), ", "), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func statusNames() string {
	var names []string
	for _, s := range store.Statuses {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func writeRuns(w io.Writer, runs []store.Run) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tSTATUS\tVERDICT\tSCORE\tATTEMPTS\tCREATED\tGAME")
	for _, r := range runs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.ID, r.Status, r.Verdict, scoreText(r.Overall), r.Attempts, r.Created.Local().Format(time.DateTime), oneLine(r.URL))
	}
	return table.Flush()
}

// scoreText is a score as tables show it; a run that was not judged has none.
func scoreText(overall *float64) string {
	if overall == nil {
		return ""
	}
	return fmt.Sprintf("%.0f", *overall)
}

func newRunsCancel() *cobra.Command {
	return onRuns("cancel RUN...", "Stop runs",
		`Cancel ends runs that wait, and tells the workers of those under way to stop; what
was found until then is kept.`,
		`  playtest runs cancel 20261115-041821-a376b5a1c0ffee00`,
		func(cmd *cobra.Command, q *queue.Queue, id string) error { return q.Cancel(cmd.Context(), id) })
}

func newRunsRetry() *cobra.Command {
	return onRuns("retry RUN...", "Queue runs again that failed, were cancelled or were parked",
		`Retry queues runs again with all their attempts before them. Parked runs are those
that were given up after too many attempts.`,
		`  playtest runs retry 20261115-041821-a376b5a1c0ffee00`,
		func(cmd *cobra.Command, q *queue.Queue, id string) error { return q.Retry(cmd.Context(), id) })
}

// onRuns makes a command that does something to each run that is named.
func onRuns(use, short, long, example string, do func(*cobra.Command, *queue.Queue, string) error) *cobra.Command {
	var s storage
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: arguments(1, 10_000, "the run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := s.openQueue(cmd.Context(), nil)
			if err != nil {
				return err
			}
			defer q.Store().Close()
			for _, id := range args {
				if err := do(cmd, q, id); err != nil {
					return fmt.Errorf("%s: %w", id, unknownRun(err, id))
				}
			}
			return nil
		},
	}
	s.register(cmd)
	return cmd
}
