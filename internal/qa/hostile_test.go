package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

const (
	// hostileLimit is what a run is given. What comes after it, judging and
	// tidying up, has grace, also on a loaded machine.
	hostileLimit = 90 * time.Second
	grace        = 60 * time.Second
	// mostEvidence bounds what a run may leave on a disk.
	mostEvidence = 48 << 20
)

// TestHostilePages plays pages that fight back. Whatever they do, a run ends in
// time with a verdict or with the reason why there is none, keeps little and
// leaves nothing open.
func TestHostilePages(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(hostile())
	defer server.Close()
	witness := watch(ctx, t, b)
	before := targets(ctx, t, witness)

	t.Run("pages", func(t *testing.T) {
		for _, tt := range []struct {
			page     string
			never    record.Verdict // what would be wrong to say of it
			everyday bool
		}{
			{"builtins.html", record.Fail, false},
			{"csp.html", record.Fail, true},
			{"frames.html", record.Fail, false},
			{"traps.html", record.Fail, false},
			{"console.html", record.Fail, false},
			{"alerts.html", "", true},
			{"leaves.html", record.Pass, false},
			{"hangs.html", record.Pass, false},
			{"redirects/", record.Pass, true},
			{"moving.html", record.Pass, false},
			{"pollution.html", record.Fail, false},
			{"elements.html", record.Fail, false},
			{"canvas.html", "", false},
			{"debugger.html", record.Fail, false},
			{"unload.html", record.Fail, false},
			{"history.html", record.Fail, false},
			{"back.html", record.Fail, false},
			{"memory.html", "", false},
			{"greed.html", record.Pass, false},
			{"listeners.html", record.Fail, false},
			{"wipes.html", "", false},
			{"rebuilds.html", record.Fail, false},
			{"emptied.html", record.Pass, false},
			{"serverless.html", record.Pass, false},
			{"attacks.html", record.Fail, false},
			{"sandbox.html", record.Fail, false},
			{"blob.html", record.Fail, false},
			{"modules.html", record.Fail, false},
			{"announces.html", record.Fail, false},
			{"quits.html", record.Fail, false},
		} {
			if !tt.everyday && !*everyPage {
				continue
			}
			t.Run(tt.page, func(t *testing.T) {
				t.Parallel()
				evidence := &weighed{sizes: map[string]int{}}
				began := time.Now()
				rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL + "/" + tt.page, Seed: 1, MaxDuration: hostileLimit, Play: brief}, &qa.Options{Evidence: evidence})
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				t.Logf("%s after %.1f s, %d KB kept: %s", report.Status, took.Seconds(), evidence.total()>>10, report.Summary)
				if took > hostileLimit+grace {
					t.Errorf("took %s", took)
				}
				if report.Status == tt.never {
					t.Errorf("%s (%s), trials %+v", report.Status, report.Summary, rec.Explore.Trials)
				}
				if !reasoned(report) {
					t.Errorf("%s without a reason: %+v", report.Status, report.Checks)
				}
				if n := evidence.total(); n > mostEvidence {
					t.Errorf("%d bytes of evidence: %v", n, evidence.sizes)
				}
			})
		}
	})
	if after := targets(ctx, t, witness); after != before {
		t.Errorf("%d targets were open before the runs, %d are after them", before, after)
	}
}

// reasoned reports whether a verdict says why: a sentence, and one for each
// check that does not hold.
func reasoned(r *record.Report) bool {
	for _, c := range r.Checks {
		if c.State != record.Proven && c.Reason == "" {
			return false
		}
	}
	return r.Summary != "" && len(r.Checks) == 3
}

// hostile serves the pages: one under a policy that forbids all but its own
// script, one that is never reached.
func hostile() http.Handler {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir("testdata/hostile"))
	mux.Handle("/", files)
	mux.HandleFunc("/csp.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-game'; require-trusted-types-for 'script'; form-action 'none'; base-uri 'none'")
		files.ServeHTTP(w, r)
	})
	mux.HandleFunc("/redirects/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"on/", http.StatusFound)
	})
	return mux
}

// weighed keeps no evidence, only how much there is.
type weighed struct {
	mu    sync.Mutex
	sizes map[string]int
}

func (w *weighed) File(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sizes[name] = len(data)
	return nil
}

func (w *weighed) Picture(name string, png []byte) (string, error) { return name, w.File(name, png) }

func (w *weighed) total() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum := 0
	for _, n := range w.sizes {
		sum += n
	}
	return sum
}

// watch opens a page that stays, to ask what else is open.
func watch(ctx context.Context, t *testing.T, b *browser.Browser) *browser.Page {
	t.Helper()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// targets counts the pages, frames and workers of the browser, of all contexts.
func targets(ctx context.Context, t *testing.T, witness *browser.Page) int {
	t.Helper()
	res, err := cdp.Call(ctx, witness.Sessions()[0], target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	return len(res.TargetInfos)
}
