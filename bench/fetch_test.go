package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// archive is an npm archive with these files, each with its name as content.
func archive(t *testing.T, names ...string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(name))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestUnpackTakesTheRootOfThePackage(t *testing.T) {
	dir := t.TempDir()
	if err := unpack(archive(t, "package/package.json", "package/dist/index.html", "package/dist/js/game.js"), "dist", dir); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{"index.html": true, "js/game.js": true, "package.json": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s is there: %t, want %t", name, err == nil, there)
		}
	}
}

func TestUnpackStaysInItsFolder(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "game")
	err := unpack(archive(t, "package/../../outside.txt", "package/index.html"), "", inner)
	if _, found := os.Stat(filepath.Join(dir, "outside.txt")); found == nil {
		t.Errorf("a file was written outside the folder (%v)", err)
	}
}

func TestMissingNamesWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "there", "index.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	labels := []Label{
		{Name: "there", Repo: "a/there", Page: "index.html", Round: 1},
		{Name: "gone", Package: "gone@1.0.0", Page: "index.html", Round: 1},
		{Name: "later", Repo: "a/later", Page: "index.html", Round: 2},
	}
	missing := Missing(labels, dir, 1)
	if len(missing) != 1 || missing[0].Name != "gone" {
		t.Errorf("missing %v, want gone alone", missing)
	}
}
