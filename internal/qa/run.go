// Package qa plays a game and judges it: the four phases in order, with their
// limits and retries, degrading rather than failing, and always ending with a
// report.
package qa

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/internal/qa/view"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// Evidence takes what a run leaves behind, at the moment it exists.
type Evidence interface {
	// Picture stores a PNG and returns its path relative to the results.
	Picture(name string, png []byte) (path string, err error)
	// File stores a log, a video or its thumbnail.
	File(name string, data []byte) error
}

// Options of a run.
type Options struct {
	// RunID names the run; empty makes a new one.
	RunID string
	// Evidence may be nil: then nothing is kept but the record.
	Evidence Evidence
	// Emit is told of progress. It must not block.
	Emit func(record.Event)
	// View shows the page that is played to whoever watches. Nil shows it to nobody.
	View *view.View
	// Log gets details that no report shows. Nil discards them.
	Log *slog.Logger
	// Version of playtest, for the record.
	Version string
	// Video records the live page. It needs Evidence to be kept in.
	Video bool

	// Checkpoint is given the record when a phase has ended, and once more as
	// [playtest.PhaseEvaluate] when the record is complete and about to be
	// judged. The record is its own only during the call; an error is logged
	// and the run goes on.
	Checkpoint func(phase string, rec *record.Record) error

	// Model helps to start, to play and to judge. Nil does without.
	Model model.Model
	// Evaluator is who judges beside the measurements: [opinion.Data],
	// [opinion.Vision], or "" for nobody.
	Evaluator string
	// ReadPicture reads a picture of the evidence back, for a model to look at.
	ReadPicture func(ctx context.Context, path string) ([]byte, error)
	// Book remembers what worked on this game and on others like it: it is
	// tried first, and adaptive play builds on it. Nil remembers nothing.
	Book *knowledge.Book
	// Budget is what the adaptive mode may spend; nil is its default.
	Budget *model.Money
	// Computer plays in agent mode instead of the tool-calling agent.
	Computer computer.Driver
	// Tools, when set, opens the tools that the agent of the agent mode gets beside
	// its own, such as those of MCP servers. They are closed when the run ends.
	Tools func(context.Context) ([]tool.Tool, io.Closer, error)
}

// Limits of the phases.
const (
	loadLimit     = load.NavigateLimit + load.ReadyLimit
	discoverLimit = 4 * time.Minute
	exploreLimit  = 5 * time.Minute
	cleanUpLimit  = 5 * time.Second
	answerLimit   = 20 * time.Second // for a browser to say that it is there
	retries       = 2
)

// NewRunID makes a name for a run that sorts by time.
func NewRunID() string {
	b := make([]byte, 4)
	_, _ = crand.Read(b) // crypto/rand never fails
	return time.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b)
}

// Run plays the target in a context of its own in the browser and judges it.
// It returns an error only for a target, a browser or an agent's tools that cannot
// be used; then there is no report. Whatever goes wrong later is in the
// report. Cancelling the context ends the run early, with a report of what was
// found so far.
func Run(ctx context.Context, b *browser.Browser, target record.Target, opts *Options) (*record.Record, *record.Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := target.Validate(); err != nil {
		return nil, nil, err
	}
	if target.Mode == record.ModeAgent && opts.Model == nil && opts.Computer == nil {
		return nil, nil, ErrNoModel
	}
	r := &run{opts: *opts, browser: b}
	if r.opts.Model != nil {
		// One ledger for starting, playing and judging.
		metered, err := model.Direct(r.opts.Model)
		if err != nil {
			return nil, nil, err
		}
		r.opts.Model = metered
	}
	if ledger := r.opts.ledger(); ledger != nil {
		r.before = len(ledger.Entries())
	}
	if r.opts.Log == nil {
		r.opts.Log = slog.New(slog.DiscardHandler)
	}
	if target.Mode == record.ModeAgent && opts.Tools != nil {
		tools, done, err := opts.Tools(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrTools, err)
		}
		defer func() {
			if err := done.Close(); err != nil {
				r.opts.Log.Warn("close the agent's tools", "error", err)
			}
		}()
		r.tools = tools
	}
	r.rec = newRecord(b, target, r.opts)
	limit := target.MaxDuration
	if limit == 0 {
		limit = record.DefaultMaxDuration + target.Metadata.Wait() + target.Metadata.PlayFor()
	}
	playing, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := r.play(playing); err != nil {
		return nil, nil, err
	}
	lost := ctx.Err() == nil && r.lost(ctx)
	switch {
	case ctx.Err() != nil:
		r.rec.Interrupted = "cancelled"
	case lost:
		r.rec.Interrupted = record.BrowserLost
	case playing.Err() != nil:
		r.rec.Interrupted = "out of time"
	}
	r.rec.Finished = time.Now()
	r.rec.Spent = r.spent()
	r.checkpoint(record.PhaseEvaluate)
	r.phase(record.PhaseEvaluate, "judging what was measured")
	report := Judge(ctx, r.rec, &r.opts)
	r.keepLogs()
	r.emit(record.EventVerdict, "%s: %s", report.Status, report.Summary)
	return r.rec, report, nil
}

