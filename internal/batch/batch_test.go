package batch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/internal/batch"
	"github.com/playtest-dev/playtest/record"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLists(t *testing.T) {
	want := []batch.Game{
		{Name: "snake", URL: "https://a.example/snake/index.html"},
		{Name: "mine", URL: "https://b.example/", Metadata: "mine.yaml"},
		{Name: "snake-2", URL: "https://c.example/snake/"},
	}
	tests := []struct {
		name, text string
		want       []batch.Game
		fails      string
	}{
		{"lines", "# games\nhttps://a.example/snake/index.html\n\nmine https://b.example/  # ours\nhttps://c.example/snake/", []batch.Game{want[0], {Name: "mine", URL: "https://b.example/"}, want[2]}, ""},
		{"JSON", `["https://a.example/snake/index.html", {"name":"mine","url":"https://b.example/","metadata":"mine.yaml"}, {"url":"https://c.example/snake/"}]`, want, ""},
		{"JSON lines", `{"url":"https://a.example/snake/index.html"}` + "\n" + `{"name":"mine","url":"https://b.example/","metadata":"mine.yaml"}` + "\n" + `{"url":"https://c.example/snake/"}`, want, ""},
		{"no path in the address", "https://d.example", []batch.Game{{Name: "d.example", URL: "https://d.example"}}, ""},
		{"nothing", "\n\n", nil, "stdin names no games"},
		{"too many words", "a b c", nil, "line 1 has more than a name and an address"},
		{"a field that is misspelt", `[{"adress":"x"}]`, nil, `entry 1: json: unknown field "adress"`},
		{"no address", `[{"name":"x"}]`, nil, "entry 1: url is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &batch.Reader{Stdin: strings.NewReader(tt.text)}
			got, err := r.Read(t.Context(), "-")
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"games/alpha/index.html": "x", "games/alpha/playtest.yaml": "title: A", "games/beta/dist/index.html": "x",
		"games/notes/readme.txt": "x", "games/list.txt": "x", "lists/own.txt": "../games/alpha\nb ../games/beta",
	})
	alpha := batch.Game{Name: "alpha", URL: filepath.Join(dir, "games/alpha"), Metadata: filepath.Join(dir, "games/alpha/playtest.yaml")}
	beta := batch.Game{Name: "beta", URL: filepath.Join(dir, "games/beta")}
	renamed := beta
	renamed.Name = "b"
	for source, want := range map[string][]batch.Game{
		"games":         {alpha, beta},
		"games/alpha":   {alpha},
		"lists/own.txt": {alpha, renamed},
	} {
		got, err := new(batch.Reader).Read(t.Context(), filepath.Join(dir, filepath.FromSlash(source)))
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
	if _, err := new(batch.Reader).Read(t.Context(), filepath.Join(dir, "lists")); err == nil || !strings.Contains(err.Error(), "holds no games") {
		t.Errorf("a folder without games: %v", err)
	}
}

func TestSitemap(t *testing.T) {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	mux.HandleFunc("/sitemap.xml", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<?xml version="1.0"?><sitemapindex><sitemap><loc>%[1]s/a.xml.gz</loc></sitemap><sitemap><loc>%[1]s/sitemap.xml</loc></sitemap></sitemapindex>`, srv.URL)
	})
	mux.HandleFunc("/a.xml.gz", func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> %s/snake/ </loc></url><url><loc>http://127.0.0.1:1/inside</loc></url></urlset>`, srv.URL)
		z.Close()
		w.Write(b.Bytes())
	})
	mux.HandleFunc("/page.xml", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html></html>") })
	var warned string
	r := &batch.Reader{Client: srv.Client(), Warn: func(s string) { warned = s }}
	got, err := r.Read(t.Context(), srv.URL+"/sitemap.xml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]batch.Game{{Name: "snake", URL: srv.URL + "/snake/"}}, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(warned, "1 addresses") {
		t.Errorf("nobody was told of the address on another host: %q", warned)
	}
	for _, bad := range []string{"/page.xml", "/none.xml"} {
		if _, err := r.Read(t.Context(), srv.URL+bad); err == nil {
			t.Errorf("%s was taken for a sitemap", bad)
		}
	}
}

func TestFolderNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../../etc", "a/b", "a\\b", "🎮", "x\x00y", strings.Repeat("long", 100), ".hidden", "CON:"} {
		got := batch.Folder(name)
		if !filepath.IsLocal(got) || strings.ContainsAny(got, "/\\\x00:") || got == "." || strings.HasPrefix(got, ".") || len(got) > 100 {
			t.Errorf("%q is kept in %q", name, got)
		}
	}
	if batch.Folder("a/b") == batch.Folder("a:b") {
		t.Error("two names share a folder")
	}
	if got := batch.Folder("my-game_2.0"); got != "my-game_2.0" {
		t.Errorf("a plain name became %q", got)
	}
}

