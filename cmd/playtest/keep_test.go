package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// A database that goes away while a run is under way costs the run its row and
// nothing else: the folder has everything.
func TestDatabaseGoesAway(t *testing.T) {
	dir := t.TempDir()
	s := &storage{db: filepath.Join(dir, "runs.db"), evidence: filepath.Join(dir, "evidence")}
	res, err := openResults(filepath.Join(dir, "results"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.keep(t.Context(), "20261117-080000-2", res, nil, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	if err := k.db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Picture("start.png", []byte("picture")); err != nil {
		t.Error(err)
	}
	rec := &record.Record{Version: record.RecordVersion, RunID: "20261117-080000-2", Target: record.Target{URL: "http://h/"}}
	rep := &record.Report{Status: record.Pass, Summary: "It works."}
	if err := res.save(rec, rep); err != nil {
		t.Fatal(err)
	}
	if err := k.finish(t.Context(), rec, rep, store.Settings{}, nil); err == nil || !strings.Contains(err.Error(), "the run could not be stored") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"report.json", "record.json", "screenshots/start.png"} {
		if _, err := os.Stat(filepath.Join(dir, "results", name)); err != nil {
			t.Error(err)
		}
	}
}

// A run of the command line that is kept in a database has the times at which it
// was played, its events, its ledger, and names its evidence.
func TestRunIsKeptAsItWas(t *testing.T) {
	dir := t.TempDir()
	s := &storage{db: filepath.Join(dir, "runs.db"), evidence: filepath.Join(dir, "evidence")}
	res, err := openResults(filepath.Join(dir, "results"))
	if err != nil {
		t.Fatal(err)
	}
	const id = "20261117-080000-1"
	k, err := s.keep(t.Context(), id, res, nil, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	started := time.Now().Add(-time.Minute).Truncate(time.Millisecond)
	k.Event(record.Event{Time: started, RunID: id, Phase: record.PhaseLoad, Kind: record.EventPhase, Message: "opening\x00"})
	if _, err := k.Picture("start.png", []byte("picture")); err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{Version: record.RecordVersion, RunID: id, Target: record.Target{URL: "http://h/"}, Started: started, Finished: started.Add(20 * time.Second)}
	rep := &record.Report{Status: record.Pass, Summary: "It works."}
	if err := res.save(rec, rep); err != nil {
		t.Fatal(err)
	}
	budget := 0.5
	with := store.Settings{Evaluator: "data", Budget: &budget}
	if err := k.finish(t.Context(), rec, rep, with, []store.Expense{{Time: started, Purpose: "evaluation", Model: "a/b"}}); err != nil {
		t.Fatal(err)
	}
	run, err := readRun(t.Context(), k.db, id)
	if err != nil {
		t.Fatal(err)
	}
	if !run.Started.Equal(started) || !run.Finished.Equal(rec.Finished) || run.Created.Equal(run.Started) {
		t.Errorf("created %v, started %v, finished %v", run.Created, run.Started, run.Finished)
	}
	if len(run.Events) != 1 || len(run.Ledger) != 1 || run.Settings.Evaluator != "data" || *run.Settings.Budget != budget {
		t.Errorf("events %+v, ledger %+v, settings %+v", run.Events, run.Ledger, run.Settings)
	}
	var out, errs bytes.Buffer
	args := []string{"evaluate", id, "--db", s.db, "--evidence", s.evidence, "--format", "json"}
	if code := execute(args, nil, &out, &errs); code != codeUnjudged || !strings.Contains(out.String(), `"sessionId": "`+id) {
		t.Errorf("judged again: exit code %d, %s\n%s", code, &out, &errs)
	}
	if code := execute([]string{"evaluate", "nobody", "--db", s.db}, nil, &out, &errs); code == codePass || !strings.Contains(errs.String(), "there is no run nobody") {
		t.Errorf("a run that is not there: exit code %d\n%s", code, &errs)
	}
	if err := evidence.Verify(t.Context(), k.kept, id, int(run.Evidence), run.Manifest); err != nil {
		t.Error(err)
	}
}
