package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/bench"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/corpus"
	"github.com/playtest-dev/playtest/record"
)

// docsPage is where the benchmark's verdicts are published, and docsFolder where the results behind them are kept.
const (
	docsPage   = "docs/benchmarks.md"
	docsFolder = "docs/benchmarks"
)

type benchSettings struct {
	games     string
	packages  string
	real      string
	round     int
	corpus    string
	filter    string
	faults    []string
	split     string
	seeds     int
	sample    int
	drawn     bool
	parallel  int
	results   string
	keep      string
	fresh     bool
	witness   bool
	format    string
	writeDocs bool
	browser   string
	limit     time.Duration
	quiet     bool
}

func newBench() *cobra.Command {
	var s benchSettings
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how often the verdict is right, and how fast",
		Long: `Bench plays every bundled game healthy and with every fault, issue and trap that
applies, over several seeds, and compares the verdicts with what they must be:
a confusion matrix for the verdict and for each check, rates with 95 % intervals,
seconds, and simpler rules on the same runs beside it. Development and examination
games are reported apart. An independent look at every faulty game makes sure that
the fault can be seen at all.

Results are kept as they come: an interrupted benchmark goes on where it was when
it is started again with the same --results. With --games the games come from a
file of labels instead (as in bench/real.json).`,
		Example: `  playtest bench --seeds 1 --filter 'starfall,noughts'
  playtest bench --faults healthy,trap
  playtest bench --sample 100
  playtest bench --real DIR --round 35 --drawn --seeds 1
  playtest bench --filter '*/keys-swallowed' --format json
  playtest bench --games labels.json --write-docs`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd) },
	}
	cmd.AddCommand(newBenchAblate(), newBenchFetch(), newBenchShow())
	f := cmd.Flags()
	f.StringVar(&s.games, "games", "", "labels of games that are served elsewhere, a JSON `FILE`")
	f.StringVar(&s.packages, "packages", ".bench-real", "`DIR` with the npm packages that labels name")
	f.StringVar(&s.real, "real", "", "`DIR` with games of repositories that the labels name (bench/real.json unless --games says otherwise)")
	f.IntVar(&s.round, "round", 0, "with --real, only the games that were first played in this round")
	f.StringVar(&s.corpus, "corpus", "", "`FILE` to which a small record of each run is added, for playtest bench ablate")
	f.StringVar(&s.filter, "filter", "", "only these, as `GAME/FAULT` with * and ?, separated by commas")
	f.StringSliceVar(&s.faults, "faults", nil, "only these faults, or kinds: healthy, fault, issue, trap")
	f.StringVar(&s.split, "split", "", "only development or examination games")
	f.IntVar(&s.seeds, "seeds", 3, "how many seeds each instance is run with")
	f.BoolVar(&s.drawn, "drawn", false, "of each playable game only the game as it is, five faults and three traps that are drawn by chance")
	f.IntVar(&s.sample, "sample", 0, "how many runs are drawn by chance for each seed, 0 for all")
	f.IntVar(&s.parallel, "parallel", 2, "runs at a time, all in one browser")
	f.StringVar(&s.results, "results", filepath.Join(resultsRoot, "bench.jsonl"), "`FILE` that keeps the results, one JSON line each")
	f.StringVar(&s.keep, "keep", "", "`DIR` that keeps the record of each run with a wrong verdict, for playtest evaluate")
	f.BoolVar(&s.fresh, "fresh", false, "forget earlier results")
	f.BoolVar(&s.witness, "witness", true, "look first whether each fault can be seen; remembered in witness.jsonl beside the results")
	f.StringVar(&s.format, "format", "text", "what to print on stdout: text, json, md")
	f.BoolVar(&s.writeDocs, "write-docs", false, "write the verdicts to "+docsPage+" and the results to "+docsFolder)
	f.StringVar(&s.browser, "browser", "auto", "auto or the `PATH` of a Chromium (also $PLAYTEST_BROWSER)")
	f.DurationVar(&s.limit, "max-duration", record.DefaultMaxDuration, "longest time for one run")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (s *benchSettings) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	choice := bench.Selection{Filter: s.filter, Faults: s.faults, Seeds: s.seeds, Sample: s.sample, Drawn: s.drawn, Split: games.Split(s.split)}
	if err := choice.Validate(); err != nil {
		return usage(cmd, "%v", err)
	}
	if s.format != "text" && s.format != "json" && s.format != "md" {
		return usage(cmd, "--format %q is not one of text, json, md", s.format)
	}
	if s.writeDocs && s.real != "" {
		return usage(cmd, "--write-docs does not go with --real: rounds are kept in %s/rounds.json", docsFolder)
	}
	entrants, release, err := s.entrants(cmd)
	if err != nil {
		return err
	}
	defer release()
	plan := bench.Plan(entrants, choice)
	if len(plan) == 0 {
		return usage(cmd, "nothing is left to run: no game and fault fit --filter, --faults and --split")
	}
	results, err := s.open()
	if err != nil {
		return err
	}
	defer results.Close()

	path := s.browser
	if env := os.Getenv("PLAYTEST_BROWSER"); env != "" && path == "auto" {
		path = env
	}
	chromium := bench.NewBrowser(&browser.LaunchOptions{Path: path, User: browser.AnyUser, StillImages: true})
	defer chromium.Close()
	b := &bench.Bench{Entrants: entrants, Parallel: s.parallel, Build: revision(), Results: results}
	if s.witness {
		memory, err := bench.OpenMemory(filepath.Join(filepath.Dir(s.results), "witness.jsonl"), chromium.Witness)
		if err != nil {
			return err
		}
		defer memory.Close()
		b.Witness = memory.Witness
	}
	b.Run = func(ctx context.Context, url string, seed int64) (bench.Outcome, error) {
		live, err := chromium.Get(ctx)
		if err != nil {
			return bench.Outcome{}, err
		}
		target := record.Target{URL: url, Mode: record.ModeStandard, MaxDuration: s.limit, Seed: seed}
		rec, report, err := qa.Run(ctx, live, target, &qa.Options{Version: record.Version})
		if report == nil {
			return bench.Outcome{}, err
		}
		return bench.NewOutcome(rec, report), nil
	}
	var keepErr error
	b.Progress = func(done, total int, r bench.Result) {
		if !s.quiet {
			writeBenchLine(cmd.ErrOrStderr(), done, total, r)
		}
		if s.corpus != "" && r.Outcome.Record != nil {
			keepErr = errors.Join(keepErr, corpus.Append(s.corpus, corpus.Case{Name: r.Key(), Want: r.Want, Checks: r.Checks, Record: corpus.Reduce(r.Outcome.Record)}))
		}
		if s.keep != "" && r.Outcome.Record != nil && !r.Right() {
			keepErr = errors.Join(keepErr, s.keepRecord(r))
		}
	}
	all, runErr := b.Do(ctx, plan)
	runErr = errors.Join(runErr, keepErr)
	summary := bench.Tally(all)
	if err := s.print(cmd.OutOrStdout(), summary); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return hint(context.Canceled, "the same command goes on where this one was interrupted")
	}
	if runErr != nil {
		return hint(runErr, "the same command runs again what is missing")
	}
	if s.writeDocs {
		if err := s.document(summary, all); err != nil {
			return err
		}
	}
	if len(summary.Wrong) > 0 {
		return &verdictError{codeFail}
	}
	return nil
}

