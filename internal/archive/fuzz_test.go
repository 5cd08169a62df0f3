package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/playtest-dev/playtest/internal/archive"
	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

// nothing is a database that is empty and stays so.
type nothing struct{ loaded int }

func (*nothing) HasRun(context.Context, string) (bool, error)      { return false, nil }
func (*nothing) Dump(context.Context, string) ([]store.Row, error) { return nil, errors.New("empty") }
func (n *nothing) Load(context.Context, string, []store.Row) error { n.loaded++; return nil }

// packed is an archive of the given entries.
func packed(entries ...[2]string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		_ = w.WriteHeader(&tar.Header{Name: e[0], Mode: 0o644, Size: int64(len(e[1]))})
		_, _ = w.Write([]byte(e[1]))
	}
	_ = w.Close()
	_ = z.Close()
	return b.Bytes()
}

// An archive comes from anywhere. It is added whole or refused, writes nothing
// outside of its folder and leaves nothing behind when it is refused.
func FuzzImport(f *testing.F) {
	f.Add(packed())
	f.Add(packed([2]string{"playtest.json", `{"format":"playtest run","version":1,"run":"20261115-120000-0011223344556677"}`}, [2]string{"evidence/../../../x", "x"}))
	f.Add(packed([2]string{"../../etc/passwd", "x"}, [2]string{"/abs", "y"}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		outer := t.TempDir()
		inner := filepath.Join(outer, "in")
		files, err := evidence.OpenFolder(inner)
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		rows := &nothing{}
		_, err = archive.Import(t.Context(), bytes.NewReader(data), rows, files, &archive.ImportOptions{MaxBytes: 1 << 20, MaxFiles: 10})
		if (err == nil) != (rows.loaded == 1) {
			t.Errorf("%v with %d loaded", err, rows.loaded)
		}
		if around, _ := os.ReadDir(outer); len(around) != 1 {
			t.Errorf("outside of the folder: %v", around)
		}
	})
}
