package archive_test

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
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/internal/archive"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

const run = "20261115-120000-0011223344556677"

func folder(t *testing.T) *evidence.Folder {
	t.Helper()
	f, err := evidence.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// played is a database and a folder with one run that has ended.
func played(t *testing.T, address string) (*store.Store, evidence.Store) {
	t.Helper()
	db, files := storetest.Open(t, address), folder(t)
	rec := &record.Record{
		Version: record.RecordVersion, RunID: run, Target: record.Target{URL: "http://localhost/game"}, Started: time.Now(), Finished: time.Now(),
		Actions:   []record.Action{{Time: time.Now(), Phase: record.PhaseExplore, Kind: "keypress", Target: "Space", Success: true}},
		Decisions: []record.Decision{{Time: time.Now(), Phase: record.PhaseExplore, What: "press Space", Why: "it starts most games"}},
	}
	rep := &record.Report{Status: record.Pass, Summary: "it works", Timestamp: time.Now()}
	if err := db.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Add(t.Context(), store.Played{Worker: "test", Result: store.Result{Record: rec, Report: rep}})
	}); err != nil {
		t.Fatal(err)
	}
	w, err := evidence.NewWriter(files, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Picture("start.png", bytes.Repeat([]byte("picture"), 100_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.File("console.log", []byte("ready\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, files
}

func export(t *testing.T, db archive.Rows, files evidence.Store) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := archive.Export(t.Context(), &out, run, db, files); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		db, files := played(t, address)
		data := export(t, db, files)

		// Into another kind of database, which need not be the same.
		there, kept := storetest.Open(t, storetest.SQLite(t)), folder(t)
		id, err := archive.Import(t.Context(), bytes.NewReader(data), there, kept, nil)
		if err != nil || id != run {
			t.Fatalf("imported %q: %v", id, err)
		}
		want, err := db.Report(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		got, err := there.Report(t.Context(), run)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("the report changed on the way (%v):\n%s", err, diff)
		}
		if err := evidence.Verify(t.Context(), kept, run, 1, ""); err != nil {
			t.Error(err)
		}
		list, err := kept.List(t.Context(), run)
		if err != nil || len(list) != 3 {
			t.Errorf("there are %+v, %v", list, err)
		}

		// A second time it is there.
		if _, err := archive.Import(t.Context(), bytes.NewReader(data), there, kept, nil); !errors.Is(err, archive.ErrExists) {
			t.Errorf("imported twice: %v", err)
		}
		if err := evidence.Verify(t.Context(), kept, run, 1, ""); err != nil {
			t.Errorf("the second import did harm: %v", err)
		}
	})
}

func TestImportAfterAnInterruptedOne(t *testing.T) {
	from, there := played(t, storetest.SQLite(t))
	data := export(t, from, there)
	db, files := storetest.Open(t, storetest.SQLite(t)), folder(t)
	if _, err := files.Put(t.Context(), run, "old.log", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), bytes.NewReader(data), db, files, nil); !errors.Is(err, archive.ErrLeftOver) {
		t.Errorf("evidence without a run: %v", err)
	}
	if _, err := files.Get(t.Context(), run, "old.log"); err != nil {
		t.Errorf("what was there is gone: %v", err)
	}
	if _, err := archive.Import(t.Context(), bytes.NewReader(data), db, files, &archive.ImportOptions{Replace: true}); err != nil {
		t.Error(err)
	}
	if _, err := files.Get(t.Context(), run, "old.log"); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("what was to be replaced is there: %v", err)
	}
}

func TestExportRefuses(t *testing.T) {
	db, files := storetest.Open(t, storetest.SQLite(t)), folder(t)
	if err := archive.Export(t.Context(), io.Discard, "missing", db, files); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a run that is not there: %v", err)
	}
	if err := archive.Export(t.Context(), io.Discard, "../run", db, files); !errors.Is(err, evidence.ErrName) {
		t.Errorf("a hostile name: %v", err)
	}
}

