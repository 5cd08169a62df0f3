package evidence_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/internal/evidence"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(fullDiskChild) != "":
		os.Exit(fillDisk())
	case os.Getenv(killedChild) != "":
		os.Exit(writeUntilKilled())
	}
	goleak.VerifyTestMain(m)
}

// places are where the suite runs: a folder, and a bucket when there is a
// server (scripts/with-s3).
var places = []struct {
	name string
	at   func(t *testing.T) string
}{
	{"folder", func(t *testing.T) string { return t.TempDir() }},
	{"bucket", func(t *testing.T) string { return bucket(t, nil) }},
}

// bucket is the address of a prefix of its own on the tests' server. A proxy,
// if given, is put before it.
func bucket(t *testing.T, before func(host string) (instead string)) string {
	t.Helper()
	at := os.Getenv("PLAYTEST_TEST_S3")
	if at == "" {
		t.Skip("needs an S3 server: scripts/with-s3 go test ./internal/evidence")
	}
	where, options, _ := strings.Cut(at, "?")
	if before != nil {
		head, tail, found := strings.Cut(options, "http://")
		host, rest, _ := strings.Cut(tail, "&")
		if !found {
			t.Fatalf("PLAYTEST_TEST_S3 has no endpoint: %s", at)
		}
		options = head + "http://" + before(host) + "&" + rest
	}
	return fmt.Sprintf("%s/%x?%s", where, sha256.Sum256(fmt.Append(nil, t.Name(), time.Now())), options)
}

func open(t *testing.T, at string) evidence.Store {
	t.Helper()
	s, err := evidence.Open(at, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// conform runs a part of the suite over every store.
func conform(t *testing.T, test func(t *testing.T, s evidence.Store)) {
	t.Helper()
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) { test(t, open(t, p.at(t))) })
	}
}

