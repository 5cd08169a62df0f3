package evidence_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// A manifest may have been written by anybody who can write to the store.
// Whatever it says, nothing is read or written outside of its run's folder.
func FuzzManifest(f *testing.F) {
	const run = "20261115-120000-0011223344556677"
	begin := fmt.Sprintf(`{"version":2,"run":%q,"attempt":1,"files":[`, run)
	f.Add([]byte(begin + `{"name":"console.log","size":3,"sha256":"x"}]}`))
	f.Add([]byte(begin + `{"name":"../../outside","size":7}]}`))
	f.Add([]byte(begin + `{"name":"attempt-2/manifest.json"},{"name":"manifest.json"},{"name":""},{"name":"/etc/passwd"}]}`))
	f.Add([]byte(begin + `{"name":"console.log","size":-1},{"name":"console.log","size":9e15}],"lost":[{"name":"a","why":"b"}]}`))
	f.Add([]byte(`{"version":2,"run":"../x","attempt":1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := t.Context()
		outer := t.TempDir()
		if err := os.WriteFile(filepath.Join(outer, "outside"), []byte("outside"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := evidence.OpenFolder(filepath.Join(outer, "in"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		put(t, s, run, evidence.AttemptName(1, "console.log"), "abc")
		put(t, s, run, evidence.AttemptName(1, "manifest.json"), string(data))
		_ = evidence.Verify(ctx, s, run, 1, "")
		w, err := evidence.NewWriter(s, run, &evidence.WriterOptions{Attempt: 2})
		if err != nil {
			t.Fatal(err)
		}
		// A file that is not there is tried again for seconds.
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_ = w.Adopt(short, 1)
		m, _ := w.Close(ctx)
		for _, e := range m.Files {
			if e.Size > 3 && e.Name != "manifest.json" && !bytes.Contains(data, []byte("attempt-")) {
				t.Errorf("adopted %s of %d bytes", e.Name, e.Size)
			}
		}
		if around, _ := os.ReadDir(outer); len(around) != 2 {
			t.Errorf("outside of the folder: %v", around)
		}
	})
}

// Whatever a page writes around a secret, the secret does not get through, in no
// kind of text file.
func FuzzRedactText(f *testing.F) {
	f.Add("Authorization: Bearer ", "\r\n")
	f.Add("http://user:", "@host/?token=x")
	f.Add(`<a href="?api_key=`, `">`)
	f.Add("hunter2", "hunter2hunter2")
	f.Add("cookie: a=", "; b=c")
	f.Add("\xff\x00", "\xed\xa0\x80")
	const secret = "hunter2hunter2"
	r := evidence.NewRedactor([]string{secret})
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, name := range []string{"console.log", "report.html", "network.har", "a.md"} {
			out := string(r.Redact(name, []byte(before+secret+after)))
			if strings.Contains(out, secret) {
				t.Errorf("%s: %q became %q", name, before+secret+after, out)
			}
		}
	})
}
