package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/batch"
	"github.com/playtest-dev/playtest/internal/compare"
	"github.com/playtest-dev/playtest/record"
)

// What compare prints, and what --fail-on accepts.
var (
	compareFormats = []string{"text", "json", "md", "html"}
	failOns        = []string{failOnVerdict, failOnRegression}
)

const (
	failOnVerdict    = "verdict"
	failOnRegression = "regression"
)

func newCompare() *cobra.Command {
	var format, failOn string
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say what changed between two runs, or two batches",
		Long: `Compare says what changed from run A to run B: verdict, checks, what there is to
mend, controls, metrics and load time. A and B are results folders of runs, or of
batches, whose games are compared by name. What differs from run to run by itself
is no change. --format html shows the pictures of both side by side.

Exit codes: 0, or with --fail-on regression 1 when something that worked does not
work any more.`,
		Example: `  playtest compare results-main results-branch
  playtest compare results-main results-branch --format md --fail-on regression
  playtest compare results-main results-branch --format html > compared.html`,
		Args: arguments(2, 2, "the results folders of two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(compareFormats, format) {
				return usage(cmd, "--format %q is not one of %s", format, strings.Join(compareFormats, ", "))
			}
			if failOn != "" && failOn != failOnRegression {
				return usage(cmd, "--fail-on %q is not %s", failOn, failOnRegression)
			}
			diffs, err := compareFolders(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			if format == "html" {
				err = writeComparison(cmd.OutOrStdout(), args[0], args[1], diffs)
			} else {
				err = writeDiffs(cmd.OutOrStdout(), format, diffs)
			}
			if err != nil {
				return fmt.Errorf("writing the comparison to stdout: %w", err)
			}
			if failOn == failOnRegression && slices.ContainsFunc(diffs, func(d namedDiff) bool { return d.Regressed }) {
				return &verdictError{codeFail}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", compareFormats[0], "what to print on stdout: "+strings.Join(compareFormats, ", "))
	cmd.Flags().StringVar(&failOn, "fail-on", "", "regression: exit with 1 when something that worked does not work any more")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(compareFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{failOnRegression}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// namedDiff is the comparison of a game, with its name where there are several.
type namedDiff struct {
	Name string `json:"name,omitempty"`
	*compare.Diff
	// a and b are the folders of both runs; empty where there is none.
	a, b string
}

func compareFolders(cmd *cobra.Command, a, b string) ([]namedDiff, error) {
	before, isBatch, err := readBatch(cmd, a)
	if err != nil {
		return nil, err
	}
	after, alsoBatch, err := readBatch(cmd, b)
	if err != nil {
		return nil, err
	}
	if isBatch != alsoBatch {
		return nil, usage(cmd, "%s and %s are a run and a batch, which cannot be compared", a, b)
	}
	if !isBatch {
		d, err := compareRuns(cmd, a, b)
		return []namedDiff{{"", d, a, b}}, err
	}
	var out []namedDiff
	for _, now := range after.Results {
		i := slices.IndexFunc(before.Results, func(r batch.Result) bool { return r.Name == now.Name })
		if i < 0 {
			out = append(out, namedDiff{now.Name, &compare.Diff{Changes: []compare.Change{{Direction: compare.Unclear, What: "game", From: "not played", To: string(now.Status), Why: now.Summary}}}, "", ""})
			continue
		}
		was := before.Results[i]
		if was.Folder == "" || now.Folder == "" {
			continue // one of them left nothing to compare
		}
		one, other := filepath.Join(a, filepath.FromSlash(was.Folder)), filepath.Join(b, filepath.FromSlash(now.Folder))
		d, err := compareRuns(cmd, one, other)
		if err != nil {
			return nil, err
		}
		out = append(out, namedDiff{now.Name, d, one, other})
	}
	return out, nil
}

func compareRuns(cmd *cobra.Command, a, b string) (*compare.Diff, error) {
	repA, recA, err := openRun(cmd, a)
	if err != nil {
		return nil, err
	}
	repB, recB, err := openRun(cmd, b)
	if err != nil {
		return nil, err
	}
	return compare.Of(compare.Run{Report: repA, Record: recA}, compare.Run{Report: repB, Record: recB}), nil
}

// readBatch reads the summary of a batch; a folder without one is a run's.
func readBatch(cmd *cobra.Command, dir string) (*batch.Summary, bool, error) {
	f, err := os.Open(filepath.Join(dir, "summary.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, usage(cmd, "%v", withoutOp(err))
	}
	defer f.Close()
	var s batch.Summary
	if err := json.NewDecoder(io.LimitReader(f, maxReportBytes)).Decode(&s); err != nil {
		return nil, false, usage(cmd, "%s: %v", f.Name(), err)
	}
	for _, r := range s.Results {
		if r.Folder != "" && !filepath.IsLocal(r.Folder) {
			return nil, false, usage(cmd, "%s names a folder outside of its own: %s", f.Name(), r.Folder)
		}
	}
	return &s, true, nil
}

// writeComparison writes a page with the pictures of both sides.
func writeComparison(w io.Writer, a, b string, diffs []namedDiff) error {
	var games []compare.Game
	for _, d := range diffs {
		g := compare.Game{Name: d.Name, Diff: d.Diff}
		if d.a != "" {
			g.A, g.B = os.DirFS(d.a), os.DirFS(d.b)
		}
		games = append(games, g)
	}
	return compare.Page(w, filepath.Base(a), filepath.Base(b), games)
}

func writeDiffs(w io.Writer, format string, diffs []namedDiff) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(diffs)
	}
	for _, d := range diffs {
		if format == "md" {
			title := d.Name
			if title == "" {
				title = d.A + " and " + d.B
			}
			if err := compare.Markdown(w, title, d.Diff); err != nil {
				return err
			}
			continue
		}
		if d.Name != "" {
			if len(d.Changes) == 0 {
				continue
			}
			fmt.Fprintf(w, "%s\n", oneLine(d.Name))
		}
		if err := compare.Text(w, d.Diff); err != nil {
			return err
		}
	}
	return nil
}

// baseline is the flags of a run that is compared with an earlier one.
type baseline struct {
	dir    string
	failOn string
	report *record.Report
	record *record.Record
}

func (b *baseline) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.dir, "baseline", "", "results `DIR` of an earlier run to compare with")
	cmd.Flags().StringVar(&b.failOn, "fail-on", failOns[0], "what the exit code tells: "+strings.Join(failOns, ", ")+" (since the --baseline)")
	cmd.MarkFlagDirname("baseline")
	cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOns, cobra.ShellCompDirectiveNoFileComp))
}

