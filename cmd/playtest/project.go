package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/store"
)

func newProject() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "project",
		Short: "Who runs belong to, and what they may use",
		Long: `Project lists projects and sets what they may use. Runs, tokens and what was learned
belong to a project; whoever names none works in "default". A project is made with
its first token (playtest token create --project NAME).`,
		Example: `  playtest project list
  playtest project limit studio-two --queued 500 --running 4 --dollars-per-day 20`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newProjectList(), newProjectLimit())
	return cmd
}

func newProjectList() *cobra.Command {
	var s storage
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List projects with their limits",
		Example: `  playtest project list`,
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.Projects(cmd.Context())
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "PROJECT\tQUEUED\tRUNNING\tLONGEST RUN\tEVIDENCE\tDOLLARS A DAY")
			for _, p := range list {
				l := p.Limits
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.ID, most(l.Queued), most(l.Running), most(l.Duration), most(l.EvidenceBytes), most(l.DollarsPerDay))
			}
			return w.Flush()
		},
	}
	s.registerDB(cmd)
	return cmd
}

// most is a limit in words.
func most[T comparable](limit T) string {
	var none T
	if limit == none {
		return "any"
	}
	return fmt.Sprint(limit)
}

func newProjectLimit() *cobra.Command {
	var s storage
	var l store.Limits
	cmd := &cobra.Command{
		Use:   "limit PROJECT",
		Short: "Set what a project may use",
		Long: `Limit sets what a project may use; what is not named has no limit. The server refuses
submissions beyond it, and workers take up no more runs than it may have under way.`,
		Example: `  playtest project limit studio-two --queued 500 --running 4 --max-duration 10m
  playtest project limit default                     no limits`,
		Args: arguments(1, 1, "the project"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.Queued < 0 || l.Running < 0 || l.Duration < 0 || l.EvidenceBytes < 0 || l.DollarsPerDay < 0 {
				return usage(cmd, "a limit cannot be negative")
			}
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			err = db.LimitProject(cmd.Context(), args[0], l)
			if errors.Is(err, store.ErrNoProject) {
				return hint(fmt.Errorf("there is no project %s", oneLine(args[0])), "playtest project list shows those that are there; a token makes a new one")
			}
			if err != nil {
				return err
			}
			return operated(cmd, db, args[0], "project.limit", args[0], fmt.Sprintf("queued %s, running %s, longest run %s, evidence %s, dollars a day %s", most(l.Queued), most(l.Running), most(l.Duration), most(l.EvidenceBytes), most(l.DollarsPerDay)))
		},
	}
	s.registerDB(cmd)
	f := cmd.Flags()
	f.IntVar(&l.Queued, "queued", 0, "most runs that wait")
	f.IntVar(&l.Running, "running", 0, "most runs at a time")
	f.DurationVar(&l.Duration, "max-duration", 0*time.Second, "longest run")
	f.Int64Var(&l.EvidenceBytes, "evidence-bytes", 0, "most bytes of evidence")
	f.Float64Var(&l.DollarsPerDay, "dollars-per-day", 0, "most that models may cost in 24 hours")
	return cmd
}