// entry is a part of an archive to be made by hand.
type entry struct {
	name, data string
	kind       byte
}

// pack makes an archive with right checksums, unless it brings its own.
func pack(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	sums := []map[string]any{}
	for _, e := range entries {
		if e.name == "checksums.json" && e.data == "" {
			data, err := json.Marshal(sums)
			if err != nil {
				t.Fatal(err)
			}
			e.data = string(data)
		}
		h := &tar.Header{Typeflag: e.kind, Name: e.name, Size: int64(len(e.data)), Mode: 0o644}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		} else if e.kind != tar.TypeReg {
			h.Linkname, h.Size = e.data, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, e.data); err != nil {
				t.Fatal(err)
			}
		}
		hash := sha256.Sum256([]byte(e.data))
		sums = append(sums, map[string]any{"name": e.name, "size": len(e.data), "sha256": hex.EncodeToString(hash[:])})
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// accepting is a database that takes everything, so that only the archive can
// be at fault.
type accepting struct{ loaded *bool }

func (accepting) HasRun(context.Context, string) (bool, error)      { return false, nil }
func (accepting) Dump(context.Context, string) ([]store.Row, error) { return nil, nil }
func (a accepting) Load(context.Context, string, []store.Row) error { *a.loaded = true; return nil }

func TestImportRefuses(t *testing.T) {
	head := entry{name: "run.json", data: `{"format":"playtest run","version":1,"run":"r1"}`}
	rows := entry{name: "rows.jsonl", data: `{"table":"test_runs","data":{"id":"r1"}}` + "\n"}
	file := entry{name: "evidence/a.log", data: "hello"}
	sums := entry{name: "checksums.json"}
	sound := pack(t, []entry{head, rows, file, sums})
	damaged := bytes.Clone(pack(t, []entry{head, rows, {name: "evidence/b.bin", data: string(noise(50_000))}, sums}))
	damaged[len(damaged)/2] ^= 1

	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"sound", sound, nil},
		{"empty", nil, archive.ErrBad},
		{"not packed", []byte("hello, this is text"), archive.ErrBad},
		{"cut", sound[:len(sound)/2], archive.ErrBad},
		{"damaged", damaged, archive.ErrBad},
		{"no end", pack(t, []entry{head, rows, file}), archive.ErrBad},
		{"goes on", pack(t, []entry{head, rows, file, sums, file}), archive.ErrBad},
		{"no head", pack(t, []entry{rows, file, sums}), archive.ErrBad},
		{"no rows", pack(t, []entry{head, file, sums}), archive.ErrBad},
		{"another format", pack(t, []entry{{name: "run.json", data: `{"format":"x","version":1,"run":"r1"}`}, rows, sums}), archive.ErrBad},
		{"newer", pack(t, []entry{{name: "run.json", data: `{"format":"playtest run","version":2,"run":"r1"}`}, rows, sums}), archive.ErrNewer},
		{"hostile run", pack(t, []entry{{name: "run.json", data: `{"format":"playtest run","version":1,"run":"../r1"}`}, rows, sums}), archive.ErrBad},
		{"rows that are none", pack(t, []entry{head, {name: "rows.jsonl", data: `{"table":`}, sums}), archive.ErrBad},
		{"up and out", pack(t, []entry{head, rows, {name: "evidence/../../etc/passwd", data: "x"}, sums}), archive.ErrBad},
		{"absolute", pack(t, []entry{head, rows, {name: "/etc/passwd", data: "x"}, sums}), archive.ErrBad},
		{"hidden", pack(t, []entry{head, rows, {name: "evidence/.writing/x", data: "x"}, sums}), archive.ErrBad},
		{"elsewhere", pack(t, []entry{head, rows, {name: "other/a.log", data: "x"}, sums}), archive.ErrBad},
		{"a link", pack(t, []entry{head, rows, {name: "evidence/a.log", data: "/etc/passwd", kind: tar.TypeSymlink}, sums}), archive.ErrBad},
		{"a hard link", pack(t, []entry{head, rows, {name: "evidence/a.log", data: "rows.jsonl", kind: tar.TypeLink}, sums}), archive.ErrBad},
		{"a device", pack(t, []entry{head, rows, {name: "evidence/a.log", kind: tar.TypeChar}, sums}), archive.ErrBad},
		{"a folder", pack(t, []entry{head, rows, {name: "evidence/a", kind: tar.TypeDir}, sums}), archive.ErrBad},
		{"twice the same", pack(t, []entry{head, rows, file, file, sums}), archive.ErrBad},
		{"a wrong sum", pack(t, []entry{head, rows, file, {name: "checksums.json", data: `[{"name":"evidence/a.log"}]`}}), archive.ErrBad},
		{"no sums", pack(t, []entry{head, rows, file, {name: "checksums.json", data: `[]`}}), archive.ErrBad},
		{"too much", pack(t, []entry{head, rows, {name: "evidence/zeros", data: strings.Repeat("0", 3<<20)}, sums}), archive.ErrBad},
		{"too many", pack(t, slicesOf(head, rows, 200, sums)), archive.ErrBad},
		{"a huge head", pack(t, []entry{{name: "run.json", data: strings.Repeat(" ", 10_000)}, rows, sums}), archive.ErrBad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files, loaded := folder(t), false
			_, err := archive.Import(t.Context(), bytes.NewReader(tt.data), accepting{&loaded}, files, &archive.ImportOptions{MaxBytes: 2 << 20, MaxFiles: 100})
			if !errors.Is(err, tt.want) || loaded != (tt.want == nil) {
				t.Errorf("%v, rows loaded: %v", err, loaded)
			}
			for id, err := range files.Runs(t.Context()) {
				if tt.want != nil {
					t.Errorf("left behind: %q, %v", id, err)
				}
			}
		})
	}
}

