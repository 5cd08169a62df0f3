package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/batch"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

const (
	// followEvery is how often a run of the queue is looked at, followed how many are at a
	// time: they end about in the order in which they were submitted.
	followEvery, followed = time.Second, 32
	// idleAfter is how long no run may begin before somebody is told that there is
	// perhaps no worker.
	idleAfter = 20 * time.Second
	// maxFetched bounds a file of the evidence that is copied into the batch's folder.
	maxFetched = 64 << 20
	// queuedAttempts is how often a run is taken up before it is given up, as by runs submit.
	queuedAttempts = 3
	// batchName is the file in a batch's folder that holds its name in the queue.
	batchName = "batch.id"
)

// notForWorkers are flags of a batch that is played here.
var notForWorkers = []string{"parallel", "browser", "headed", "video", "isolation"}

// queued is a batch whose games workers play.
type queued struct {
	s    *batchSettings
	cmd  *cobra.Command
	dir  string
	q    *queue.Queue
	kept evidence.Store
	runs map[string]string // by the name of the game
	warn func(string)
}

// submitBatch submits the games that are not done yet, all at once. Repeated with the
// same folder it finds the runs of the first time.
func (s *batchSettings) submitBatch(cmd *cobra.Command, dir string, games []batch.Game, ledger *batch.Ledger, warn func(string)) (_ *queued, err error) {
	for _, name := range notForWorkers {
		if cmd.Flags().Changed(name) {
			return nil, usage(cmd, "--%s is for games that are played here; with --db workers play them", name)
		}
	}
	id, err := batchID(dir)
	if err != nil {
		return nil, err
	}
	var subs []store.Submission
	var names []string
	for _, g := range games {
		if _, done := ledger.Done(g); done {
			continue
		}
		if !strings.Contains(g.URL, "://") {
			return nil, usage(cmd, "%s lies on this machine, where no worker may be: with --db every game needs an address", oneLine(g.Name))
		}
		one := s.settings
		one.format, one.meta = "none", g.Metadata
		target, err := one.target(cmd, g.URL)
		if err != nil {
			return nil, err
		}
		names = append(names, g.Name)
		subs = append(subs, store.Submission{Target: target, Settings: s.modes.stored(cmd), Batch: id, Key: id + " " + g.Name, MaxAttempts: queuedAttempts})
	}
	q, err := s.queue.openQueue(cmd.Context(), nil)
	if err != nil {
		return nil, err
	}
	b := &queued{s: s, cmd: cmd, dir: dir, q: q, runs: map[string]string{}, warn: warn}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.kept, err = s.queue.openEvidence(q.Store()); err != nil {
		return nil, err
	}
	accepted, err := q.Submit(cmd.Context(), subs...)
	if errors.Is(err, store.ErrKeyTaken) {
		return nil, hint(err, "the batch in %s was submitted with other settings: choose another folder with --out", dir)
	}
	if err != nil {
		return nil, err
	}
	for i, a := range accepted {
		b.runs[names[i]] = a.ID
	}
	return b, nil
}

// batchID is the name of the batch in a folder, made when it has none.
func batchID(dir string) (string, error) {
	name := filepath.Join(dir, batchName)
	data, err := os.ReadFile(name)
	if id := strings.TrimSpace(string(data)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", withoutOp(err)
	}
	id := "batch-" + store.NewID()
	if err := os.WriteFile(name, []byte(id+"\n"), 0o644); err != nil {
		return "", withoutOp(err)
	}
	return id, nil
}

func (b *queued) close() {
	if b.kept != nil {
		b.kept.Close()
	}
	b.q.Store().Close()
}

// play waits for a worker to play a game, and fetches what came of it.
func (b *queued) play(ctx context.Context, g batch.Game) (batch.Result, error) {
	id := b.runs[g.Name]
	run, err := b.follow(ctx, id)
	if err != nil {
		return batch.Result{}, err
	}
	rep, err := b.q.Store().Report(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		why := oneLine(run.Error)
		if why == "" {
			why = "the run is " + string(run.Status)
		}
		return batch.Result{Status: record.VerdictError, Summary: why}, nil
	}
	if err != nil {
		return batch.Result{}, err
	}
	rec, _, err := b.q.Store().Record(ctx, id)
	if err != nil {
		return batch.Result{}, err
	}
	folder := batch.Folder(g.Name)
	res, err := openResults(filepath.Join(b.dir, "games", folder))
	if err != nil {
		return batch.Result{}, err
	}
	res.single = b.s.single
	if err := b.fetch(ctx, run, res); err != nil {
		b.warn(fmt.Sprintf("%s: some of its evidence could not be fetched: %v", g.Name, err))
	}
	if err := res.save(rec, rep); err != nil {
		return batch.Result{}, err
	}
	return resultOf(rep, folder), nil
}

// follow waits until a run has ended.
func (b *queued) follow(ctx context.Context, id string) (store.Run, error) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		run, err := b.q.Store().Get(ctx, id)
		if err != nil || run.Status.Ended() {
			return run, err
		}
		select {
		case <-ctx.Done():
			return run, ctx.Err()
		case <-tick.C:
		}
	}
}

// fetch copies a run's pictures and logs into its folder.
func (b *queued) fetch(ctx context.Context, run store.Run, res *results) error {
	if run.Evidence == 0 {
		return nil
	}
	files, err := b.kept.List(ctx, run.ID)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		name, ours := strings.CutPrefix(f.Name, evidence.AttemptName(int(run.Evidence), ""))
		// What is saved with the report is left out, and so is what has no place in a folder.
		if !ours || f.Size > maxFetched || strings.HasSuffix(name, ".json") || name == "report.html" || strings.Contains(strings.TrimPrefix(name, "screenshots/"), "/") {
			continue
		}
		errs = append(errs, b.copy(ctx, run.ID, f.Name, name, res))
	}
	return errors.Join(errs...)
}

func (b *queued) copy(ctx context.Context, run, from, name string, res *results) error {
	r, err := b.kept.Get(ctx, run, from)
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFetched))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return res.write(name, data)
}

// watch tells when nobody seems to play. It ends with the context.
func (b *queued) watch(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(idleAfter):
	}
	for _, id := range b.runs {
		if run, err := b.q.Store().Get(ctx, id); err != nil || run.Status != store.Queued || run.Attempts > 0 {
			return
		}
	}
	if len(b.runs) > 0 && ctx.Err() == nil {
		b.warn("no run has begun yet: is there a worker? (playtest worker)")
	}
}

// cancel takes back what is not played any more, after the first game that failed.
func (b *queued) cancel(ctx context.Context, left []string) error {
	var errs []error
	for _, name := range left {
		if id, ok := b.runs[name]; ok {
			if err := b.q.Cancel(ctx, id); err != nil && !errors.Is(err, queue.ErrEnded) {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}
