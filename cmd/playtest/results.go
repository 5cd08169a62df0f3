package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// resultsRoot is where runs are kept unless --out says otherwise.
const resultsRoot = "playtest-results"

// results is the folder that a run leaves behind.
type results struct {
	dir  string
	made []string // the folders that were not there before, innermost first
	// files are what was written, by name.
	mu    sync.Mutex
	files map[string]bool
	// clean takes secrets out of what is written.
	clean *evidence.Redactor
	// single puts the pictures into the page.
	single bool
}

// openResults makes the folder and sees that it can be written to, before
// anything has been spent on a run.
func openResults(dir string) (*results, error) {
	pictures := filepath.Join(dir, "screenshots")
	r := &results{dir: dir, files: map[string]bool{}, clean: evidence.NewRedactor(new(storage).secrets())}
	for d := pictures; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, os.ErrNotExist) {
			break
		}
		r.made = append(r.made, d)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return nil, unwritable(dir, err)
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return nil, unwritable(dir, err)
	}
	return r, nil
}

func unwritable(dir string, err error) error {
	return hint(fmt.Errorf("the results cannot be written to %s: %w", dir, withoutOp(err)), "choose a folder of yours with --out DIR")
}

// Picture keeps a picture of the evidence and returns its path within the folder.
func (r *results) Picture(name string, png []byte) (string, error) {
	file := "screenshots/" + filepath.Base(name)
	if filepath.Ext(file) == "" {
		file += ".png"
	}
	return file, r.write(file, png)
}

// read is a picture of the folder again, for a model to look at.
func (r *results) read(_ context.Context, path string) ([]byte, error) {
	return fs.ReadFile(os.DirFS(r.dir), path)
}

// File keeps a log.
func (r *results) File(name string, data []byte) error { return r.write(filepath.Base(name), data) }

// discard removes the folders that were made for a run that left nothing.
func (r *results) discard() {
	for _, dir := range r.made {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return // a folder with something in it stays
		}
	}
}

// remove takes back what was written, and the folders that were made for it. What
// somebody else put there stays.
func (r *results) remove() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for name := range r.files {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("cleaning up: %w", withoutOp(err)))
		}
	}
	r.discard()
	return errors.Join(errs...)
}

// page is where the report can be looked at.
func (r *results) page() string { return filepath.Join(r.dir, "report.html") }

// saveRecord keeps what has been found so far.
func (r *results) saveRecord(rec *record.Record) error { return r.writeJSON("record.json", rec) }

// save keeps the end of a run.
func (r *results) save(rec *record.Record, rep *record.Report) error {
	if err := r.saveRecord(rec); err != nil {
		return err
	}
	if err := r.writeJSON("report.json", rep); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.Page(&page, rep, rec, &report.PageOptions{Files: os.DirFS(r.dir), Single: r.single}); err != nil {
		return err
	}
	return r.write("report.html", page.Bytes())
}

func (r *results) writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return r.write(name, append(data, '\n'))
}

// write replaces a file as a whole, so that a reader never sees half of it.
func (r *results) write(name string, data []byte) error {
	data = r.clean.Redact(name, data)
	target := filepath.Join(r.dir, filepath.FromSlash(name))
	tmp, err := os.CreateTemp(filepath.Dir(target), ".writing-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("writing %s: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[filepath.FromSlash(name)] = true
	return nil
}
