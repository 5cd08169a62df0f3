package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/batch"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/limits"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/site"
	"github.com/playtest-dev/playtest/record"
)

// batchFormats are what batch prints on stdout.
var batchFormats = slices.Concat([]string{"text"}, formats)

// batchSettings are the flags of playtest batch.
type batchSettings struct {
	settings
	builds   local
	parallel int
	failFast bool
	shard    string
	queue    storage // of the workers that play instead
}

func newBatch() *cobra.Command {
	var s batchSettings
	cmd := &cobra.Command{
		Use:   "batch SOURCE...",
		Short: "Play many games and sum the results up",
		Long: `Batch plays many games, a few at a time, and sums the results up in a table and
in a page with a picture of each (index.html in the results folder).

A source is a file with a list, - for a list on stdin, a sitemap (.xml or .xml.gz,
address or file), a folder of games, which are served here, or one game. A list
holds an address or a name and an address a line, or JSON: an array or one object
a line with url, and optionally name and metadata (the path of a file). A folder's
playtest.yaml is its game's metadata.

Interrupted, or with some games to go, the same command with the same --out goes
on where it stopped. Games are played without what earlier runs learned, so that
their order does not matter.

With --db the games are submitted to the queue in that database, all at once, and
played by its workers (playtest worker); batch waits for them and fetches what came of
them. Interrupted, the runs go on, and the same command finds them again.

Exit codes: 1 when a game failed, 2 when none failed but one could not be judged
or was not played, 0 when all passed.`,
		Example: `  playtest batch games.txt --out results
  playtest batch https://example.com/sitemap.xml --parallel 4
  playtest batch ./builds --format junit > games.xml
  find builds -name '*.zip' | playtest batch - --fail-fast
  playtest batch games.txt --shard 2/5 --out results-2
  playtest batch games.txt --db postgres://localhost/playtest --evidence s3://games/evidence`,
		Args: arguments(1, 1000, "the list of games"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	s.register(cmd, batchFormats[0])
	s.modes = &modes{noMemory: true}
	s.modes.register(cmd)
	f := cmd.Flags()
	for name := range notForMany {
		f.MarkHidden(name)
	}
	s.builds.register(cmd)
	f.IntVar(&s.parallel, "parallel", max(1, int(limits.Cores())), "how many games are played at a time")
	f.BoolVar(&s.failFast, "fail-fast", false, "stop at the first game that fails")
	f.StringVar(&s.shard, "shard", "", "play only `I/N` of the games, for several machines: 2/5 is the second of five parts")
	s.queue.register(cmd)
	f.Lookup("db").Usage = "have workers play, through the queue in this database: the `NAME` of a SQLite file or postgres://user@host/name"
	f.Lookup("format").Usage = "what to print on stdout: " + strings.Join(batchFormats, ", ")
	f.Lookup("out").Usage = "results `DIR` (default " + resultsRoot + "/batch-TIME)"
	return cmd
}

// notForMany are flags of one run that a batch does not have, and what it has instead.
var notForMany = map[string]string{
	"metadata": "metadata is named in the list, or lies in the game's folder as playtest.yaml", "keep": "a batch keeps everything",
	"no-memory": "a batch plays without memory", "log": "a batch writes no log", "verbose": "a batch writes no log",
}

func (s *batchSettings) run(cmd *cobra.Command, sources []string) error {
	for name, instead := range notForMany {
		if cmd.Flags().Changed(name) {
			return usage(cmd, "--%s is for one run: %s", name, instead)
		}
	}
	s.modes.noMemory = true
	if !slices.Contains(batchFormats, s.format) {
		return usage(cmd, "--format %q is not one of %s", s.format, strings.Join(batchFormats, ", "))
	}
	if s.parallel < 1 || s.parallel > 64 {
		return usage(cmd, "--parallel %d is not between 1 and 64", s.parallel)
	}
	shard, err := batch.ParseShard(s.shard)
	if err != nil {
		return usage(cmd, "--shard: %v", err)
	}
	if err := s.builds.check(cmd); err != nil {
		return err
	}
	warn := func(text string) {
		if !s.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", oneLine(text))
		}
	}
	reader := &batch.Reader{Stdin: cmd.InOrStdin(), Warn: warn}
	games, err := reader.Read(cmd.Context(), sources...)
	if err != nil {
		return usage(cmd, "%s", oneLine(err.Error()))
	}
	games = shard.Of(games)
	// Every mistake is found before the first game is played.
	for _, g := range games {
		if err := s.check(cmd, g); err != nil {
			return err
		}
	}
	dir := s.out
	if dir == "" {
		dir = filepath.Join(resultsRoot, "batch-"+time.Now().UTC().Format("20060102-150405"))
	}
	ledger, err := batch.OpenLedger(dir)
	if err != nil {
		return hint(err, "choose another folder with --out DIR")
	}
	defer ledger.Close()
	show := &batchProgress{progress: newProgress(cmd.ErrOrStderr(), s.quiet), parallel: s.parallel, total: len(games)}
	opts := &batch.Options{Parallel: s.parallel, FailFast: s.failFast, Ledger: ledger, Started: show.started, Ended: show.ended}
	play := func(ctx context.Context, g batch.Game) (batch.Result, error) { return s.playOne(ctx, cmd, dir, g) }
	var workers *queued
	if s.queue.db != "" {
		if workers, err = s.submitBatch(cmd, dir, games, ledger, warn); err != nil {
			return err
		}
		defer workers.close()
		opts.Parallel, play = followed, workers.play
		watching, stop := context.WithCancel(cmd.Context())
		var watcher sync.WaitGroup
		watcher.Go(func() { workers.watch(watching) })
		defer watcher.Wait()
		defer stop()
	}
	sum, runErr := batch.Run(cmd.Context(), games, play, opts)
	show.Clear()
	if workers != nil && s.failFast && sum.Failed > 0 {
		runErr = errors.Join(runErr, workers.cancel(cmd.Context(), sum.NotPlayed))
	}
	if err := s.save(dir, sum); err != nil {
		return errors.Join(err, runErr)
	}
	if err := s.print(cmd, cmd.OutOrStdout(), dir, sum); err != nil {
		return errors.Join(fmt.Errorf("writing the summary to stdout: %w", err), runErr)
	}
	if !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d passed, %d failed, %d could not be judged, %d not played, %.1f s\n  all of them: %s\n",
			sum.Passed, sum.Failed, sum.Undecided, len(sum.NotPlayed), sum.Seconds, filepath.Join(dir, "index.html"))
	}
	if cmd.Context().Err() != nil {
		if !s.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "interrupted: the same command with --out %s goes on\n", dir)
		}
		return &verdictError{codeInterrupted}
	}
	if runErr != nil {
		return runErr
	}
	return verdict(&record.Report{Status: sum.Worst()})
}