func games(n int) []batch.Game {
	var out []batch.Game
	for i := range n {
		out = append(out, batch.Game{Name: fmt.Sprintf("g%d", i), URL: fmt.Sprintf("http://x/%d", i)})
	}
	return out
}

func TestParallelInOrderWithAnEstimate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		play := func(ctx context.Context, g batch.Game) (batch.Result, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(10 * time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return batch.Result{Status: record.Pass}, nil
		}
		var left []time.Duration
		s, err := batch.Run(t.Context(), games(6), play, &batch.Options{Parallel: 2, Ended: func(r batch.Result, p batch.Progress) { left = append(left, p.Left) }})
		if err != nil || s.Passed != 6 || s.Worst() != record.Pass || s.Seconds != 30 || most != 2 {
			t.Errorf("%v: %d passed, %v s, %d at a time", err, s.Passed, s.Seconds, most)
		}
		for i, r := range s.Results {
			if r.Name != fmt.Sprintf("g%d", i) || r.Seconds != 10 {
				t.Errorf("result %d is of %s, %v s", i, r.Name, r.Seconds)
			}
		}
		if left[1] != 20*time.Second || left[5] != 0 {
			t.Errorf("estimates %v", left)
		}
	})
}

// An interrupted batch goes on where it stopped, and a line that was cut off with
// it is played again.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	var played []string
	run := func(ctx context.Context, stopAt string) (*batch.Summary, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ledger, err := batch.OpenLedger(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer ledger.Close()
		return batch.Run(ctx, games(4), func(ctx context.Context, g batch.Game) (batch.Result, error) {
			played = append(played, g.Name)
			if g.Name == stopAt {
				cancel()
			}
			return batch.Result{Status: record.Fail}, nil
		}, &batch.Options{Ledger: ledger})
	}
	s, err := run(t.Context(), "g2")
	if !errors.Is(err, context.Canceled) || len(s.Results) != 2 || !slices.Equal(s.NotPlayed, []string{"g2", "g3"}) {
		t.Fatalf("%v, %d results, not played %v", err, len(s.Results), s.NotPlayed)
	}
	f, err := os.OpenFile(filepath.Join(dir, batch.LedgerName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"name":"g3","sta`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	s, err = run(t.Context(), "")
	if err != nil || s.Failed != 4 || s.Again != 2 || s.Worst() != record.Fail {
		t.Errorf("%v: %d failed, %d taken over", err, s.Failed, s.Again)
	}
	if want := []string{"g0", "g1", "g2", "g2", "g3"}; !slices.Equal(played, want) {
		t.Errorf("played %v, want %v", played, want)
	}
}

func TestFailFast(t *testing.T) {
	n := 0
	s, err := batch.Run(t.Context(), games(5), func(ctx context.Context, g batch.Game) (batch.Result, error) {
		n++
		status := record.VerdictError // which is no failure
		if g.Name == "g1" {
			status = record.Fail
		}
		return batch.Result{Status: status}, nil
	}, &batch.Options{FailFast: true})
	if err != nil || n != 2 || len(s.NotPlayed) != 3 || s.Worst() != record.Fail {
		t.Errorf("%v: %d played, not played %v", err, n, s.NotPlayed)
	}
}

func TestNobodyCanPlay(t *testing.T) {
	broken := errors.New("no browser")
	s, err := batch.Run(t.Context(), games(3), func(context.Context, batch.Game) (batch.Result, error) { return batch.Result{}, broken }, nil)
	if !errors.Is(err, broken) || len(s.Results) != 0 || s.Worst() != record.VerdictError {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestShards(t *testing.T) {
	all := games(7)
	seen := map[string]int{}
	for i := 1; i <= 3; i++ {
		s, err := batch.ParseShard(fmt.Sprintf("%d/3", i))
		if err != nil {
			t.Fatal(err)
		}
		part := s.Of(all)
		if len(part) < 2 || len(part) > 3 {
			t.Errorf("part %d has %d games", i, len(part))
		}
		for _, g := range part {
			seen[g.Name]++
		}
	}
	for _, g := range all {
		if seen[g.Name] != 1 {
			t.Errorf("%s is in %d parts", g.Name, seen[g.Name])
		}
	}
	for _, bad := range []string{"0/3", "4/3", "1/0", "x", "1/x", "/", "1"} {
		if _, err := batch.ParseShard(bad); err == nil {
			t.Errorf("%q is a part", bad)
		}
	}
}
