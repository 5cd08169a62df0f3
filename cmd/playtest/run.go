package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/feed"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/site"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func newRun() *cobra.Command {
	var s settings
	var builds local
	var watch bool
	cmd := &cobra.Command{
		Use:   "run URL|FOLDER|ZIP",
		Short: "Play a game and say whether it works",
		Long: `Run opens the game in a real Chromium, finds its controls, starts it, plays it
and judges it. The report is printed on stdout as JSON; everything that was found
is kept in the results folder, with a page to look at (report.html).

A folder, a zip file or an HTML page of this machine is served while it is played,
as a host for games would: --watch plays it again each time it changes.

Without a model it costs nothing. --mode adaptive lets heuristics, a model and what
was learned before play on; --mode agent hands the page to an agent. The verdict is
measured in every mode; with --model the report has that model's opinion beside it.

Interrupted with Ctrl-C it closes the browser, saves what was found so far and
exits with 130.`,
		Example: `  playtest run https://example.com/game/
  playtest run ./dist
  playtest run game.zip --out results
  playtest run http://localhost:8080/ --metadata game.yaml --out results
  playtest run http://localhost:8080/ --format md --quiet > summary.md
  playtest run http://localhost:8080/ --mode adaptive --model anthropic/claude-haiku-5-5 --budget 0.25
  playtest run http://localhost:8080/ --mode agent --agent computer --model openai/gpt-6-sol
  playtest run http://localhost:8080/ --db runs.db --evidence s3://games/evidence
  playtest run http://localhost:8080/ --browser ws://127.0.0.1:9222/devtools/browser/ID`,
		Args: arguments(1, 1, "the game's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := builds.check(cmd); err != nil {
				return err
			}
			if err := s.baseline.check(cmd); err != nil {
				return err
			}
			once := func() error {
				// A password is for the site alone: from here on it is not part of
				// the address.
				address, credentials, done, err := builds.address(cmd.Context(), cmd, args[0])
				if err != nil {
					return err
				}
				defer done()
				s.credentials = credentials
				target, err := s.target(cmd, address)
				if err != nil {
					return err
				}
				return s.play(cmd, target)
			}
			if !watch {
				return once()
			}
			if !site.IsLocal(args[0]) {
				return usage(cmd, "--watch is for a folder, a zip file or a page of this machine")
			}
			return again(cmd, args[0], once)
		},
	}
	s.register(cmd, "json")
	s.modes = &modes{}
	s.modes.register(cmd)
	s.modes.registerTools(cmd)
	s.storage = &storage{}
	s.storage.register(cmd)
	builds.register(cmd)
	s.baseline.register(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "play a local build again each time it changes")
	return cmd
}

// What --log and --keep accept.
var (
	logFormats  = []string{"text", "json"}
	keepChoices = []string{"all", "failed", "none"}
)

// settings are the flags of the commands that play a game.
type settings struct {
	meta        string
	out         string
	format      string
	maxDuration time.Duration
	browser     string
	headed      bool
	rubric      string
	playFor     time.Duration
	seed        int64
	quiet       bool
	verbose     bool
	log         string
	keep        string
	single      bool
	video       bool
	reach       reach
	credentials *browser.Credentials // that were part of the address
	modes       *modes               // nil plays in the standard mode, without a model
	storage     *storage             // nil when runs are only kept in the results folder
	baseline    baseline             // an earlier run to compare with, or none
}