// check finds what is wrong with a game of the list before a browser is started.
func (s *batchSettings) check(cmd *cobra.Command, g batch.Game) error {
	one := s.settings
	one.format, one.meta = "none", g.Metadata
	address := g.URL
	if !strings.Contains(g.URL, "://") {
		b, err := site.Open(g.URL)
		if err != nil {
			return usage(cmd, "%s: %s", oneLine(g.Name), oneLine(err.Error()))
		}
		_ = b.Close()
		address = "http://127.0.0.1/"
	}
	if strings.Contains(address, "@") {
		return usage(cmd, "%s: passwords in addresses are for playtest run", oneLine(g.Name))
	}
	if _, err := one.target(cmd, address); err != nil {
		return fmt.Errorf("%s: %w", oneLine(g.Name), err)
	}
	return nil
}

// playOne plays a game of the batch in a browser of its own.
func (s *batchSettings) playOne(ctx context.Context, cmd *cobra.Command, dir string, g batch.Game) (batch.Result, error) {
	one := s.settings
	one.format, one.meta = "none", g.Metadata
	address, credentials, done, err := s.builds.address(ctx, cmd, g.URL)
	if err != nil {
		return batch.Result{Status: record.VerdictError, Summary: oneLine(err.Error())}, nil
	}
	defer done()
	one.credentials = credentials
	target, err := one.target(cmd, address)
	if err != nil {
		return batch.Result{Status: record.VerdictError, Summary: oneLine(err.Error())}, nil
	}
	folder := batch.Folder(g.Name)
	res, err := openResults(filepath.Join(dir, "games", folder))
	if err != nil {
		return batch.Result{}, err
	}
	res.single = s.single
	opts := &qa.Options{RunID: qa.NewRunID(), Version: record.Version, Evidence: res, ReadPicture: res.read, Video: s.video}
	if err := s.modes.equip(cmd, opts, true); err != nil {
		return batch.Result{}, err
	}
	rec, rep, err := one.perform(ctx, target, opts)
	if rep == nil {
		res.discard()
		return batch.Result{}, err
	}
	if saveErr := res.save(rec, rep); saveErr != nil {
		return batch.Result{}, errors.Join(saveErr, err)
	}
	return resultOf(rep, folder), nil
}

// resultOf is the line of a batch about a run whose files are in the folder.
func resultOf(rep *record.Report, folder string) batch.Result {
	r := batch.Result{Status: rep.Status, Summary: oneLine(rep.Summary), Score: rep.PlayabilityScore, Seconds: rep.Metadata.Duration, Folder: "games/" + folder}
	for _, i := range rep.Issues {
		if i.Severity != record.Minor {
			r.Issues++
		}
	}
	if p := report.Hero(rep); p != "" {
		r.Picture = r.Folder + "/" + p
	}
	return r
}

