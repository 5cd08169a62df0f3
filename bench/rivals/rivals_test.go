package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

func TestRivalsJudgePages(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	const counts = `<button onclick="this.nextSibling.textContent=++n">Start</button><p>0</p><button onclick="this.nextSibling.textContent=++n">More</button><p>0</p><script>n=0</script>`
	for name, page := range map[string]struct {
		html        string
		smoke, loop bool
	}{
		"answers":        {counts, true, true},
		"answers nobody": {"<p>A picture of a game", true, false},
		// A pressed button gets an outline, which is a change of the picture.
		"has dead buttons": {"<button>Start</button><button>More</button>", true, true},
		"throws":           {counts + "<script>nothing.here()</script>", false, true},
		"blank":            {"", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte("<!doctype html>" + page.html))
			}))
			defer server.Close()
			if pass, _, err := smoke(ctx, b, server.URL); err != nil || pass != page.smoke {
				t.Errorf("smoke test: %t, want %t (%v)", pass, page.smoke, err)
			}
			pass, dollars, err := loop(ctx, b, server.URL)
			if err != nil || pass != page.loop {
				t.Errorf("agent loop: %t, want %t (%v)", pass, page.loop, err)
			}
			if dollars <= 0 {
				t.Error("the agent cost nothing")
			}
		})
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	got := row("x", []judged{
		{record.Pass, record.Pass, 2, 0.01}, {record.Pass, record.Fail, 4, 0.01}, {record.Fail, record.Pass, 6, 0.01}, {record.Fail, record.VerdictError, 8, 0.01},
	})
	for _, want := range []string{"| x |", "1/2 50 %", "1/4 25 %", "| 6.0 |", "| 0.010 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}