// lost reports whether the browser is gone or does not answer any more, which
// says nothing about the game. A renderer that crashed alone is the game's.
func (r *run) lost(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	// That its process has ended may not be known yet when the last call to it
	// has failed, so it is asked for something small.
	c, err := r.browser.NewContext(ctx, nil)
	if err == nil {
		err = c.Close(ctx)
	}
	if err == nil {
		return false
	}
	r.opts.Log.Warn("browser lost", "run", r.rec.RunID, "error", err)
	h := &r.rec.Health
	h.Crashed, h.Hung, h.Left, r.rec.Load.Failure = nil, nil, nil, nil
	return true
}

// ErrNoModel is returned for the agent mode without a model: there is nobody to
// hand the page to.
var ErrNoModel = errors.New("agent mode needs a model")

// ErrTools is returned when the tools that the agent is to have cannot be opened.
var ErrTools = errors.New("the agent's tools cannot be opened")

// Judge judges a complete record: by what was measured, and then, where the
// options name an evaluator, with a model's opinion beside it. A model that is
// missing or a context that has ended leaves what was measured, and says so.
func Judge(ctx context.Context, rec *record.Record, opts *Options) *record.Report {
	report := Measured(rec, rec.Finished)
	if opts == nil || opts.Evaluator == "" {
		return report
	}
	refined, err := opinion.Refine(ctx, rec, report, opts.Model, &opinion.Options{Evaluator: opts.Evaluator, Pictures: opts.ReadPicture})
	if err != nil {
		if opts.Log != nil {
			opts.Log.Warn("no opinion", "run", rec.RunID, "error", err)
		}
		return report
	}
	return refined
}

func newRecord(b *browser.Browser, target record.Target, opts Options) *record.Record {
	id := opts.RunID
	if id == "" {
		id = NewRunID()
	}
	if target.Mode == "" {
		target.Mode = record.ModeStandard
	}
	return &record.Record{
		Version: record.RecordVersion, RunID: id, Target: target, Started: time.Now(),
		Environment: record.Environment{
			Playtest: opts.Version, Browser: b.Version(), Sandbox: b.Sandbox(), UserAgent: userAgent(b, opts.Version), Width: viewports[0].width, Height: viewports[0].height, Cores: runtime.NumCPU(),
		},
		Twins:   &record.TwinRecord{Observations: []record.Observation{}, Screens: []record.Screen{}},
		Actions: []record.Action{}, Decisions: []record.Decision{}, Screenshots: []record.Screenshot{},
	}
}

// userAgent is Chromium's, because games look at it, with our name and version at its end.
func userAgent(b *browser.Browser, version string) string {
	if version == "" {
		return b.UserAgent()
	}
	return b.UserAgent() + "/" + version
}

type run struct {
	opts    Options
	browser *browser.Browser
	rec     *record.Record
	log     *browser.Log
	current string
	before  int // entries of the ledger that are not this run's
	memory  *adapt.Memory
	// knownStarts and knownControls are what it knew and was tried first.
	knownStarts, knownControls []record.Input
	tools                      []tool.Tool // of the agent, beside its own
	// indicators are the success indicators as they are watched.
	indicators *onlooker.Indicators
}

func (r *run) emit(kind, format string, args ...any) {
	if r.opts.Emit != nil {
		r.opts.Emit(record.Event{Time: time.Now(), RunID: r.rec.RunID, Phase: r.current, Kind: kind, Message: fmt.Sprintf(format, args...)})
	}
}

func (r *run) phase(name, message string) {
	r.current = name
	r.emit(record.EventPhase, "%s", message)
}

// checkpoint hands the record to whoever keeps it.
func (r *run) checkpoint(phase string) {
	if r.opts.Checkpoint == nil {
		return
	}
	if err := r.opts.Checkpoint(phase, r.rec); err != nil {
		r.opts.Log.Warn("checkpoint", "run", r.rec.RunID, "phase", phase, "error", err)
	}
}

// environment asks a scratch page what this machine offers.
func (r *run) environment(ctx context.Context, c *browser.Context) {
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		return
	}
	defer func() { _ = page.Close(ctx) }() // the context closes it otherwise
	var env struct {
		WebGL  string
		WebGPU bool
	}
	const ask = `(() => {
		const gl = document.createElement('canvas').getContext('webgl');
		const info = gl && gl.getExtension('WEBGL_debug_renderer_info');
		return {WebGL: gl ? '' + gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : '', WebGPU: !!navigator.gpu};
	})()`
	if err := page.Evaluate(ctx, ask, &env); err != nil {
		return
	}
	r.rec.Environment.WebGL, r.rec.Environment.WebGPU = env.WebGL, env.WebGPU
}
