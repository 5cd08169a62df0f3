package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/qa/corpus"
	judge "github.com/playtest-dev/playtest/internal/qa/verdict"
)

// defaultCorpus is the corpus that the judge is tested with.
const defaultCorpus = "internal/qa/verdict/testdata/corpus.jsonl.gz"

func newBenchAblate() *cobra.Command {
	file := defaultCorpus
	cmd := &cobra.Command{
		Use:   "ablate",
		Short: "Switch each rule of the judge off and say what that changes",
		Long: `Ablate judges the saved records of a corpus, with all rules and then without each
of them, and prints how many verdicts change and how many of those were right. No
browser is needed. A rule whose absence changes nothing is not needed either.`,
		Example: `  playtest bench ablate
  playtest bench --seeds 1 --corpus corpus.jsonl && playtest bench ablate --corpus corpus.jsonl`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := corpus.Read(file)
			if err != nil {
				return hint(err, "run it in a checkout of the repository, or name a file with --corpus")
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "rule\tverdicts changed\tright before\tright after\n")
			for _, a := range judge.Ablate(cases) {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", a.Rule, a.Changed, a.RightBefore, a.RightAfter)
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&file, "corpus", file, "`FILE` of saved records, JSON lines, compressed if it ends with .gz")
	return cmd
}
