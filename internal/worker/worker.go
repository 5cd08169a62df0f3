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
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/feed"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/view"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Browsers lends browsers to runs. Several runs may be given the same one.
type Browsers interface {
	// Borrow waits for a browser, for one that nobody else has when the context
	// says so (see pool.Alone). Release gives it back.
	Borrow(ctx context.Context) (b *browser.Browser, release func(), err error)
}

// Equip gives a run what only the edge knows of: models, who judges, and what
// was learnt from other games. Warn tells people of what the run has to do
// without; the error is for people, too.
type Equip func(ctx context.Context, h *queue.Held, warn func(string), opts *qa.Options) error

// Options of a worker.
type Options struct {
	// Secrets are values that must not be kept in evidence.
	Secrets []string
	// Equip may be nil.
	Equip Equip
	// Meter learns what runs cost. May be nil.
	Meter *Meter
	// Acknowledged is told of evidence that an attempt has kept for good. May be nil.
	Acknowledged func(run string, attempt int, e evidence.Entry)
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

const (
	// keeping bounds how long a run waits for its evidence to be kept at the end.
	keeping = time.Minute
	// parting is the same when the worker shuts down: the run will be played again.
	parting = time.Second
)

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
	explored, from, err := h.Explored(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("look for an earlier record: %w", err)
	}
	attempt := int(h.Run.Lease)
	log := w.opts.Log.With("run", h.Run.ID, "attempt", h.Run.Attempts)
	says := newTeller(h.Run.ID, h, log)
	defer says.close()
	kept, err := evidence.NewWriter(w.evidence, h.Run.ID, &evidence.WriterOptions{
		Attempt: attempt, Secrets: w.opts.Secrets, Note: says.warn, Fence: h.Fence,
		Acknowledged: func(e evidence.Entry) {
			if w.opts.Acknowledged != nil {
				w.opts.Acknowledged(h.Run.ID, attempt, e)
			}
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the evidence: %w", err)
	}
	if explored != nil {
		w.adopt(ctx, kept, int(from), explored, says)
	}
	rec, rep, err := w.judged(ctx, h, explored, kept, says, log)
	if rep != nil {
		w.keepResult(kept, log, rec, rep)
	}
	closing, cancel := closingTime(ctx)
	defer cancel()
	m, closeErr := kept.Close(closing)
	if closeErr != nil {
		log.Warn("some evidence was not kept", "error", closeErr)
	}
	h.Manifest = m.SHA256
	for _, e := range m.Files {
		h.Weight += e.Size
	}
	return rec, rep, err
}

// closingTime is how long evidence may be waited for: the run has ended, whatever
// becomes of its context, but its evidence has not. A worker that shuts down has
// no time for it.
func closingTime(ctx context.Context) (context.Context, context.CancelFunc) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), keeping)
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), queue.ErrDraining) {
			time.AfterFunc(parting, cancel)
		}
	})
	return closing, func() {
		stop()
		cancel()
	}
}

// adopt takes over the evidence of the attempt whose record is judged, so that
// everything is there that the report names, and says what is not.
func (w *Worker) adopt(ctx context.Context, kept *evidence.Writer, from int, explored *record.Record, says *teller) {
	ctx, cancel := context.WithTimeout(ctx, keeping)
	defer cancel()
	if err := kept.Adopt(ctx, from); err != nil {
		says.warn(fmt.Sprintf("some evidence of attempt %d could not be taken over: %v", from, err))
		return
	}
	left, err := evidence.ReadManifest(ctx, w.evidence, explored.RunID, from)
	if err != nil && !errors.Is(err, evidence.ErrNotFound) {
		return
	}
	missing := len(explored.Screenshots)
	for _, s := range explored.Screenshots {
		if left != nil && left.Has(s.Path) {
			missing--
		}
	}
	if missing > 0 {
		says.warn(fmt.Sprintf("%d of %d pictures were lost with the worker that took them", missing, len(explored.Screenshots)))
	}
}