// check reads the earlier run before a new one is begun.
func (b *baseline) check(cmd *cobra.Command) error {
	if !slices.Contains(failOns, b.failOn) {
		return usage(cmd, "--fail-on %q is not one of %s", b.failOn, strings.Join(failOns, ", "))
	}
	if b.dir == "" {
		if b.failOn == failOnRegression {
			return usage(cmd, "--fail-on regression needs a --baseline to compare with")
		}
		return nil
	}
	var err error
	b.report, b.record, err = openRun(cmd, b.dir)
	return err
}

// judge compares a run that has ended and returns what the command ends with.
func (b *baseline) judge(w io.Writer, quiet bool, rep *record.Report, rec *record.Record) error {
	if b.report == nil {
		return verdict(rep)
	}
	d := compare.Of(compare.Run{Report: b.report, Record: b.record}, compare.Run{Report: rep, Record: rec})
	if !quiet {
		fmt.Fprintf(w, "\nsince %s:\n", b.dir)
		if err := compare.Text(w, d); err != nil {
			return fmt.Errorf("writing the comparison: %w", err)
		}
	}
	switch {
	case b.failOn != failOnRegression:
		return verdict(rep)
	case d.Regressed:
		return &verdictError{codeFail}
	case rep.Status == record.VerdictError:
		return &verdictError{codeUnjudged}
	}
	return nil
}
