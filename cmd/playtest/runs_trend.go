package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/compare"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// maxTrend bounds the runs that a trend looks at: each is read whole.
const maxTrend = 500

// trendPoint is a run of a game, with what changed since the one before that was judged.
type trendPoint struct {
	store.Point
	Ready     float64          `json:"readySeconds,omitempty"`
	Regressed bool             `json:"regressed"`
	Changes   []compare.Change `json:"changes"`
}

func newRunsTrend() *cobra.Command {
	var s storage
	var project, failOn string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trend URL",
		Short: "Show the results of a game from run to run, and when something broke",
		Long: `Trend lists the stored runs of a game, the oldest first, each with what changed since
the one before: what playtest compare would say of the two. Runs that have not ended or
could not be judged are left out.

Exit codes: 0, or with --fail-on regression 1 when in the newest run something does not
work that worked in the one before.`,
		Example: `  playtest runs trend https://example.com/game/
  playtest runs trend https://example.com/game/ --limit 5 --fail-on regression
  playtest runs trend https://example.com/game/ --json | jq '.[] | select(.regressed)'`,
		Args: arguments(1, 1, "the game's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 2 || limit > maxTrend {
				return usage(cmd, "--limit %d is not between 2 and %d", limit, maxTrend)
			}
			if failOn != "" && failOn != failOnRegression {
				return usage(cmd, "--fail-on %q is not %s", failOn, failOnRegression)
			}
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			points, err := trend(cmd.Context(), db, project, args[0], limit)
			if err != nil {
				return err
			}
			if len(points) == 0 {
				return hint(fmt.Errorf("no run of %s was judged", oneLine(args[0])), "playtest runs list shows the addresses of those that are there")
			}
			if asJSON {
				err = writeIndented(cmd, points)
			} else {
				err = writeTrend(cmd.OutOrStdout(), points)
			}
			if err == nil && failOn != "" && points[len(points)-1].Regressed {
				return &verdictError{codeFail}
			}
			return err
		},
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&project, "project", store.DefaultProject, "whose runs")
	f.IntVar(&limit, "limit", 20, "how many of the newest runs")
	f.StringVar(&failOn, "fail-on", "", "regression: exit with 1 when the newest run broke something")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{failOnRegression}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// trend compares each run of a game that was judged with the one before.
func trend(ctx context.Context, db *store.Store, project, url string, limit int) ([]trendPoint, error) {
	history, err := db.Project(project).History(ctx, url, 0, limit)
	if err != nil {
		return nil, err
	}
	var out []trendPoint
	var before *compare.Run
	for _, p := range slices.Backward(history) {
		if p.Verdict != record.Pass && p.Verdict != record.Fail {
			continue
		}
		rep, err := db.Report(ctx, p.Run)
		if errors.Is(err, store.ErrNotFound) {
			continue // pruned meanwhile
		}
		if err != nil {
			return nil, err
		}
		now := &compare.Run{Report: rep}
		// What was pruned of an old run is missing from its comparison.
		if now.Record, _, err = db.Record(ctx, p.Run); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		point := trendPoint{Point: p, Changes: []compare.Change{}}
		if now.Record != nil {
			point.Ready = record.Seconds(now.Record.Load.ReadyAfter)
		}
		if before != nil {
			d := compare.Of(*before, *now)
			point.Changes, point.Regressed = d.Changes, d.Regressed
		}
		out, before = append(out, point), now
	}
	return out, nil
}

func writeTrend(w io.Writer, points []trendPoint) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tWHEN\tVERDICT\tSCORE\tREADY\tSINCE THE ONE BEFORE")
	for _, p := range points {
		changes := make([]string, 0, len(p.Changes))
		for _, c := range p.Changes {
			changes = append(changes, fmt.Sprintf("%s: %s -> %s", strings.TrimSpace(c.What+" "+c.Name), c.From, c.To))
		}
		what := cut(oneLine(strings.Join(changes, "; ")), 160)
		if p.Regressed {
			what = "BROKE " + what
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1fs\t%s\n", p.Run, p.Created.Local().Format(time.DateTime), p.Verdict, scoreText(p.Overall), p.Ready, what)
	}
	return t.Flush()
}