// judged returns the run's record and report: of the earlier record when there
// is one, since a game that was explored is not played again.
func (w *Worker) judged(ctx context.Context, h *queue.Held, explored *record.Record, kept *evidence.Writer, says *teller, log *slog.Logger) (*record.Record, *record.Report, error) {
	watched := feed.New(h.Run.ID, says.Event)
	defer watched.Close()
	opts := &qa.Options{
		RunID: h.Run.ID, Evidence: kept, Emit: watched.Event, Log: log, Version: w.opts.Version,
		ReadPicture: func(ctx context.Context, path string) ([]byte, error) { return w.picture(ctx, h, path) },
	}
	if w.opts.Equip != nil {
		if err := w.opts.Equip(ctx, h, says.warn, opts); err != nil {
			return nil, nil, err
		}
	}
	if explored == nil {
		return w.play(ctx, h, opts, watched, says, log)
	}
	log.Info("judging the record of an earlier attempt")
	watched.Event(record.Event{Time: time.Now(), RunID: h.Run.ID, Phase: record.PhaseEvaluate, Kind: record.EventPhase, Message: "judging what an earlier attempt measured"})
	rep := qa.Judge(ctx, explored, opts)
	watched.Event(record.Event{Time: time.Now(), RunID: h.Run.ID, Phase: record.PhaseEvaluate, Kind: record.EventVerdict, Message: fmt.Sprintf("%s: %s", rep.Status, rep.Summary)})
	return explored, rep, nil
}

func (w *Worker) play(ctx context.Context, h *queue.Held, opts *qa.Options, watched *feed.Feed, says *teller, log *slog.Logger) (*record.Record, *record.Report, error) {
	suspect, err := w.suspect(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	borrowing := ctx
	if suspect {
		borrowing = pool.Alone(ctx)
	}
	b, release, err := w.browsers.Borrow(borrowing)
	if err != nil {
		log.Warn("no browser", "error", err)
		return nil, nil, errNoBrowser
	}
	defer release()
	if w.opts.Meter != nil {
		defer w.opts.Meter.run()()
	}
	if h.Run.Attempts > 1 {
		says.warn(fmt.Sprintf("this is attempt %d: the evidence of earlier ones is kept beside it", h.Run.Attempts))
	}
	lost := false
	opts.Checkpoint = func(phase string, rec *record.Record) error {
		watched.Checkpoint(phase, rec)
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
	opts.View = view.New()
	defer show(ctx, h.Lease(), opts.View, h.Store(), log)()
	rec, rep, err := qa.Run(ctx, b, h.Target, opts)
	switch {
	case errors.Is(err, qa.ErrNoModel):
		return nil, nil, &queue.Permanent{Err: err}
	case errors.Is(err, qa.ErrTools):
		return nil, nil, err
	case err != nil:
		log.Warn("the game could not be played", "error", err)
		return nil, nil, browserLost(suspect)
	case lost:
		// What was found says something about this browser, not about the game.
		return nil, nil, browserLost(suspect)
	}
	return rec, rep, nil
}

// browserLost is what a run ends with whose browser was lost. Any of the runs
// that shared the browser may have taken it down, so the first time costs none of
// them an attempt. After that each is played alone, and whoever loses a browser
// that it had for itself pays for it.
func browserLost(suspect bool) error {
	if suspect {
		return errBrowserLost
	}
	return &queue.Spared{Err: errBrowserLost}
}

// suspect reports whether the run has lost a browser before.
func (w *Worker) suspect(ctx context.Context, h *queue.Held) (bool, error) {
	if h.Run.Lease <= 1 {
		return false, nil
	}
	attempts, err := h.Store().Attempts(ctx, h.Run.ID)
	if err != nil {
		return false, fmt.Errorf("look at earlier attempts: %w", err)
	}
	return slices.ContainsFunc(attempts, func(a store.Attempt) bool { return a.Outcome == store.OutcomeSpared }), nil
}

// maxPicture bounds a picture that is read back.
const maxPicture = 32 << 20

// picture reads a picture of this attempt's evidence back.
func (w *Worker) picture(ctx context.Context, h *queue.Held, path string) ([]byte, error) {
	r, err := w.evidence.Get(ctx, h.Run.ID, evidence.AttemptName(int(h.Run.Lease), path))
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
