package qa_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser"
	wire "github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/internal/hostile"
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
// leaves nothing open. Each has a browser of its own: some keep a whole browser busy,
// which a run beside them would be told of in place of a verdict. Games beside hostile
// pages are what make hostile plays.
func TestHostilePages(t *testing.T) {
	ctx := context.Background()
	server := httptest.NewServer(hostile.Handler())
	defer server.Close()

	t.Run("pages", func(t *testing.T) {
		for i, tt := range hostile.Pages {
			t.Run(tt.Path, func(t *testing.T) {
				if !tt.Everyday {
					turn(t, i)
				}
				t.Parallel()
				b := launch(ctx, t)
				witness := watch(ctx, t, b)
				before := targets(ctx, t, witness)
				evidence := &weighed{sizes: map[string]int{}}
				began := time.Now()
				rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL + "/" + tt.Path, Seed: 1, MaxDuration: hostileLimit, Play: brief}, &qa.Options{Evidence: evidence})
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				t.Logf("%s after %.1f s, %d KB kept: %s", report.Status, took.Seconds(), evidence.total()>>10, report.Summary)
				if took > hostileLimit+grace {
					t.Errorf("took %s", took)
				}
				if report.Status == tt.Never {
					t.Errorf("%s (%s), trials %+v", report.Status, report.Summary, rec.Explore.Trials)
				}
				if !reasoned(report) {
					t.Errorf("%s without a reason: %+v", report.Status, report.Checks)
				}
				if n := evidence.total(); n > mostEvidence {
					t.Errorf("%d bytes of evidence: %v", n, evidence.sizes)
				}
				if after := targets(ctx, t, witness); after != before {
					t.Errorf("%d targets were open before the run, %d are after it", before, after)
				}
			})
		}
	})
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
	res, err := cdp.Call(wire.WithTimeout(ctx, grace), witness.Sessions()[0], target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	return len(res.TargetInfos)
}
