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
	level := slog.LevelError
	if s.verbose {
		level = slog.LevelInfo
	}
	opts.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
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
	kept, err := evidence.Open(filepath.Join(s.dir, "evidence"), nil)
	if err != nil {
		return err
	}
	defer kept.Close()
	n, err := openNotes(filepath.Join(s.dir, "notes"))
	if err != nil {
		return err
	}
	kept = putter{kept, n}
	acknowledged := func(run string, e evidence.Entry) { n.note(noteKept, run, e.Name, e.SHA256, e.Attempt) }
	play := (&standIn{kept, n, acknowledged}).play
	if s.games {
		browsers := pool.New(&pool.Options{PerBrowser: s.slots, Log: opts.Log})
		defer browsers.Close()
		w := worker.New(browsers, kept, &worker.Options{Acknowledged: acknowledged, Log: opts.Log, Version: record.Version})
		play = noted(n, w.Play)
	}
	return q.Work(ctx, play, &queue.WorkOptions{Slots: s.slots})
}

// noted writes down what the real worker is about to do.
func noted(n *notes, play queue.Player) queue.Player {
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		explored, err := h.Explored(ctx)
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
	acknowledged func(run string, e evidence.Entry)
}

func (p *standIn) play(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
	rec, err := h.Explored(ctx)
	if err != nil {
		return nil, nil, err
	}
	if rec == nil {
		if rec, err = p.explore(ctx, h); err != nil {
			return nil, nil, err
		}
	}
	p.notes.note(noteEvaluating, h.Run.ID, h.Run.Lease)
	pause(ctx)
	return rec, evaluate.Evaluate(rec, time.Now()), nil
}

func (p *standIn) explore(ctx context.Context, h *queue.Held) (*record.Record, error) {
	p.notes.note(noteExploring, h.Run.ID, h.Run.Lease)
	w, err := evidence.NewWriter(p.kept, h.Run.ID, &evidence.WriterOptions{
		Attempt: int(h.Run.Lease), Acknowledged: func(e evidence.Entry) { p.acknowledged(h.Run.ID, e) },
	})
	if err != nil {
		return nil, err
	}
	rec := &record.Record{Version: record.RecordVersion, RunID: h.Run.ID, Target: h.Target, Started: time.Now()}
	for _, phase := range []string{record.PhaseLoad, record.PhaseDiscover, record.PhaseExplore} {
		pause(ctx)
		path, err := w.Picture(fmt.Sprintf("%d-%s.png", h.Run.Lease, phase), noise(20<<10))
		if err != nil {
			return nil, err
		}
		// Every attempt writes this one, so the earlier ones have to be kept aside.
		if err := w.File("console.log", fmt.Appendf(nil, "attempt %d, %s", h.Run.Lease, phase)); err != nil {
			return nil, err
		}
		rec.Screenshots = append(rec.Screenshots, record.Screenshot{Stage: phase, Path: path})
		if err := h.Checkpoint(ctx, phase, rec, false); err != nil {
			return nil, err
		}
	}
	if _, err := w.Close(context.WithoutCancel(ctx)); err != nil {
		return nil, err
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
