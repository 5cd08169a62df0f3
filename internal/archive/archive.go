// Package archive carries a run from one installation to another: the rows of
// the database and the evidence in one file. It is a gzipped tar, to be looked
// into with any program:
//
//	run.json         what this is: format, version, the run's id
//	rows.jsonl       the rows, one a line: {"table": ..., "data": {...}}
//	evidence/NAME    the files, pictures and logs and all
//	checksums.json   size and SHA-256 of everything before it
//
// An archive may come from anywhere: what is not exactly this is refused, and
// nothing of it stays.
package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

// Version of the archives that are written. Newer ones are refused.
const Version = 1

const (
	format         = "playtest run"
	headName       = "run.json"
	rowsName       = "rows.jsonl"
	evidencePrefix = "evidence/"
	sumsName       = "checksums.json"
)

// Rows is the database. *store.Store is one.
type Rows interface {
	// HasRun reports whether there is such a run.
	HasRun(ctx context.Context, run string) (bool, error)
	// Dump returns all rows of a run.
	Dump(ctx context.Context, run string) ([]store.Row, error)
	// Load adds a run with all its rows, or nothing.
	Load(ctx context.Context, run string, rows []store.Row) error
}

// head is the first entry.
type head struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Run      string    `json:"run"`
	Exported time.Time `json:"exported"`
}

// line is a row in the second.
type line struct {
	Table string          `json:"table"`
	Data  json.RawMessage `json:"data"`
}

// sum is an entry of the last.
type sum struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Export writes a run. The writer gets what belongs to an archive or, with an
// error, a part of it that Import refuses.
func Export(ctx context.Context, w io.Writer, run string, rows Rows, files evidence.Store) error {
	if err := evidence.CheckRun(run); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	list, err := rows.Dump(ctx, run)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(w)
	e := &exporter{tar: tar.NewWriter(packed)}
	err = e.export(ctx, run, list, files)
	if err == nil {
		err = e.tar.Close()
	}
	if err == nil {
		err = packed.Close()
	}
	if err != nil {
		return fmt.Errorf("export run %s: %w", run, err)
	}
	return nil
}

type exporter struct {
	tar  *tar.Writer
	sums []sum
}

func (e *exporter) export(ctx context.Context, run string, rows []store.Row, files evidence.Store) error {
	now := time.Now().UTC().Truncate(time.Second)
	if err := e.addJSON(headName, now, head{format, Version, run, now}); err != nil {
		return err
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, row := range rows {
		if err := enc.Encode(line(row)); err != nil {
			return fmt.Errorf("write a row of %s: %w", row.Table, err)
		}
	}
	if err := e.add(rowsName, int64(lines.Len()), now, &lines); err != nil {
		return err
	}
	list, err := files.List(ctx, run)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := e.addFile(ctx, run, f, files); err != nil {
			return err
		}
	}
	return e.addJSON(sumsName, now, e.sums)
}

func (e *exporter) addFile(ctx context.Context, run string, f evidence.File, files evidence.Store) error {
	r, err := files.Get(ctx, run, f.Name)
	if err != nil {
		return err
	}
	defer r.Close()
	return e.add(evidencePrefix+f.Name, f.Size, f.Modified, r)
}

func (e *exporter) addJSON(name string, at time.Time, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return e.add(name, int64(len(data)), at, bytes.NewReader(data))
}

func (e *exporter) add(name string, size int64, at time.Time, r io.Reader) error {
	err := e.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: at.UTC().Truncate(time.Second), Format: tar.FormatPAX,
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(e.tar, hash), r)
	if err == nil && n != size {
		err = errors.New("the file has changed meanwhile")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	e.sums = append(e.sums, sum{name, size, hex.EncodeToString(hash.Sum(nil))})
	return nil
}
