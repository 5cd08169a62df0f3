package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// shown is a run with everything that is known of it.
type shown struct {
	store.Run
	Target      record.Target      `json:"target"`
	Settings    store.Settings     `json:"settings,omitzero"`
	Attempted   []store.Attempt    `json:"attempted"`
	Checkpoints []store.Checkpoint `json:"checkpoints"`
	Events      []store.Event      `json:"events"`
	Ledger      []store.Expense    `json:"ledger,omitempty"`
	Report      *record.Report     `json:"report,omitempty"`
}

// shownEvents bounds the events that are shown.
const shownEvents = 1000

func newRunsShow() *cobra.Command {
	var s storage
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its state, its attempts, its verdict",
		Example: `  playtest runs show 20261115-041821-a376b5a1c0ffee00
  playtest runs show 20261115-041821-a376b5a1c0ffee00 --json | jq .report`,
		Args: arguments(1, 1, "the run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			run, err := readRun(cmd.Context(), db, args[0])
			if err != nil {
				return unknownRun(err, args[0])
			}
			if asJSON {
				return writeIndented(cmd, run)
			}
			return writeRun(cmd.OutOrStdout(), run)
		},
	}
	s.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with events and report")
	return cmd
}

func readRun(ctx context.Context, db *store.Store, id string) (*shown, error) {
	run, err := db.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &shown{Run: run}
	if out.Target, err = db.Target(ctx, id); err != nil {
		return nil, err
	}
	if out.Settings, err = db.Settings(ctx, id); err != nil {
		return nil, err
	}
	if out.Attempted, err = db.Attempts(ctx, id); err != nil {
		return nil, err
	}
	if out.Checkpoints, err = db.Checkpoints(ctx, id); err != nil {
		return nil, err
	}
	if out.Events, err = db.Events(ctx, id, 0, shownEvents); err != nil {
		return nil, err
	}
	if out.Ledger, err = db.Ledger(ctx, id); err != nil {
		return nil, err
	}
	if out.Report, err = db.Report(ctx, id); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return out, nil
}

func writeRun(w io.Writer, r *shown) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	line("run", "%s", r.ID)
	line("game", "%s", r.URL)
	line("status", "%s", r.Status)
	if r.Error != "" {
		line("error", "%s", r.Error)
	}
	if r.Report != nil {
		line("verdict", "%s: %s", r.Verdict, r.Summary)
		line("playability", "%d of 100", r.Report.PlayabilityScore)
		line("overall", "%.1f of 100", r.Report.OverallScore)
	}
	if r.Evidence > 0 {
		line("evidence", "%s/%s", r.ID, evidence.AttemptName(int(r.Evidence), "report.html"))
	}
	line("created", "%s", r.Created.Local().Format(time.DateTime))
	if !r.Finished.IsZero() {
		line("finished", "%s", r.Finished.Local().Format(time.DateTime))
	}
	for i, a := range r.Attempted {
		outcome := a.Outcome
		if outcome == "" {
			outcome = "under way"
		}
		took := ""
		if !a.Ended.IsZero() {
			took = fmt.Sprintf(" after %.1fs", a.Ended.Sub(a.Started).Seconds())
		}
		detail := ""
		if a.Error != "" {
			detail = ": " + a.Error
		}
		line(fmt.Sprintf("attempt %d", i+1), "%s%s by %s%s", outcome, took, a.Worker, detail)
	}
	return t.Flush()
}