func slicesOf(head, rows entry, n int, sums entry) []entry {
	out := []entry{head, rows}
	for i := range n {
		out = append(out, entry{name: fmt.Sprintf("evidence/%d.log", i)})
	}
	return append(out, sums)
}

// noise does not compress.
func noise(n int) []byte {
	out := make([]byte, n)
	seed := uint64(1)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = byte(seed >> 56)
	}
	return out
}

// TestRefusedRows: a database that refuses the rows keeps nothing of the run.
func TestRefusedRows(t *testing.T) {
	db, files := storetest.Open(t, storetest.SQLite(t)), folder(t)
	data := pack(t, []entry{
		{name: "run.json", data: `{"format":"playtest run","version":1,"run":"r1"}`},
		{name: "rows.jsonl", data: `{"table":"sqlite_master","data":{"id":"r1"}}`},
		{name: "evidence/a.log", data: "hello"}, {name: "checksums.json"},
	})
	if _, err := archive.Import(t.Context(), bytes.NewReader(data), db, files, nil); err == nil || !strings.Contains(err.Error(), "sqlite_master") {
		t.Errorf("a row of a table that is not ours: %v", err)
	}
	if list, err := files.List(t.Context(), "r1"); err != nil || len(list) > 0 {
		t.Errorf("left behind: %+v, %v", list, err)
	}
}

// TestBrokenStore tells a store's fault from an archive's.
func TestBrokenStore(t *testing.T) {
	full := errors.New("no space left")
	db, files := played(t, storetest.SQLite(t))
	data := export(t, db, files)
	loaded := false
	_, err := archive.Import(t.Context(), bytes.NewReader(data), accepting{&loaded}, &failing{folder(t), full}, nil)
	if !errors.Is(err, full) || errors.Is(err, archive.ErrBad) || loaded {
		t.Errorf("%v, rows loaded: %v", err, loaded)
	}
}

type failing struct {
	evidence.Store
	err error
}

func (f *failing) Put(context.Context, string, string, io.Reader) (evidence.File, error) {
	return evidence.File{}, f.err
}
