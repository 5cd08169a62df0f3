package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// reportFormats are what report prints.
var reportFormats = slices.Concat([]string{"html"}, formats[:len(formats)-1])

func newReport() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Print the report of a saved run in another form",
		Long: `Report prints what a run left behind in another form. RUN is its results folder.
Nothing is judged again ("playtest evaluate" does that), and nothing in the folder
is changed. Runs of earlier versions can be read.

html is the page for people with the pictures inside: one file to send around.`,
		Example: `  playtest report playtest-results/20261115-041821-a376b5a1 > report.html
  playtest report results --format md >> "$GITHUB_STEP_SUMMARY"
  playtest report results --format sarif > report.sarif`,
		Args: arguments(1, 1, "the results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(reportFormats, format) {
				return usage(cmd, "--format %q is not one of %s", format, strings.Join(reportFormats, ", "))
			}
			rep, rec, err := openRun(cmd, args[0])
			if err != nil {
				return err
			}
			if format == "html" {
				return report.Page(cmd.OutOrStdout(), rep, rec, &report.PageOptions{Files: os.DirFS(args[0]), Single: true})
			}
			return writeData(cmd.OutOrStdout(), format, rep, rec)
		},
	}
	cmd.Flags().StringVar(&format, "format", reportFormats[0], "what to print on stdout: "+strings.Join(reportFormats, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// openRun reads what a run left in its folder. The record of a run that was cut off
// or was made by another version may be missing; then there is none, and no error.
func openRun(cmd *cobra.Command, dir string) (*record.Report, *record.Record, error) {
	rep, err := readReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, hint(usage(cmd, "%s holds no report.json", dir), "name the results folder of a run that ended, such as %s/20261115-041821-a376b5a1", resultsRoot)
	}
	if err != nil {
		return nil, nil, usage(cmd, "%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "record.json")); errors.Is(err, fs.ErrNotExist) {
		return rep, nil, nil
	}
	rec, _, err := openRecord(cmd, dir)
	if err != nil {
		// The report says enough; what another version measured can be done without.
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s; going on without it\n", oneLine(err.Error()))
		return rep, nil, nil
	}
	return rep, rec, nil
}
