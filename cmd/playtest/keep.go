package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/record"
)

// keepLimit is how long a run that has ended waits for its evidence to be kept.
const keepLimit = time.Minute

// maxEvents bounds the events of a run that are stored with it.
const maxEvents = 5000

// keeper keeps a run of the command line in the database and the place for
// evidence, beside the results folder.
type keeper struct {
	*results
	db    *store.Store
	kept  evidence.Store
	files *evidence.Writer

	created time.Time
	mu      sync.Mutex
	digest  worker.Digest
	events  []record.Event
}

// keep opens the storage for a run. Whatever is missing shows before a browser
// is started.
func (s *storage) keep(ctx context.Context, id string, res *results, secrets []string, note func(string)) (*keeper, error) {
	db, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	k := &keeper{results: res, db: db, created: time.Now()}
	if k.kept, err = s.openEvidence(db); err == nil {
		err = evidence.Check(ctx, k.kept)
	}
	if err == nil {
		k.files, err = evidence.NewWriter(k.kept, id, &evidence.WriterOptions{Secrets: append(s.secrets(), secrets...), Note: note})
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// Event remembers what the run tells, to be stored with its end.
func (k *keeper) Event(e record.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.digest.Keep(e) && len(k.events) < maxEvents {
		k.events = append(k.events, e)
	}
}

// Picture keeps a picture in both places, at the moment it exists.
func (k *keeper) Picture(name string, png []byte) (string, error) {
	path, err := k.results.Picture(name, png)
	// A picture that does not fit into the buffer is in the folder all the
	// same, and a note says so.
	_, _ = k.files.Picture(filepath.Base(path), png)
	return path, err
}

// File keeps a log in both places.
func (k *keeper) File(name string, data []byte) error {
	_ = k.files.File(name, data) // as with pictures
	return k.results.File(name, data)
}

// finish keeps the end of the run, whether or not it was interrupted, with what
// its models cost.
func (k *keeper) finish(ctx context.Context, rec *record.Record, rep *record.Report, with store.Settings, calls []store.Expense) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepLimit)
	defer cancel()
	for _, name := range []string{"record.json", "report.json", "report.html"} {
		data, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			return withoutOp(err)
		}
		_ = k.files.File(name, data) // as with pictures
	}
	m, lost := k.files.Close(ctx)
	k.files = nil
	k.mu.Lock()
	played := store.Played{
		Result: store.Result{Record: rec, Report: rep, Manifest: m.SHA256}, Worker: "playtest run", Settings: with,
		Created: k.created, Events: k.events, Calls: calls,
	}
	k.mu.Unlock()
	err := k.db.Update(ctx, func(tx *store.Tx) error { return tx.Add(ctx, played) })
	if err != nil {
		return fmt.Errorf("the run could not be stored: %w", err)
	}
	if lost != nil {
		return fmt.Errorf("some of the evidence could not be kept; it is in %s: %w", k.dir, lost)
	}
	return nil
}

func (k *keeper) close() {
	if k.files != nil {
		// Nothing came of the run: what is in the buffer is not waited for.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _ = k.files.Close(ctx)
	}
	if k.kept != nil {
		k.kept.Close()
	}
	k.db.Close()
}
