package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// balky is a folder that can be told to fail or to hang.
type balky struct {
	evidence.Store
	mu    sync.Mutex
	fails func(name string) error
	hangs bool
	puts  []string
}

func (b *balky) set(fails func(string) error, hangs bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails, b.hangs = fails, hangs
}

func (b *balky) Put(ctx context.Context, run, name string, r io.Reader) (evidence.File, error) {
	b.mu.Lock()
	fails, hangs := b.fails, b.hangs
	b.puts = append(b.puts, name)
	b.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return evidence.File{}, context.Cause(ctx)
	}
	if fails != nil {
		if err := fails(name); err != nil {
			return evidence.File{}, err
		}
	}
	return b.Store.Put(ctx, run, name, r)
}

var errDown = errors.New("connection refused")

func allFail(string) error { return errDown }

// watched collects what a Writer tells.
type watched struct {
	mu    sync.Mutex
	notes []string
	acked map[string]bool
}

func (w *watched) options() *evidence.WriterOptions {
	w.acked = map[string]bool{}
	return &evidence.WriterOptions{
		Note: func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.notes = append(w.notes, text)
		},
		Acknowledged: func(e evidence.Entry) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.acked[e.Name] = true
		},
	}
}

func (w *watched) acknowledged() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.acked))
}

// write runs a test with a writer over a balky folder, in time that only
// passes when everybody waits.
func write(t *testing.T, tune func(*evidence.WriterOptions), test func(t *testing.T, w *evidence.Writer, b *balky, seen *watched)) {
	t.Helper()
	folder := open(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		b, seen := &balky{Store: folder}, &watched{}
		opts := seen.options()
		if tune != nil {
			tune(opts)
		}
		w, err := evidence.NewWriter(b, "run-1", opts)
		if err != nil {
			t.Fatal(err)
		}
		test(t, w, b, seen)
	})
}

func closeWithin(t *testing.T, w *evidence.Writer, limit time.Duration) (*evidence.Manifest, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return w.Close(ctx)
}

