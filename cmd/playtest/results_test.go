package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

func TestResultsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	res, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	path, err := res.Picture("1-phase1-initial-load.png", []byte("png"))
	if err != nil || path != "screenshots/1-phase1-initial-load.png" {
		t.Fatalf("picture at %q, %v", path, err)
	}
	if path, err := res.Picture("../../outside.png", []byte("png")); err != nil || path != "screenshots/outside.png" {
		t.Fatalf("picture with a path in its name at %q, %v", path, err)
	}
	rec := &record.Record{Version: record.RecordVersion, RunID: "r"}
	rep := &record.Report{Status: record.Pass, Summary: "It works."}
	if err := res.save(rec, rep); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "record.json", "report.html", path} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	var back record.Report
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err != nil || back.Summary != rep.Summary {
		t.Errorf("report.json reads as %+v, %v", back, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 {
		t.Errorf("the folder holds %v, want the three files and screenshots", entries)
	}
}

func TestDiscardLeavesOnlyWhatWasThere(t *testing.T) {
	there := t.TempDir()
	res, err := openResults(filepath.Join(there, "playtest-results", "run"))
	if err != nil {
		t.Fatal(err)
	}
	res.discard()
	entries, err := os.ReadDir(there)
	if err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}

	if err := os.MkdirAll(filepath.Join(there, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if res, err = openResults(filepath.Join(there, "mine")); err != nil {
		t.Fatal(err)
	}
	res.discard()
	if _, err := os.Stat(filepath.Join(there, "mine")); err != nil {
		t.Error("a folder that was there before is gone")
	}
}

// Cleaning up takes back what was written and nothing else.
func TestResultsAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "results")
	res, err := openResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Picture("one", []byte("picture")); err != nil {
		t.Fatal(err)
	}
	if err := res.save(&record.Record{}, &record.Report{}); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := res.remove(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := res.remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("the folder made for it is still there: %v", err)
	}
}
