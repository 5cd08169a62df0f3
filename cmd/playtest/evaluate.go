package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/judge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

func newEvaluate() *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "evaluate RECORD",
		Short: "Judge a saved run again, without a browser",
		Long: `Evaluate judges a saved record again: by measurement alone, with another rubric,
or with a model's opinion beside it. RECORD is a results folder or its record.json;
with --db it is the name of a run in that database.
It opens no browser and, without a model, nothing else either.

A model can add issues, refine two of the metrics and explain. It cannot turn a
check, so the verdict stays the measured one; where the model disagrees, the report
says so and is less sure. A model that cannot be reached leaves the measured result.

The report is printed on stdout; nothing in the folder or database is changed.`,
		Example: `  playtest evaluate playtest-results/20261115-041821-a376b5a1
  playtest evaluate results --rubric strict.yaml --format md
  playtest evaluate results --evaluator vision --model anthropic/claude-haiku-5-5 --budget 0.05
  playtest evaluate 20261115-041821-a376b5a1 --db runs.db --evaluator vision --model anthropic/claude-haiku-5-5
  playtest evaluate results --compare-models anthropic/claude-haiku-5-5,openai/gpt-6-luna`,
		Args: arguments(1, 1, "the results folder, record or run"),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&e.evaluator, "evaluator", "", "heuristic, data or vision (default heuristic, or data when a model is named)")
	f.StringVar(&e.model, "model", "", "`MODEL` chain such as anthropic/claude-haiku-5-5,openai/gpt-6-luna (also $PLAYTEST_MODEL)")
	f.StringVar(&e.compare, "compare-models", "", "ask each of these `MODELS` alone and print them side by side")
	f.Float64Var(&e.budget, "budget", 0, "most `DOLLARS` to spend, for each model when comparing; the configuration's unless given")
	f.StringVar(&e.rubric, "rubric", "", "weights, threshold and questions, JSON or YAML `FILE`")
	f.DurationVar(&e.timeout, "timeout", opinion.DefaultLimit, "longest time to wait for a model")
	f.StringVar(&e.format, "format", "json", "what to print on stdout: "+strings.Join(formats, ", "))
	f.BoolVarP(&e.quiet, "quiet", "q", false, "no summary on stderr")
	cmd.RegisterFlagCompletionFunc("evaluator", cobra.FixedCompletions(record.Evaluators, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagFilename("rubric", "json", "yaml", "yml")
	e.storage.register(cmd)
	return cmd
}

// evaluation is the flags of evaluate.
type evaluation struct {
	storage   storage
	evaluator string
	model     string
	compare   string
	budget    float64
	rubric    string
	timeout   time.Duration
	format    string
	quiet     bool
}

// check finds mistakes of the command line and settles which evaluator it is.
func (e *evaluation) check(cmd *cobra.Command) ([]model.Ref, error) {
	if e.evaluator == "" {
		e.evaluator = evaluate.Heuristic
		if e.model != "" || e.compare != "" {
			e.evaluator = opinion.Data
		}
	}
	settings := store.Settings{Evaluator: e.evaluator, Budget: &e.budget}
	if err := settings.Validate(record.ModeStandard); err != nil {
		return nil, usage(cmd, "--%v", err)
	}
	var compared []model.Ref
	var err error
	switch {
	case e.evaluator == evaluate.Heuristic && (e.model != "" || e.compare != ""):
		return nil, usage(cmd, "--evaluator heuristic asks no model")
	case e.model != "" && e.compare != "":
		return nil, usage(cmd, "--model and --compare-models do not go together")
	case !slices.Contains(formats, e.format):
		return nil, usage(cmd, "--format %q is not one of %s", e.format, strings.Join(formats, ", "))
	case e.compare != "" && e.format == "junit":
		return nil, usage(cmd, "--compare-models prints json, md or none")
	case e.timeout < time.Second:
		return nil, usage(cmd, "--timeout %s is shorter than a second", e.timeout)
	}
	if e.model != "" {
		if _, err = model.ParseChain(e.model); err != nil {
			return nil, usage(cmd, "--model: %v", err)
		}
	}
	if e.compare != "" {
		if compared, err = model.ParseChain(e.compare); err != nil {
			return nil, usage(cmd, "--compare-models: %v", err)
		}
	}
	return compared, nil
}

func (e *evaluation) run(cmd *cobra.Command, name string) error {
	compared, err := e.check(cmd)
	if err != nil {
		return err
	}
	rec, pictures, done, err := e.read(cmd, name)
	if err != nil {
		return err
	}
	defer done()
	if e.rubric != "" {
		if rec.Target.Rubric, err = readRubric(cmd, e.rubric); err != nil {
			return err
		}
	}
	measured := qa.Measured(rec, time.Now())
	if len(compared) > 0 {
		return e.sideBySide(cmd, rec, measured, pictures, compared)
	}
	rep := measured
	if e.evaluator != evaluate.Heuristic {
		m, err := e.open(cmd, func(c *config.Config) (*model.Gateway, error) { return provider.Gateway(c, e.model, e.deadlines(c)) })
		if err != nil {
			return err
		}
		if rep, err = opinion.Refine(cmd.Context(), rec, measured, m, e.options(pictures)); err != nil {
			return err
		}
	} else if n := len(rec.Target.Rubric.Resolved().Questions); n > 0 && !e.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: the rubric's questions (%d) need a model: name one with --model\n", n)
	}
	if !e.quiet {
		writeSummary(cmd.ErrOrStderr(), rep, nil)
	}
	if err := writeData(cmd.OutOrStdout(), e.format, rep, rec); err != nil {
		return fmt.Errorf("writing the report to stdout: %w", err)
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return verdict(rep)
}

func (e *evaluation) options(pictures readPicture) *opinion.Options {
	return &opinion.Options{Evaluator: e.evaluator, Limit: e.timeout, Pictures: pictures}
}

// readPicture reads a picture that a record names.
type readPicture func(ctx context.Context, path string) ([]byte, error)

// read finds the record and its pictures: in a folder, or in the database if one
// was named on the command line. Done closes what was opened.
func (e *evaluation) read(cmd *cobra.Command, name string) (rec *record.Record, pictures readPicture, done func(), err error) {
	if e.storage.db != "" || e.storage.evidence != "" {
		return e.stored(cmd.Context(), name)
	}
	rec, dir, err := openRecord(cmd, name)
	beside := os.DirFS(dir)
	return rec, func(_ context.Context, path string) ([]byte, error) { return fs.ReadFile(beside, path) }, func() {}, err
}

// stored is read for a run of the database.
func (e *evaluation) stored(ctx context.Context, id string) (_ *record.Record, _ readPicture, _ func(), err error) {
	db, err := e.storage.openStore(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	done := func() { db.Close() }
	defer func() {
		if err != nil {
			done()
		}
	}()
	run, err := db.Get(ctx, id)
	if err != nil {
		return nil, nil, nil, unknownRun(err, id)
	}
	rec, complete, err := db.Record(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !complete {
		return nil, nil, nil, hint(fmt.Errorf("run %s has no whole record to judge: it is %s", id, run.Status), "playtest runs show %s says how far it got", id)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	kept, err := e.storage.openEvidence(db)
	if err != nil {
		return nil, nil, nil, err
	}
	done = func() {
		kept.Close()
		db.Close()
	}
	return rec, func(ctx context.Context, path string) ([]byte, error) {
		r, err := kept.Get(ctx, id, evidence.AttemptName(int(run.Evidence), path))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(io.LimitReader(r, maxPictureBytes))
	}, done, nil
}

// maxPictureBytes bounds a picture of the evidence.
const maxPictureBytes = 32 << 20

// deadlines let one model take the whole of --timeout, and the first of several
// two thirds of it, so that there is time for the next. The configuration's own
// deadlines go before.
func (e *evaluation) deadlines(c *config.Config) *model.Options {
	times := []time.Duration{e.timeout}
	if chain := cmp.Or(e.model, c.Model); e.compare == "" && strings.Contains(chain, ",") {
		times = []time.Duration{e.timeout * 2 / 3, e.timeout / 3}
	}
	all := map[string][]time.Duration{opinion.Purpose: times, judge.Purpose: times}
	maps.Copy(all, c.Deadlines)
	return &model.Options{Deadlines: all}
}

// open is the models behind a gateway, or nil when there is no key for them:
// then the measured result stands, and says so.
func (e *evaluation) open(cmd *cobra.Command, gateway func(*config.Config) (*model.Gateway, error)) (model.Model, error) {
	var given *float64
	if cmd.Flags().Changed("budget") {
		given = &e.budget
	}
	run, _, err := openModels(given, gateway)
	if errors.Is(err, model.ErrNoModel) {
		if !e.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", oneLine(err.Error()))
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// maxRecordBytes is more than any run leaves: records hold no pictures.
const maxRecordBytes = 64 << 20

// openRecord reads a record by its own name or by that of its folder.
func openRecord(cmd *cobra.Command, name string) (*record.Record, string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, "", usage(cmd, "%v", withoutOp(err))
	}
	if info.IsDir() {
		name = filepath.Join(name, "record.json")
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", usage(cmd, "%s: there is no record.json in it: it is no results folder, or its run did not come to an end", filepath.Dir(name))
	}
	if err != nil {
		return nil, "", usage(cmd, "%v", withoutOp(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecordBytes+1))
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", name, withoutOp(err))
	}
	if len(data) > maxRecordBytes {
		return nil, "", usage(cmd, "%s is longer than %d MB", name, maxRecordBytes>>20)
	}
	rec, err := record.ParseRecord(data)
	if err != nil {
		return nil, "", &badFile{cmd.CommandPath(), name, err}
	}
	return rec, filepath.Dir(name), nil
}