func TestWriterAcknowledges(t *testing.T) {
	write(t, nil, func(t *testing.T, w *evidence.Writer, b *balky, seen *watched) {
		b.set(func(name string) error {
			if strings.HasSuffix(name, "manifest.json") {
				return errDown
			}
			return nil
		}, false)
		path, err := w.Picture("start.png", []byte("picture"))
		if err != nil || path != "screenshots/start.png" {
			t.Fatalf("picture at %q: %v", path, err)
		}
		time.Sleep(time.Second)
		if got := names(t, b, "run-1"); !slices.Equal(got, []string{"attempt-1/screenshots/start.png"}) {
			t.Errorf("stored %q", got)
		}
		if got := seen.acknowledged(); len(got) > 0 {
			t.Errorf("acknowledged %q before there is a manifest", got)
		}
		b.set(nil, false)
		time.Sleep(10 * time.Second)
		if got := seen.acknowledged(); !slices.Equal(got, []string{"screenshots/start.png"}) {
			t.Errorf("acknowledged %q", got)
		}
		// What is acknowledged is there whatever happens to the writer now.
		if m, err := evidence.ReadManifest(t.Context(), b, "run-1", 1); err != nil || len(m.Files) != 1 || m.Files[0].SHA256 == "" {
			t.Errorf("manifest %+v, %v", m, err)
		}
		if err := w.File("console.log", []byte("line\n")); err != nil {
			t.Fatal(err)
		}
		m, err := closeWithin(t, w, time.Minute)
		if err != nil || len(m.Files) != 2 || m.Attempt != 1 {
			t.Errorf("closed with %+v, %v", m, err)
		}
		if err := evidence.Verify(t.Context(), b, "run-1", 1, ""); err != nil {
			t.Error(err)
		}
		if err := w.File("late.log", nil); !errors.Is(err, evidence.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestWriterDoesNotHoldUpTheRun(t *testing.T) {
	small := func(o *evidence.WriterOptions) { o.Buffer = 10_000 }
	write(t, small, func(t *testing.T, w *evidence.Writer, b *balky, seen *watched) {
		b.set(nil, true)
		began, refused := time.Now(), 0
		for i := range 100 {
			if _, err := w.Picture(fmt.Sprintf("%d.png", i), make([]byte, 1000)); errors.Is(err, evidence.ErrFull) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 300*time.Millisecond {
			t.Errorf("the run waited %s for a store that hangs", took)
		}
		if refused != 90 {
			t.Errorf("%d of 100 pictures refused by a buffer for 10", refused)
		}
		m, err := closeWithin(t, w, 10*time.Second)
		if took := time.Since(began); took > 13*time.Second {
			t.Errorf("closing took %s", took)
		}
		if err == nil || len(m.Lost) != 100 || len(m.Files) != 0 {
			t.Errorf("lost %d, kept %d: %v", len(m.Lost), len(m.Files), err)
		}
		if len(seen.notes) < 90 {
			t.Errorf("%d notes", len(seen.notes))
		}
	})
}

func TestWriterOutwaitsAStoreThatIsDown(t *testing.T) {
	write(t, nil, func(t *testing.T, w *evidence.Writer, b *balky, seen *watched) {
		b.set(allFail, false)
		for i := range 40 {
			if _, err := w.Picture(fmt.Sprintf("%d.png", i), fmt.Append(nil, i)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(30 * time.Second)
		if err := w.Refusal(); !errors.Is(err, errDown) {
			t.Errorf("while the store is down it says %v", err)
		}
		b.set(nil, false)
		m, err := closeWithin(t, w, time.Minute)
		if refusal := w.Refusal(); refusal != nil {
			t.Errorf("afterwards it says %v", refusal)
		}
		if err != nil || len(m.Files) != 40 || len(m.Lost) > 0 {
			t.Errorf("kept %d, lost %+v: %v", len(m.Files), m.Lost, err)
		}
		if got := seen.acknowledged(); len(got) != 40 {
			t.Errorf("%d acknowledged", len(got))
		}
		if len(seen.notes) != 2 {
			t.Errorf("notes: %q", seen.notes)
		}
	})
}

func TestWriterKeepsTheLatestOfAName(t *testing.T) {
	write(t, nil, func(t *testing.T, w *evidence.Writer, b *balky, _ *watched) {
		b.set(allFail, false)
		for i := range 50 {
			if err := w.File("record.json", fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		b.set(nil, false)
		b.mu.Lock()
		b.puts = nil
		b.mu.Unlock()
		if _, err := closeWithin(t, w, time.Minute); err != nil {
			t.Fatal(err)
		}
		if got := get(t, b, "run-1", "attempt-1/record.json"); got != `{"n":49}` {
			t.Errorf("kept %s", got)
		}
		if len(b.puts) > 4 {
			t.Errorf("50 versions that waited were put as %q", b.puts)
		}
	})
}

// TestWriterAnnouncesNewVersions: a file that is acknowledged is replaced only
// after the manifest knows the new version, too.
func TestWriterAnnouncesNewVersions(t *testing.T) {
	write(t, nil, func(t *testing.T, w *evidence.Writer, b *balky, _ *watched) {
		version := func(text string) {
			t.Helper()
			if err := w.File("record.json", []byte(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		version(`{"n":1}`)
		version(`{"n":1}`) // nothing new
		if want := []string{"attempt-1/record.json", "attempt-1/manifest.json"}; !slices.Equal(b.puts, want) {
			t.Errorf("put %q, want %q", b.puts, want)
		}
		b.set(func(name string) error {
			// Whatever is there now must pass for sound: this is where a crash would leave it.
			if err := evidence.Verify(t.Context(), b.Store, "run-1", 1, ""); err != nil {
				t.Errorf("before %s: %v", name, err)
			}
			return nil
		}, false)
		for i := range 5 {
			version(fmt.Sprintf(`{"n":%d}`, i))
		}
		if m, err := closeWithin(t, w, time.Minute); err != nil || len(m.Files) != 1 || m.Files[0].Pending != "" {
			t.Errorf("closed with %+v, %v", m, err)
		}
	})
}

func TestWriterGivesUpOnAFileThatFailsAlone(t *testing.T) {
	write(t, nil, func(t *testing.T, w *evidence.Writer, b *balky, _ *watched) {
		b.set(func(name string) error {
			if strings.Contains(name, "bad") {
				return errors.New("refused")
			}
			return nil
		}, false)
		if err := w.File("bad.log", []byte("x")); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if err := w.File(fmt.Sprintf("%d.log", i), []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		m, err := closeWithin(t, w, time.Hour)
		if err == nil || len(m.Files) != 10 || len(m.Lost) != 1 || m.Lost[0].Name != "bad.log" {
			t.Errorf("kept %d, lost %+v: %v", len(m.Files), m.Lost, err)
		}
	})
}

func TestWriterStreams(t *testing.T) {
	small := func(o *evidence.WriterOptions) { o.Buffer = 1000 }
	write(t, small, func(t *testing.T, w *evidence.Writer, b *balky, _ *watched) {
		video := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(make([]byte, 5<<20))), nil }
		if err := w.Stream(t.Context(), "video.webm", 5<<20, video); err != nil {
			t.Fatal(err)
		}
		missing := func() (io.ReadCloser, error) { return nil, os.ErrNotExist }
		if err := w.Stream(t.Context(), "gone.webm", 1, missing); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file that is gone: %v", err)
		}
		if err := w.Stream(t.Context(), "huge.log", 100<<20, missing); err == nil {
			t.Error("100 MB of text were not refused")
		}
		for _, name := range []string{"../x", "manifest.json", "attempt-1/x.log"} {
			if err := w.Stream(t.Context(), name, 1, video); !errors.Is(err, evidence.ErrName) {
				t.Errorf("%s: %v", name, err)
			}
		}
		b.set(nil, true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Stream(ctx, "late.webm", 1, video); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a stream into a store that hangs: %v", err)
		}
		b.set(nil, false)
		m, err := closeWithin(t, w, time.Minute)
		if err == nil || len(m.Files) != 1 || m.Files[0].Size != 5<<20 || len(m.Lost) != 2 {
			t.Errorf("closed with %+v, %v", m, err)
		}
	})
}

// TestStreamsAreLookedThrough: also what does not go through the buffer is looked
// through for secrets, where it is text.
func TestStreamsAreLookedThrough(t *testing.T) {
	const secret = "token: Bearer abcdefghijkl"
	conform(t, func(t *testing.T, s evidence.Store) {
		w, err := evidence.NewWriter(s, "run-1", nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"console.log": "token: Bearer [redacted]", "screenshots/1.png": secret} {
			open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(secret)), nil }
			if err := w.Stream(t.Context(), name, int64(len(secret)), open); err != nil {
				t.Fatal(err)
			}
			if got := get(t, s, "run-1", evidence.AttemptName(1, name)); got != want {
				t.Errorf("%s holds %q, want %q", name, got, want)
			}
		}
		if m, err := w.Close(t.Context()); err != nil || len(m.Files) != 2 {
			t.Errorf("kept %+v, %v", m, err)
		}
	})
}

func TestWriterMakesPlainNames(t *testing.T) {
	s := open(t, t.TempDir())
	w, err := evidence.NewWriter(s, "run-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	hostile := []string{"../../etc/passwd", `..\..\boot.ini`, ".htaccess", "Größe 1.png", "Größe 2.png", "a\x00b.png", strings.Repeat("x", 400) + ".png", "...", ""}
	seen := map[string]bool{}
	for _, name := range hostile {
		path, err := w.Picture(name, []byte(name))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if evidence.CheckName(path) != nil || seen[path] {
			t.Errorf("%q became %q", name, path)
		}
		seen[path] = true
	}
	if m, err := w.Close(t.Context()); err != nil || len(m.Files) != len(hostile) {
		t.Errorf("kept %+v, %v", m, err)
	}
	if _, err := evidence.NewWriter(s, "../run", nil); !errors.Is(err, evidence.ErrName) {
		t.Errorf("a hostile run: %v", err)
	}
}