func (s *benchSettings) entrants(cmd *cobra.Command) ([]bench.Entrant, func(), error) {
	if s.real != "" {
		return s.fromFolder(cmd)
	}
	if s.games == "" {
		entrants, closeAll, err := bench.Bundled(cmd.Context())
		if err != nil {
			return nil, nil, err
		}
		return entrants, func() { _ = closeAll() }, nil
	}
	labels, err := bench.ReadLabels(s.games)
	if err != nil {
		return nil, nil, hint(usage(cmd, "%v", err), "a label has name, url, verdict, and what game.json has: see bench/real.json")
	}
	entrants, err := bench.Labelled(labels, s.packages)
	if err != nil {
		return nil, nil, hint(err, "make bench-real installs them")
	}
	return entrants, func() {}, nil
}

// realLabels is the list of real games.
const realLabels = "bench/real.json"

func (s *benchSettings) fromFolder(cmd *cobra.Command) ([]bench.Entrant, func(), error) {
	if s.games == "" {
		s.games = realLabels
	}
	labels, err := bench.ReadLabels(s.games)
	if err != nil {
		return nil, nil, hint(usage(cmd, "%v", err), "a label has name, repo, commit, page and verdict: see bench/real.json")
	}
	entrants, missing := bench.FromFolder(labels, s.real, s.round)
	if len(missing) > 0 && !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d games of the list are not in %s; playtest bench fetch says which\n", len(missing), s.real)
	}
	if len(entrants) == 0 {
		return nil, nil, hint(usage(cmd, "no game of the list lies in %s", s.real), "playtest bench fetch says what is missing and lays npm packages out")
	}
	return entrants, func() {}, nil
}