// save writes what the batch came to into its folder.
func (s *batchSettings) save(dir string, sum *batch.Summary) error {
	res := &results{dir: dir, files: map[string]bool{}, clean: evidence.NewRedactor(new(storage).secrets())}
	if err := res.writeJSON("summary.json", sum); err != nil {
		return err
	}
	var tiles []report.Tile
	for _, r := range sum.Results {
		t := report.Tile{Name: r.Name, Address: r.URL, Status: r.Status, Summary: r.Summary, Score: r.Score, Issues: r.Issues, Seconds: r.Seconds, Picture: r.Picture}
		if r.Folder != "" {
			t.Page = r.Folder + "/report.html"
		}
		tiles = append(tiles, t)
	}
	var page bytes.Buffer
	if err := report.Grid(&page, "Playtest of "+filepath.Base(dir), tiles, sum.NotPlayed); err != nil {
		return err
	}
	return res.write("index.html", page.Bytes())
}

// print writes the summary for another program, or as a table.
func (s *batchSettings) print(cmd *cobra.Command, w io.Writer, dir string, sum *batch.Summary) error {
	switch s.format {
	case "none":
		return nil
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(sum)
	case "text":
		return writeBatchTable(w, sum)
	}
	var cases []report.Case
	for _, r := range sum.Results {
		rep, rec, err := openRun(cmd, filepath.Join(dir, filepath.FromSlash(r.Folder)))
		if r.Folder == "" || err != nil {
			rep = &record.Report{Status: r.Status, Summary: r.Summary, Timestamp: r.Finished, Metadata: record.ReportMetadata{Duration: r.Seconds}}
		}
		rep.Metadata.ActionHistory = nil // long, and in no summary
		if s.format != "sarif" {
			rep.Metadata.GameURL = r.Name // what people know the game by
		}
		cases = append(cases, report.Case{Report: rep, Record: rec})
	}
	if s.format == "none" {
		return nil
	}
	return report.Write(w, s.format, cases...)
}

func writeBatchTable(w io.Writer, sum *batch.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "GAME\tVERDICT\tSCORE\tISSUES\tSECONDS\tWHY")
	for _, r := range sum.Results {
		word := string(r.Status)
		if r.Status == record.VerdictError {
			word = "undecided"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.1f\t%s\n", oneLine(r.Name), word, r.Score, r.Issues, r.Seconds, cut(oneLine(r.Summary), 100))
	}
	for _, name := range sum.NotPlayed {
		fmt.Fprintf(t, "%s\tnot played\t\t\t\t\n", oneLine(name))
	}
	return t.Flush()
}

// maxReportBytes bounds a report that is read back.
const maxReportBytes = 64 << 20

// readReport reads report.json of a results folder.
func readReport(dir string) (*record.Report, error) {
	name := filepath.Join(dir, "report.json")
	f, err := os.Open(name)
	if err != nil {
		return nil, withoutOp(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxReportBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > maxReportBytes {
		return nil, fmt.Errorf("%s is larger than %d MB", name, maxReportBytes>>20)
	}
	var rep record.Report
	if err := json.Unmarshal(data, &rep); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &rep, nil
}

// batchProgress shows how far a batch got.
type batchProgress struct {
	*progress
	parallel, total int

	mu      sync.Mutex
	playing []string
	last    batch.Progress
	failed  int
}

func (p *batchProgress) started(g batch.Game) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.playing = append(p.playing, g.Name)
	p.draw()
}

func (p *batchProgress) ended(r batch.Result, now batch.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	if i := slices.Index(p.playing, r.Name); i >= 0 {
		p.playing = slices.Delete(p.playing, i, i+1)
	}
	if r.Status == record.Fail {
		p.failed++
	}
	if p.quiet {
		return
	}
	word := map[record.Verdict]string{record.Pass: "pass", record.Fail: "FAIL"}[r.Status]
	if word == "" {
		word = "undecided"
	}
	p.Clear()
	fmt.Fprintf(p.w, "%d/%d  %-9s  %s  %.1f s  %s\n", now.Done, now.Total, word, oneLine(r.Name), r.Seconds, cut(oneLine(r.Summary), 100))
	p.draw()
}

// draw redraws the line at the bottom of a terminal.
func (p *batchProgress) draw() {
	if p.quiet || !p.terminal {
		return
	}
	line := fmt.Sprintf("%d of %d", p.last.Done, p.total)
	if p.failed > 0 {
		line += fmt.Sprintf(", %d failed", p.failed)
	}
	if p.last.Left > 0 {
		line += ", about " + p.last.Left.Round(time.Second).String() + " left"
	}
	if len(p.playing) > 0 {
		line += ": " + oneLine(strings.Join(p.playing, ", "))
	}
	p.progress.mu.Lock()
	defer p.progress.mu.Unlock()
	fmt.Fprintf(p.w, "\r\x1b[K%s", cut(line, p.width-1))
	p.drawn = true
}