func (s *settings) register(cmd *cobra.Command, format string) {
	f := cmd.Flags()
	f.StringVar(&s.meta, "metadata", "", "what the game's author says about it, JSON or YAML `FILE`")
	f.StringVar(&s.out, "out", "", "results `DIR` (default "+resultsRoot+"/RUN-ID)")
	f.StringVar(&s.format, "format", format, "what to print on stdout: "+strings.Join(formats, ", "))
	f.DurationVar(&s.maxDuration, "max-duration", record.DefaultMaxDuration, "longest time for the whole run")
	f.StringVar(&s.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one, or browserbase (also $PLAYTEST_BROWSER; docs/remote-browsers.md)")
	f.BoolVar(&s.headed, "headed", false, "show the browser's window")
	f.StringVar(&s.rubric, "rubric", "", "weights, threshold and questions, JSON or YAML `FILE`")
	f.DurationVar(&s.playFor, "play", record.DefaultPlay, "how long the standard mode plays once the controls are known; metadata's interactionDuration goes before it")
	f.Int64Var(&s.seed, "seed", 0, "make the choices of a run repeatable")
	s.reach.register(cmd, allowLocalTyped)
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no progress and no summary on stderr")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "write the details of the run to stderr as a log")
	f.StringVar(&s.log, "log", logFormats[0], "how --verbose logs: "+strings.Join(logFormats, ", ")+"; json also logs events, and nothing else is on stderr")
	f.StringVar(&s.keep, "keep", keepChoices[0], "which results stay in the folder: "+strings.Join(keepChoices, ", "))

	f.BoolVar(&s.video, "video", false, "record the game as it is played: video.webm and a small video.gif in the results folder")
	f.BoolVar(&s.single, "single-file", false, "put the pictures into report.html, so that it can be sent around alone")

	cmd.RegisterFlagCompletionFunc("log", cobra.FixedCompletions(logFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("keep", cobra.FixedCompletions(keepChoices, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagFilename("metadata", "json", "yaml", "yml")
	cmd.MarkFlagFilename("rubric", "json", "yaml", "yml")
	cmd.MarkFlagDirname("out")
}

// target builds what to play from the command line. Every mistake is found
// here, before a browser is started.
func (s *settings) target(cmd *cobra.Command, url string) (record.Target, error) {
	t := record.Target{URL: url, Mode: record.ModeStandard, MaxDuration: s.maxDuration, Play: s.playFor, Seed: s.seed}
	if err := record.ValidateURL(url); err != nil {
		return t, usage(cmd, "%v", err)
	}
	if !slices.Contains(formats, s.format) {
		return t, usage(cmd, "--format %q is not one of %s", s.format, strings.Join(formats, ", "))
	}
	// Commands that only submit have neither flag.
	if s.log != "" && !slices.Contains(logFormats, s.log) {
		return t, usage(cmd, "--log %q is not one of %s", s.log, strings.Join(logFormats, ", "))
	}
	if s.keep != "" && !slices.Contains(keepChoices, s.keep) {
		return t, usage(cmd, "--keep %q is not one of %s", s.keep, strings.Join(keepChoices, ", "))
	}
	if s.maxDuration < time.Second {
		return t, usage(cmd, "--max-duration %s is shorter than a second", s.maxDuration)
	}
	if s.playFor < time.Second {
		return t, usage(cmd, "--play %s is shorter than a second", s.playFor)
	}
	if s.modes != nil {
		if err := s.modes.check(cmd); err != nil {
			return t, err
		}
		t.Mode = record.Mode(s.modes.mode)
	}
	if s.meta != "" {
		m, err := readMetadata(cmd, s.meta)
		if err != nil {
			return t, err
		}
		t.Metadata = m
		if !cmd.Flags().Changed("max-duration") {
			t.MaxDuration = 0 // the metadata may ask for more
		}
	}
	if s.rubric != "" {
		r, err := readRubric(cmd, s.rubric)
		if err != nil {
			return t, err
		}
		t.Rubric = r
	}
	if err := t.Validate(); err != nil {
		return t, usage(cmd, "%v", err)
	}
	return t, nil
}

// play runs a target and reports in every way the settings ask for.
func (s *settings) play(cmd *cobra.Command, target record.Target) error {
	ctx := cmd.Context()
	stderr := cmd.ErrOrStderr()
	id := qa.NewRunID()
	opts := &qa.Options{RunID: id, Version: record.Version, Video: s.video}
	if s.modes != nil {
		if err := s.modes.equip(cmd, opts, s.quiet); err != nil {
			return err
		}
		if !s.modes.noMemory {
			book, done, err := s.memory(cmd)
			if err != nil {
				return err
			}
			defer done()
			opts.Book = book
		}
	}
	dir := s.out
	if dir == "" {
		dir = filepath.Join(resultsRoot, id)
	}
	res, err := openResults(dir)
	if err != nil {
		return err
	}
	res.single = s.single
	if s.log == "json" {
		s.quiet = true // whoever reads it wants lines of JSON and nothing else
	}
	show := newProgress(stderr, s.quiet)
	log := slog.New(slog.DiscardHandler)
	tell := show.Event
	switch {
	case s.log == "json":
		log = slog.New(slog.NewJSONHandler(stderr, nil)).With("run", id)
		tell = func(e record.Event) { logEvent(log, e) }
	case s.verbose:
		show.terminal = false // a log and a redrawn line do not mix
		log = slog.New(slog.NewTextHandler(stderr, nil)).With("run", id)
	}
	opts.Evidence, opts.Log, opts.ReadPicture = res, log, res.read
	var kept *keeper
	if s.storage != nil && s.storage.named() {
		kept, err = s.storage.keep(ctx, id, res, s.passwords(), func(text string) { log.Warn(text) })
		if err != nil {
			res.discard()
			return err
		}
		defer kept.close()
		opts.Evidence = kept
		shown := tell
		tell = func(e record.Event) {
			shown(e)
			kept.Event(e)
		}
	}
	watched := feed.New(id, tell)
	defer watched.Close()
	opts.Emit = watched.Event
	opts.Checkpoint = func(phase string, rec *record.Record) error {
		watched.Checkpoint(phase, rec)
		return nil
	}
	if n := len(target.Rubric.Resolved().Questions); n > 0 && (opts.Model == nil || opts.Evaluator == "") {
		watched.Event(record.Event{Time: time.Now(), RunID: id, Kind: record.EventWarning,
			Message: fmt.Sprintf("the rubric's questions (%d) are not asked: they need a model, and --evaluator data or vision", n)})
	}
	rec, rep, err := s.perform(ctx, target, opts)
	show.Clear()
	if rep == nil {
		res.discard()
		return err
	}
	if saveErr := res.save(rec, rep); saveErr != nil {
		return errors.Join(saveErr, err)
	}
	if kept != nil {
		err = errors.Join(err, kept.finish(ctx, rec, rep, s.modes.stored(cmd), expenses(opts.Model)))
	}
	if err == nil && (s.keep == "none" || s.keep == "failed" && rep.Status == record.Pass) { // what could not be stored is there only
		if gone := res.remove(); gone != nil {
			log.Warn("clean up", "error", gone)
		}
		res = nil
	}
	if !s.quiet {
		writeSummary(stderr, rep, res)
	}
	if err := writeData(cmd.OutOrStdout(), s.format, rep, rec); err != nil {
		return fmt.Errorf("writing the report to stdout: %w", err)
	}
	if ctx.Err() != nil {
		if !s.quiet {
			fmt.Fprintln(stderr, "interrupted: the report holds what was found until then")
		}
		return &verdictError{codeInterrupted}
	}
	if err != nil {
		return err
	}
	return s.baseline.judge(stderr, s.quiet, rep, rec)
}

// logEvent writes an event as a line of the structured log.
func logEvent(log *slog.Logger, e record.Event) {
	level := slog.LevelInfo
	if e.Kind == record.EventWarning {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("kind", e.Kind), slog.String("phase", e.Phase), slog.String("message", e.Message)}
	if e.Done > 0 || e.Total > 0 {
		attrs = append(attrs, slog.Int("done", e.Done), slog.Int("total", e.Total))
	}
	if e.Kind == record.EventPhaseEnded {
		attrs = append(attrs, slog.Float64("seconds", e.Seconds))
	}
	log.LogAttrs(context.Background(), level, "event", attrs...)
}

// memory opens the book of what was learned in earlier runs. A database that
// was named has to be there; the one in the data folder is done without.
func (s *settings) memory(cmd *cobra.Command) (book *knowledge.Book, done func(), err error) {
	where := s.storage
	if where == nil {
		where = &storage{}
	}
	db, err := where.openStore(cmd.Context())
	switch {
	case err == nil:
		return knowledge.Open(db, nil), func() { db.Close() }, nil
	case where.dbAddress() != "":
		return nil, nil, hint(err, "--no-memory does without what was learned before")
	case !s.quiet:
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s; playing without what was learned before\n", oneLine(err.Error()))
	}
	return nil, func() {}, nil
}

// passwords are what the address held and nothing may repeat.
func (s *settings) passwords() []string {
	if s.credentials == nil || s.credentials.Password == "" {
		return nil
	}
	return []string{s.credentials.Password}
}

func verdict(rep *record.Report) error {
	switch rep.Status {
	case record.Pass:
		return nil
	case record.Fail:
		return &verdictError{codeFail}
	}
	return &verdictError{codeUnjudged}
}

// browserChoice is the flag, or the environment where the flag was left alone.
func (s *settings) browserChoice() string {
	if env := os.Getenv("PLAYTEST_BROWSER"); env != "" && (s.browser == "" || s.browser == "auto") {
		return env
	}
	return s.browser
}

func readMetadata(cmd *cobra.Command, name string) (*metadata.Metadata, error) {
	data, err := readSmall(cmd, name)
	if err != nil {
		return nil, err
	}
	m, err := metadata.Parse(data)
	if err != nil {
		return nil, &badFile{cmd.CommandPath(), name, err}
	}
	return m, nil
}

// perform is the run itself, in a browser that is closed again.
func (s *settings) perform(ctx context.Context, target record.Target, opts *qa.Options) (*record.Record, *record.Report, error) {
	proxied, _, done, err := s.reach.through(ctx, s.browserChoice(), target.URL, opts.Log)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	b, err := openBrowser(ctx, s.browserChoice(), s.reach.launch(&browser.LaunchOptions{Headed: s.headed, Log: opts.Log, StillImages: !s.headed}))
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	if opts.Emit != nil && strings.HasPrefix(b.Sandbox(), "off") {
		opts.Emit(record.Event{Time: time.Now(), RunID: opts.RunID, Kind: record.EventWarning,
			Message: noSandbox})
	}
	rec, rep, err := qa.Run(browser.WithCredentials(proxied, s.credentials), b, target, opts)
	if at := b.Inspect(); at != "" && rep != nil {
		rec.Environment.Session, rep.Metadata.Environment.Session = at, at
	}
	return rec, rep, err
}