func put(t *testing.T, s evidence.Store, run, name, data string) evidence.File {
	t.Helper()
	f, err := s.Put(t.Context(), run, name, strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func get(t *testing.T, s evidence.Store, run, name string) string {
	t.Helper()
	r, err := s.Get(t.Context(), run, name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, s evidence.Store, run string) []string {
	t.Helper()
	files, err := s.List(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return list
}

func TestStoreGivesBackWhatWasPut(t *testing.T) {
	sizes := []int{0, 1, 70_000, 8<<20 - 1, 8 << 20, 8<<20 + 1, 20 << 20}
	conform(t, func(t *testing.T, s evidence.Store) {
		for _, size := range sizes {
			data := strings.Repeat("playtest", size/8+1)[:size]
			sum := sha256.Sum256([]byte(data))
			f := put(t, s, "run-1", "a.log", data)
			if f.Name != "a.log" || f.Size != int64(size) || f.SHA256 != hex.EncodeToString(sum[:]) || time.Since(f.Modified) > time.Minute {
				t.Errorf("put %d bytes and was told %+v", size, f)
			}
			if got := get(t, s, "run-1", "a.log"); got != data {
				t.Errorf("put %d bytes and got %d others", size, len(got))
			}
			files, err := s.List(t.Context(), "run-1")
			if err != nil || len(files) != 1 || files[0].Size != int64(size) || time.Since(files[0].Modified).Abs() > time.Hour {
				t.Errorf("listed %+v, %v", files, err)
			}
		}
	})
}

func TestStoreKeepsRunsApart(t *testing.T) {
	conform(t, func(t *testing.T, s evidence.Store) {
		put(t, s, "run-1", "screenshots/b.png", "b")
		put(t, s, "run-1", "a.log", "a")
		put(t, s, "run-10", "a.log", "ten")
		if got, want := names(t, s, "run-1"), []string{"a.log", "screenshots/b.png"}; !slices.Equal(got, want) {
			t.Errorf("run-1 has %q, want %q", got, want)
		}
		var runs []string
		for run, err := range s.Runs(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, run)
		}
		slices.Sort(runs)
		if want := []string{"run-1", "run-10"}; !slices.Equal(runs, want) {
			t.Errorf("runs %q, want %q", runs, want)
		}
		for range s.Runs(t.Context()) {
			break // must not leave anything running
		}
		for range 2 { // deleting is repeatable
			if err := s.Delete(t.Context(), "run-1"); err != nil {
				t.Fatal(err)
			}
			if got := names(t, s, "run-1"); len(got) > 0 {
				t.Errorf("deleted run-1 and it has %q", got)
			}
		}
		if got := get(t, s, "run-10", "a.log"); got != "ten" {
			t.Errorf("deleting run-1 left %q of run-10", got)
		}
		if _, err := s.Get(t.Context(), "run-1", "a.log"); !errors.Is(err, evidence.ErrNotFound) {
			t.Errorf("a deleted file: %v", err)
		}
		if _, err := s.Get(t.Context(), "run-2", "a.log"); !errors.Is(err, evidence.ErrNotFound) {
			t.Errorf("a file of no run: %v", err)
		}
		if err := evidence.Check(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
}

func TestStoreKeepsTheOldWhenTheNewFails(t *testing.T) {
	broken := errors.New("the reader broke")
	conform(t, func(t *testing.T, s evidence.Store) {
		put(t, s, "run-1", "a.log", "old")
		for _, size := range []int{10, 12 << 20} { // one request, and parts
			r := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(broken))
			if _, err := s.Put(t.Context(), "run-1", "a.log", r); !errors.Is(err, broken) {
				t.Errorf("a reader that breaks after %d bytes: %v", size, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			r = io.MultiReader(bytes.NewReader(make([]byte, size)), readerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }))
			if _, err := s.Put(ctx, "run-1", "a.log", r); err == nil {
				t.Errorf("cancelled after %d bytes, and there was no error", size)
			}
			cancel()
		}
		if got := get(t, s, "run-1", "a.log"); got != "old" {
			t.Errorf("after failures there is %q, want the old", got)
		}
		if got := names(t, s, "run-1"); len(got) != 1 {
			t.Errorf("after failures there are %q", got)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// forever is a reader of zeros without end.
type forever struct{}

func (forever) Read(p []byte) (int, error) { return len(p), nil }

func TestStoreRefusesHostileNames(t *testing.T) {
	hostile := []string{
		"", ".", "..", "/", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", ".hidden", "a/.hidden", `a\b`, `..\a`, "a b", "a\x00b", "a\nb",
		"ä", "a/b/c/d/e", strings.Repeat("a", 121), "%2e%2e/a", "a?b", "a:b", "~", "$HOME", "*",
	}
	conform(t, func(t *testing.T, s evidence.Store) {
		put(t, s, "run-1", "a.log", "a")
		for _, name := range hostile {
			calls := map[string]error{}
			_, calls["put"] = s.Put(t.Context(), "run-1", name, strings.NewReader("x"))
			_, calls["get"] = s.Get(t.Context(), "run-1", name)
			_, calls["link"] = s.Link(t.Context(), "run-1", name, time.Minute)
			_, calls["put as run"] = s.Put(t.Context(), name, "a.log", strings.NewReader("x"))
			_, calls["get as run"] = s.Get(t.Context(), name, "a.log")
			_, calls["list"] = s.List(t.Context(), name)
			calls["delete"] = s.Delete(t.Context(), name)
			for call, err := range calls {
				if !errors.Is(err, evidence.ErrName) {
					t.Errorf("%s %q: %v", call, name, err)
				}
			}
		}
		if got := names(t, s, "run-1"); !slices.Equal(got, []string{"a.log"}) {
			t.Errorf("there are %q", got)
		}
	})
}

func TestStoreTakesManyAtATime(t *testing.T) {
	conform(t, func(t *testing.T, s evidence.Store) {
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				name := fmt.Sprintf("screenshots/%d.png", i%12) // each name twice
				if _, err := s.Put(t.Context(), fmt.Sprintf("run-%d", i%2), name, strings.NewReader(strings.Repeat(name, 1000))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for run := range 2 {
			for _, name := range names(t, s, fmt.Sprintf("run-%d", run)) {
				if got := get(t, s, fmt.Sprintf("run-%d", run), name); got != strings.Repeat(name, 1000) {
					t.Errorf("%s of run-%d is mixed up", name, run)
				}
			}
			if got := names(t, s, fmt.Sprintf("run-%d", run)); len(got) != 6 {
				t.Errorf("run-%d has %q", run, got)
			}
		}
	})
}

func TestStoreStreamsLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 200 MB")
	}
	const size = 200 << 20
	conform(t, func(t *testing.T, s evidence.Store) {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		sample := &growth{from: before.HeapInuse}
		hash := sha256.New()
		f, err := s.Put(t.Context(), "run-1", "video.webm", io.TeeReader(io.LimitReader(io.TeeReader(&noise{}, sample), size), hash))
		if err != nil {
			t.Fatal(err)
		}
		if f.Size != size || f.SHA256 != hex.EncodeToString(hash.Sum(nil)) {
			t.Errorf("put 200 MB and was told %+v", f)
		}
		r, err := s.Get(t.Context(), "run-1", "video.webm")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		got := sha256.New()
		if _, err := io.Copy(io.MultiWriter(got, sample), r); err != nil {
			t.Fatal(err)
		}
		if hex.EncodeToString(got.Sum(nil)) != f.SHA256 {
			t.Error("200 MB came back changed")
		}
		t.Logf("the heap grew by %d MB at most", sample.most>>20)
		if sample.most > 96<<20 {
			t.Errorf("the heap grew by %d MB while 200 MB passed through", sample.most>>20)
		}
	})
}

// noise is a cheap reader of portions that differ.
type noise struct{ n uint64 }

func (r *noise) Read(p []byte) (int, error) {
	clear(p)
	for i := 0; i+8 <= len(p); i += 512 {
		r.n++
		binary.LittleEndian.PutUint64(p[i:], r.n)
	}
	return len(p), nil
}

// growth looks at the heap now and then.
type growth struct {
	from, most uint64
	seen, next int64
}

func (g *growth) Write(p []byte) (int, error) {
	if g.seen += int64(len(p)); g.seen >= g.next {
		g.next += 8 << 20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapInuse > g.from {
			g.most = max(g.most, m.HeapInuse-g.from)
		}
	}
	return len(p), nil
}

func TestBucketLinks(t *testing.T) {
	at := bucket(t, nil)
	s := open(t, at)
	put(t, s, "run-1", "screenshots/a.png", "a picture")
	link, err := s.Link(t.Context(), "run-1", "screenshots/a.png", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(address string) (int, string, string) {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("Content-Type"), string(body)
	}
	defer http.DefaultClient.CloseIdleConnections()
	if status, kind, body := fetch(link); status != http.StatusOK || kind != "image/png" || body != "a picture" {
		t.Errorf("the link gives %d %s %q", status, kind, body)
	}
	if status, _, _ := fetch(strings.Replace(link, "a.png", "b.png", 1)); status != http.StatusForbidden {
		t.Errorf("a link to another file gives %d", status)
	}
	bare, _, _ := strings.Cut(link, "?")
	if status, _, _ := fetch(bare); status != http.StatusForbidden {
		t.Errorf("without its signature the link gives %d", status)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, "file://"+dir)
	if _, err := s.Link(t.Context(), "run-1", "a.log", time.Minute); !errors.Is(err, evidence.ErrNoLink) {
		t.Errorf("link: %v", err)
	}
	put(t, s, "run-1", "screenshots/a.png", "a")
	if data, err := os.ReadFile(filepath.Join(dir, "run-1", "screenshots", "a.png")); err != nil || string(data) != "a" {
		t.Errorf("not where people look: %q, %v", data, err)
	}

	// Links that lead out of the folder are not followed.
	if err := os.Symlink("/etc", filepath.Join(dir, "run-1", "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "run-1", "out/passwd"); err == nil {
		t.Error("a link out of the folder was followed")
	}
	if _, err := s.Put(t.Context(), "run-1", "out/playtest", strings.NewReader("x")); err == nil {
		t.Error("a link out of the folder was written through")
	}
	if got := names(t, s, "run-1"); !slices.Equal(got, []string{"screenshots/a.png"}) {
		t.Errorf("listed %q", got)
	}

	// What a crash left behind is gone after the next start, and only that.
	old, fresh, dead := filepath.Join(dir, ".writing", "old"), filepath.Join(dir, ".writing", "fresh"), filepath.Join(dir, ".trash", "run-0.x", "screenshots")
	if err := errors.Join(os.WriteFile(old, nil, 0o644), os.WriteFile(fresh, nil, 0o644), os.MkdirAll(dead, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	for path, want := range map[string]bool{old: false, fresh: true, filepath.Dir(dead): false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", path, !errors.Is(err, fs.ErrNotExist), want)
		}
	}
	if got := get(t, again, "run-1", "screenshots/a.png"); got != "a" {
		t.Errorf("opened again it has %q", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, location, want string }{
		{"nothing", "", "empty"},
		{"a file", file, "not a directory"},
		{"another scheme", "ftp://host/x", `"ftp://"`},
		{"file with a host", "file://host/x", "file:///path"},
		{"no bucket", "s3:///prefix", "no bucket"},
		{"keys", "s3://key:secret@bucket/x", "AWS_ACCESS_KEY_ID"},
		{"an unknown option", "s3://bucket?acl=public", `"acl"`},
		{"an endpoint without a scheme", "s3://bucket?endpoint=host:9000", "https://host:9000"},
		{"an endpoint with a path", "s3://bucket?endpoint=http://host/x", "https://host:9000"},
		{"an escaping prefix", "s3://bucket/a/../b", "not a name"},
		{"a bad bucket", "s3://b", "Bucket"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := evidence.Open(tt.location, nil)
			if err == nil {
				defer s.Close()
				_, err = s.List(t.Context(), "run-1")
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}
