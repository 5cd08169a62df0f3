// Package worker plays the runs that a queue hands out: in a browser, with the
// evidence going to its store and signs of life to the run's events, each phase
// checkpointed, so that another worker can go on where this one died.
package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// Browsers lends browsers to runs. Several runs may be given the same one.
type Browsers interface {
	// Borrow waits for a browser. Release gives it back.
	Borrow(ctx context.Context) (b *browser.Browser, release func(), err error)
}

// Options of a worker.
type Options struct {
	// Secrets are values that must not be kept in evidence.
	Secrets []string
	// Equip gives a run what only the edge knows of: models, and what was learnt
	// from other games. May be nil. Its errors are for people.
	Equip func(target record.Target, opts *qa.Options) error
	// Meter learns what runs cost. May be nil.
	Meter *Meter
	// Acknowledged is told of evidence that is kept for good. May be nil.
	Acknowledged func(run string, e evidence.Entry)
	// Log gets details that no report shows. Nil discards them.
	Log *slog.Logger
	// Version of playtest, for the record.
	Version string
}

// Worker plays runs.
type Worker struct {
	browsers Browsers
	evidence evidence.Store
	opts     Options
}

// New makes a worker that plays in borrowed browsers and keeps evidence in a
// store. It is told what to play by a queue: see Play.
func New(browsers Browsers, store evidence.Store, opts *Options) *Worker {
	w := &Worker{browsers: browsers, evidence: store}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Log == nil {
		w.opts.Log = slog.New(slog.DiscardHandler)
	}
	return w
}

// keeping bounds how long a run waits for its evidence to be kept at the end.
const keeping = time.Minute

// Words for people about runs that could not be played.
var (
	errNoBrowser   = errors.New("no browser could be had to play the game in")
	errBrowserLost = errors.New("the browser was lost while the game was played")
)

// Play is a queue.Player.
func (w *Worker) Play(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
	if err := h.Target.Validate(); err != nil {
		return nil, nil, &queue.Permanent{Err: err}
	}
	explored, err := h.Explored(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("look for an earlier record: %w", err)
	}
	log := w.opts.Log.With("run", h.Run.ID, "attempt", h.Run.Attempts)
	says := newTeller(h, log)
	defer says.close()
	kept, err := evidence.NewWriter(w.evidence, h.Run.ID, &evidence.WriterOptions{
		Attempt: int(h.Run.Lease), Secrets: w.opts.Secrets, Note: says.warn,
		Acknowledged: func(e evidence.Entry) {
			if w.opts.Acknowledged != nil {
				w.opts.Acknowledged(h.Run.ID, e)
			}
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the evidence: %w", err)
	}
	rec, rep, err := w.judged(ctx, h, explored, kept, says, log)
	if rep != nil {
		w.keepResult(kept, log, rec, rep)
	}
	// The run has ended, whatever becomes of its context: its evidence has not.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), keeping)
	defer cancel()
	if _, closeErr := kept.Close(closing); closeErr != nil {
		log.Warn("some evidence was not kept", "error", closeErr)
	}
	return rec, rep, err
}

// judged returns the run's record and report: of the earlier record when there
// is one, since a game that was explored is not played again.
func (w *Worker) judged(ctx context.Context, h *queue.Held, explored *record.Record, kept *evidence.Writer, says *teller, log *slog.Logger) (*record.Record, *record.Report, error) {
	opts := &qa.Options{
		RunID: h.Run.ID, Evidence: kept, Emit: says.Event, Log: log, Version: w.opts.Version,
		ReadPicture: func(ctx context.Context, path string) ([]byte, error) { return w.picture(ctx, h.Run.ID, path) },
	}
	if w.opts.Equip != nil {
		if err := w.opts.Equip(h.Target, opts); err != nil {
			return nil, nil, err
		}
	}
	defer keepLedger(h, opts.Model, log)
	if explored == nil {
		return w.play(ctx, h, opts, says, log)
	}
	log.Info("judging the record of an earlier attempt")
	says.Event(record.Event{Time: time.Now(), RunID: h.Run.ID, Phase: record.PhaseEvaluate, Kind: record.EventPhase, Message: "judging what an earlier attempt measured"})
	rep := qa.Judge(ctx, explored, opts)
	says.Event(record.Event{Time: time.Now(), RunID: h.Run.ID, Phase: record.PhaseEvaluate, Kind: record.EventVerdict, Message: fmt.Sprintf("%s: %s", rep.Status, rep.Summary)})
	return explored, rep, nil
}

func (w *Worker) play(ctx context.Context, h *queue.Held, opts *qa.Options, says *teller, log *slog.Logger) (*record.Record, *record.Report, error) {
	b, release, err := w.browsers.Borrow(ctx)
	if err != nil {
		log.Warn("no browser", "error", err)
		return nil, nil, errNoBrowser
	}
	defer release()
	if w.opts.Meter != nil {
		defer w.opts.Meter.run()()
	}
	if h.Run.Attempts > 1 {
		says.warn(fmt.Sprintf("this is attempt %d: the evidence of earlier ones is kept, marked with their number", h.Run.Attempts))
	}
	lost := false
	opts.Checkpoint = func(phase string, rec *record.Record) error {
		if phase != record.PhaseEvaluate {
			return h.Checkpoint(ctx, phase, rec, false)
		}
		if ctx.Err() != nil {
			return nil // it is not complete: it was stopped
		}
		if lost = rec.Interrupted == record.BrowserLost; lost {
			return nil // nor is this one
		}
		return h.Checkpoint(ctx, record.PhaseExplore, rec, true)
	}
	rec, rep, err := qa.Run(ctx, b, h.Target, opts)
	switch {
	case errors.Is(err, qa.ErrNoModel):
		return nil, nil, &queue.Permanent{Err: err}
	case err != nil:
		log.Warn("the game could not be played", "error", err)
		return nil, nil, errBrowserLost
	case lost:
		// What was found says something about this browser, not about the game.
		return nil, nil, errBrowserLost
	}
	return rec, rep, nil
}

// maxPicture bounds a picture that is read back.
const maxPicture = 32 << 20

// picture reads a picture of the evidence back.
func (w *Worker) picture(ctx context.Context, run, path string) ([]byte, error) {
	r, err := w.evidence.Get(ctx, run, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxPicture))
}

// keepResult puts record and report beside the pictures, as a results folder
// has them.
func (w *Worker) keepResult(kept *evidence.Writer, log *slog.Logger, rec *record.Record, rep *record.Report) {
	keep := func(name string, data []byte, err error) {
		if err == nil {
			err = kept.File(name, data)
		}
		if err != nil {
			log.Warn("keep the result", "name", name, "error", err)
		}
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	keep("record.json", data, err)
	data, err = json.MarshalIndent(rep, "", "  ")
	keep("report.json", data, err)
	var page bytes.Buffer
	err = report.HTML(&page, rep, rec)
	keep("report.html", page.Bytes(), err)
}
