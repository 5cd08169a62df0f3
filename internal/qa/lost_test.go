package qa_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// TestLostBrowserIsNotTheGamesFault kills the browser at different times, and
// once only the page's own process.
func TestLostBrowserIsNotTheGamesFault(t *testing.T) {
	if testing.Short() {
		t.Skip("plays pages")
	}
	for _, tt := range []struct {
		name  string
		phase string // at the beginning of which it happens; "" while the page is asked for
		kill  func(*testing.T, *browser.Browser)
		want  record.Verdict
		says  string
	}{
		{"while the page is asked for", "", killBrowser, record.VerdictError, "browser was lost"},
		{"while its controls are looked for", record.PhaseDiscover, killBrowser, record.VerdictError, "browser was lost"},
		{"the page alone", record.PhaseDiscover, killRenderers, record.Fail, "crashed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := context.Background()
			b, err := browser.Launch(ctx, nil)
			if err != nil {
				t.Fatalf("these tests need a Chromium (Debian: apt-get install chromium): %v", err)
			}
			defer b.Close()
			var once sync.Once
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.phase == "" {
					once.Do(func() { tt.kill(t, b) })
				}
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<h1 style='background: #264; color: #fff'>Hello</h1>")
			}))
			defer server.Close()
			rec, rep, err := qa.Run(ctx, b, record.Target{URL: server.URL, Play: brief, Seed: 1}, &qa.Options{Emit: func(e record.Event) {
				if e.Kind == record.EventPhase && e.Phase == tt.phase {
					once.Do(func() { tt.kill(t, b) })
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Status != tt.want || !strings.Contains(rep.Summary, tt.says) {
				t.Errorf("%s: %s, health %+v", rep.Status, rep.Summary, rec.Health)
			}
		})
	}
}

func killBrowser(t *testing.T, b *browser.Browser) {
	if err := syscall.Kill(b.PID(), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// killRenderers ends the processes in which the browser's pages live.
func killRenderers(t *testing.T, b *browser.Browser) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, file := range lines {
		line, _ := os.ReadFile(file) // a process may end meanwhile
		if !strings.Contains(string(line), "--type=renderer") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && descends(pid, b.PID()) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Error("no renderer was found")
	}
}

var parentLine = regexp.MustCompile(`(?m)^PPid:\s*(\d+)`)

func descends(pid, from int) bool {
	for pid > 1 && pid != from {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		parent := parentLine.FindSubmatch(status)
		if parent == nil {
			return false
		}
		pid, _ = strconv.Atoi(string(parent[1]))
	}
	return pid == from
}
