package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/playtest-dev/playtest/browser/pool"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

// rhythm of the stand-in's experiments, so that a hundred rescues take minutes.
// With games it is the product's own.
var fast = queue.Options{Heartbeat: 300 * time.Millisecond, Silence: 2 * time.Second, Sweep: 500 * time.Millisecond}

// attempts is how often a run may lose its worker: being killed again and again
// is the point here.
const attempts = 1000

func (s *settings) queueOptions() *queue.Options {
	opts := queue.Options{}
	if !s.games {
		opts = fast
	}
	opts.PerHost, opts.MaxAttempts, opts.Worker = -1, attempts, s.name
	opts.Aside = filepath.Join(s.dir, "unstored")
	if !s.games {
		opts.Backoff = func(int) time.Duration { return 200 * time.Millisecond }
	}
	opts.Log = slog.New(slog.DiscardHandler) // that databases go away is our doing
	if s.verbose || s.games {
		opts.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return &opts
}

// worker is the process that is killed.
func (s *settings) worker(ctx context.Context) error {
	db, err := store.Open(ctx, s.db)
	if err != nil {
		return err
	}
	defer db.Close()
	opts := s.queueOptions()
	q, err := queue.Open(ctx, db, opts)
	if err != nil {
		return err
	}
	kept, err := evidence.Open(s.evidence, nil)
	if err != nil {
		return err
	}
	defer kept.Close()
	n, err := openNotes(filepath.Join(s.dir, "notes"))
	if err != nil {
		return err
	}
	kept = putter{kept, n}
	acknowledged := func(run string, attempt int, e evidence.Entry) { n.note(noteKept, run, e.Name, e.SHA256, attempt) }
	play := (&standIn{kept, n, acknowledged}).play
	if s.games {
		browsers := pool.New(&pool.Options{PerBrowser: s.slots, Log: opts.Log})
		defer browsers.Close()
		w := worker.New(browsers, kept, &worker.Options{Acknowledged: acknowledged, Log: opts.Log, Version: record.Version})
		play = noted(n, w.Play)
	}
	return q.Work(ctx, play, &queue.WorkOptions{Slots: s.slots, Grace: grace})
}

// noted writes down what the real worker is about to do.
func noted(n *notes, play queue.Player) queue.Player {
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		explored, _, err := h.Explored(ctx)
		if err != nil {
			return nil, nil, err
		}
		if explored == nil {
			n.note(noteExploring, h.Run.ID, h.Run.Lease)
		}
		rec, rep, err := play(ctx, h)
		if rep != nil {
			n.note(noteEvaluating, h.Run.ID, h.Run.Lease)
		}
		return rec, rep, err
	}
}

// standIn does in a fifth of a second what a run does in ten: evidence,
// checkpoints, a record, a judgement.
type standIn struct {
	kept         evidence.Store
	notes        *notes
	acknowledged func(run string, attempt int, e evidence.Entry)
}

func (p *standIn) play(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
	rec, from, err := h.Explored(ctx)
	if err != nil {
		return nil, nil, err
	}
	attempt := int(h.Run.Lease)
	w, err := evidence.NewWriter(p.kept, h.Run.ID, &evidence.WriterOptions{
		Attempt: attempt, Fence: h.Fence, Acknowledged: func(e evidence.Entry) { p.acknowledged(h.Run.ID, attempt, e) },
	})
	if err != nil {
		return nil, nil, err
	}
	rep, err := func() (*record.Report, error) {
		if rec != nil {
			if err := w.Adopt(ctx, int(from)); err != nil {
				return nil, err
			}
		} else if rec, err = p.explore(ctx, h, w); err != nil {
			return nil, err
		}
		p.notes.note(noteEvaluating, h.Run.ID, h.Run.Lease)
		pause(ctx)
		rep := evaluate.Evaluate(rec, time.Now())
		rep.Summary = summary(h.Run.Lease)
		return rep, w.File("report.json", fmt.Appendf(nil, "{\"summary\":%q}", rep.Summary))
	}()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(500*time.Millisecond, cancel) })()
	m, closeErr := w.Close(closing)
	h.Manifest = m.SHA256
	if err == nil && closeErr != nil {
		err = closeErr // it is tried again: nothing may be missing here
	}
	return rec, rep, err
}

// summary says under which lease a run was judged, with what pages do to text.
func summary(lease int64) string { return fmt.Sprintf("judged under lease %d %s", lease, hostile) }

// hostile is text that pages can choose and databases dislike.
const hostile = "a\x00b\xff\xed\xa0\x80"

func (p *standIn) explore(ctx context.Context, h *queue.Held, w *evidence.Writer) (*record.Record, error) {
	p.notes.note(noteExploring, h.Run.ID, h.Run.Lease)
	rec := &record.Record{Version: record.RecordVersion, RunID: h.Run.ID, Target: h.Target, Started: time.Now()}
	// Some take so long that a worker that was stopped comes back in the middle of
	// its successor's work.
	slow := rand.N(5) == 0
	for _, phase := range []string{record.PhaseLoad, record.PhaseDiscover, record.PhaseExplore} {
		pause(ctx)
		if slow {
			for range 20 {
				pause(ctx)
			}
		}
		path, err := w.Picture(fmt.Sprintf("%s.png", phase), noise(20<<10))
		if err != nil {
			return nil, err
		}
		if err := w.File("console.log", fmt.Appendf(nil, "attempt %d, %s", h.Run.Lease, phase)); err != nil {
			return nil, err
		}
		rec.Screenshots = append(rec.Screenshots, record.Screenshot{Stage: phase, Path: path})
		rec.Actions = append(rec.Actions, record.Action{Time: time.Now(), Phase: phase, Kind: "click", Target: hostile, Effect: hostile})
		rec.Decisions = append(rec.Decisions, record.Decision{Time: time.Now(), Phase: phase, What: hostile, Why: hostile})
		if err := h.Events(ctx, []record.Event{{Time: time.Now(), Phase: phase, Kind: record.EventPhase, Message: hostile}}); err != nil {
			return nil, err
		}
		if err := h.Checkpoint(ctx, phase, rec, false); err != nil {
			return nil, err
		}
	}
	rec.Finished = time.Now()
	if err := h.Checkpoint(ctx, record.PhaseExplore, rec, true); err != nil {
		return nil, err
	}
	p.notes.note(noteExplored, h.Run.ID, h.Run.Lease)
	pause(ctx)
	return rec, nil
}

// pause lets some time go by, for a kill to come in.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(10*time.Millisecond + rand.N(60*time.Millisecond)):
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}