func (s *benchSettings) open() (*bench.File, error) {
	if err := os.MkdirAll(filepath.Dir(s.results), 0o755); err != nil {
		return nil, fmt.Errorf("make room for the results: %w", err)
	}
	if s.fresh {
		if err := os.Remove(s.results); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("forget the earlier results: %w", err)
		}
	}
	f, err := bench.OpenFile(s.results)
	if errors.Is(err, bench.ErrBusy) {
		return nil, hint(err, "wait for it to end, or keep the results elsewhere with --results FILE")
	}
	if err != nil {
		return nil, hint(err, "begin anew with --fresh, or keep the results elsewhere with --results FILE")
	}
	return f, nil
}

// keepRecord keeps what was measured in a run whose verdict has to be explained.
func (s *benchSettings) keepRecord(r bench.Result) error {
	name := strings.NewReplacer("/", "-", "@", "-").Replace(r.Key())
	data, err := json.MarshalIndent(r.Outcome.Record, "", "  ")
	if err == nil {
		err = os.MkdirAll(s.keep, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.keep, name+".json"), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the record of %s: %w", r.Key(), err)
	}
	return nil
}

func writeBenchLine(w io.Writer, done, total int, r bench.Result) {
	switch {
	case r.Excluded != "":
		fmt.Fprintf(w, "%d/%d  excluded  %s: %s\n", done, total, r.Key(), r.Excluded)
	case r.Right():
		fmt.Fprintf(w, "%d/%d  right  %s: %s, %.1f s\n", done, total, r.Key(), r.Outcome.Verdict, r.Seconds)
	default:
		fmt.Fprintf(w, "%d/%d  WRONG  %s: %s, want %s, %.1f s: %s\n", done, total, r.Key(), r.Outcome.Verdict, r.Want, r.Seconds, r.Outcome.Reason)
	}
}

func (s *benchSettings) print(w io.Writer, summary bench.Summary) error {
	return printSummary(w, summary, s.format, s.title(), s.how(summary))
}

func printSummary(w io.Writer, summary bench.Summary, format, title, how string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(summary)
	case "md":
		_, err := io.WriteString(w, summary.Markdown(title, how))
		return err
	}
	return summary.WriteText(w)
}

func (s *benchSettings) title() string {
	if s.games != "" {
		return "Verdicts on real games"
	}
	return "Verdicts on the bundled games"
}

// how tells what the numbers are, so that they can be had again.
func (s *benchSettings) how(summary bench.Summary) string {
	command := "playtest bench"
	if s.real != "" {
		command += " --real DIR"
		if s.round > 0 {
			command += fmt.Sprintf(" --round %d", s.round)
		}
	}
	if s.games != "" {
		command += " --games " + filepath.ToSlash(s.games)
	}
	if s.filter != "" {
		command += " --filter '" + s.filter + "'"
	}
	if len(s.faults) > 0 {
		command += " --faults " + strings.Join(s.faults, ",")
	}
	if s.drawn {
		command += " --drawn"
	}
	if s.sample > 0 {
		command += fmt.Sprintf(" --sample %d", s.sample)
	}
	command += fmt.Sprintf(" --seeds %d --parallel %d", s.seeds, s.parallel)
	when := time.Now().UTC().Format("2 January 2006")
	if len(summary.Builds) > 0 {
		when += ", commit " + strings.Join(summary.Builds, " and ")
	}
	return fmt.Sprintf("`%s`, %s, on %d cores. Intervals are Wilson's at 95 %%.", command, when, runtime.NumCPU())
}

// document keeps the results and publishes what they say.
func (s *benchSettings) document(summary bench.Summary, results []bench.Result) error {
	mark, name := "verdict", "bundled.jsonl.gz"
	if s.games != "" {
		mark, name = "verdict-real", "real.jsonl.gz"
	}
	if err := os.MkdirAll(docsFolder, 0o755); err != nil {
		return fmt.Errorf("make room for the results: %w", err)
	}
	stored := docsFolder + "/" + name
	if err := bench.Store(stored, results); err != nil {
		return err
	}
	return bench.WriteDocs(docsPage, mark, summary.Short(s.title(), s.how(summary), stored))
}
