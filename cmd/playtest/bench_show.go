package main

import (
	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/bench"
)

func newBenchShow() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the tables of results that were kept",
		Long: `Show prints all tables of a benchmark that was run earlier: the verdicts, each
check, both splits, every fault and each wrong verdict. No browser is needed. FILE
holds results, one JSON line each, compressed if it ends with .gz, or a summary of
them if it ends with .json.`,
		Example: `  playtest bench show docs/benchmarks/bundled.jsonl.gz
  playtest bench show playtest-results/bench.jsonl --format md`,
		Args: arguments(1, 1, "FILE holds the results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" && format != "md" {
				return usage(cmd, "--format %q is not one of text, json, md", format)
			}
			summary, err := bench.ReadSummary(args[0])
			if err != nil {
				return hint(err, "playtest bench keeps its results in playtest-results/bench.jsonl unless --results says otherwise")
			}
			return printSummary(cmd.OutOrStdout(), summary, format, "Verdicts", "Of `"+args[0]+"`. Intervals are Wilson's at 95 %.")
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "what to print on stdout: text, json, md")
	return cmd
}
