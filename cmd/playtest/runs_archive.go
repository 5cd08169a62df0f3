package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/archive"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/retention"
	"github.com/playtest-dev/playtest/internal/store"
)

// open opens the database and the evidence. Close closes both.
func (s *storage) open(cmd *cobra.Command) (db *store.Store, kept evidence.Store, closeBoth func(), err error) {
	if db, err = s.openStore(cmd.Context()); err != nil {
		return nil, nil, nil, err
	}
	if kept, err = s.openEvidence(db); err != nil {
		db.Close()
		return nil, nil, nil, err
	}
	return db, kept, func() {
		kept.Close()
		db.Close()
	}, nil
}

func newRunsExport() *cobra.Command {
	var s storage
	cmd := &cobra.Command{
		Use:   "export RUN [FILE]",
		Short: "Write a run with all its evidence into one archive",
		Long: `Export writes a run that has ended, its rows and its evidence, as one gzipped tar to
FILE, or to stdout. Import adds it to another database.`,
		Example: `  playtest runs export 20261115-041821-a376b5a1c0ffee00 run.tar.gz
  playtest runs export 20261115-041821-a376b5a1c0ffee00 | ssh other playtest runs import -`,
		Args: arguments(1, 2, "the run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, kept, closeBoth, err := s.open(cmd)
			if err != nil {
				return err
			}
			defer closeBoth()
			write := func(w io.Writer) error {
				return unknownRun(archive.Export(cmd.Context(), w, args[0], db, kept), args[0])
			}
			if len(args) == 1 || args[1] == stdinName {
				return write(cmd.OutOrStdout())
			}
			return writeFile(args[1], write)
		},
	}
	s.register(cmd)
	return cmd
}

// writeFile writes a file that is there as a whole or not at all.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".writing-*")
	if err != nil {
		return withoutOp(err)
	}
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func newRunsImport() *cobra.Command {
	var s storage
	var replace bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add a run from an archive that export wrote",
		Long: `Import adds a run, its rows and its evidence, from an archive that export wrote and
prints its name. - stands for stdin. An archive that is not sound adds nothing.`,
		Example: `  playtest runs import run.tar.gz
  playtest runs import - < run.tar.gz`,
		Args: arguments(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := openInput(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			db, kept, closeBoth, err := s.open(cmd)
			if err != nil {
				return err
			}
			defer closeBoth()
			id, err := archive.Import(cmd.Context(), in, db, kept, &archive.ImportOptions{Replace: replace})
			if errors.Is(err, archive.ErrLeftOver) {
				return hint(err, "an import that was interrupted leaves such: --replace removes it first")
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), id)
			return nil
		},
	}
	s.register(cmd)
	cmd.Flags().BoolVar(&replace, "replace", false, "remove evidence that an interrupted import left")
	return cmd
}

func newRunsPrune() *cobra.Command {
	var s storage
	var keep string
	var policy retention.Policy
	var opts retention.PruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs with their evidence",
		Long: `Prune removes runs that ended longer ago than --keep, and all but the newest
--keep-runs, with everything that belongs to them. It prints what it removed. Runs
that wait or are under way are never removed. Interrupted, it goes on the next time.`,
		Example: `  playtest runs prune --keep 30d
  playtest runs prune --keep-runs 1000 --dry-run`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if keep != "" {
				if policy.MaxAge, err = retention.ParseAge(keep); err != nil {
					return usage(cmd, "--keep: %v", err)
				}
			}
			switch {
			case policy.MaxRuns < 0:
				return usage(cmd, "--keep-runs %d is negative", policy.MaxRuns)
			case keep == "" && policy.MaxRuns == 0 && !opts.Orphans:
				return usage(cmd, "what is to be kept? --keep, --keep-runs or --orphans is missing")
			}
			db, kept, closeBoth, err := s.open(cmd)
			if err != nil {
				return err
			}
			defer closeBoth()
			result, err := retention.Prune(cmd.Context(), db, kept, policy, &opts)
			for _, id := range append(result.Runs, result.Orphans...) {
				fmt.Fprintln(cmd.OutOrStdout(), id)
			}
			return err
		},
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&keep, "keep", "", "`AGE` up to which runs are kept: 30d, 2w, 36h")
	f.IntVar(&policy.MaxRuns, "keep-runs", 0, "how many runs are kept, the newest")
	f.BoolVar(&opts.Orphans, "orphans", false, "remove evidence that belongs to no run of this database, too")
	f.BoolVar(&opts.DryRun, "dry-run", false, "only print what would be removed")
	return cmd
}
