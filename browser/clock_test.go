package browser_test

import (
	"math"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// still waits for longer than a page that lives would need to show it.
func still() { <-time.After(700 * time.Millisecond) }

// moving is a page whose code runs all the time, with its clock stopped and
// started once so that the map is in place.
func moving(t *testing.T) *browser.Page {
	t.Helper()
	srv := serve(t, map[string]string{"/": `<!doctype html><canvas></canvas><script>` + running + `</script>`})
	p := newPage(t, launch(t, nil), nil, nil)
	open(t, p, srv.URL)
	eventually(t, "it runs", func() bool { return eval[int](t, p, "frames") > 5 })
	stopClock(t, p)
	if err := p.Clock().Start(testContext(t)); err != nil {
		t.Fatal(err)
	}
	frames := eval[int](t, p, "frames")
	eventually(t, "it runs on", func() bool { return eval[int](t, p, "frames") > frames+2 })
	return p
}

func stopClock(t *testing.T, p *browser.Page) {
	t.Helper()
	if err := p.Clock().Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
}

// A page whose clock stands can be asked, pictured and typed at.
func TestClockStands(t *testing.T) {
	p := moving(t)
	eval[int](t, p, "var late = 0; setInterval(() => late++, 20)")
	stopClock(t, p)
	stopClock(t, p) // it stands already
	const at = "[frames, late, performance.now(), Date.now(), +new Date()]"
	before := eval[[]float64](t, p, at)
	still()
	if _, err := p.Screenshot(testContext(t), nil); err != nil {
		t.Errorf("picture of a page whose clock stands: %v", err)
	}
	if err := p.Keyboard().Press(testContext(t), "Space", 0); err != nil {
		t.Fatal(err)
	}
	after := eval[[]float64](t, p, at)
	for i := range before {
		if math.Abs(after[i]-before[i]) > 2 {
			t.Errorf("while the clock stood %s went from %v to %v", at, before, after)
			break
		}
	}
	if keys := eval[int](t, p, "keys"); keys != 1 {
		t.Errorf("%d keys arrived, want 1", keys)
	}
	// Who waits for a time by reading the clock is not stuck for ever.
	if !eval[bool](t, p, "(() => { const t = performance.now(); while (performance.now() - t < 10); return true })()") {
		t.Error("the page did not get through its wait")
	}
	if err := p.Clock().Start(testContext(t)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it goes on", func() bool {
		now := eval[[]float64](t, p, at)
		return now[0] > after[0]+3 && now[1] > after[1]+3 && now[2] > after[2]+20
	})
}

// Time passes in portions of the page's own time, however busy the machine is.
func TestClockRuns(t *testing.T) {
	p := moving(t)
	stopClock(t, p)
	eval[int](t, p, "(last = {}, step.frame = 0)")
	began, frames := eval[float64](t, p, "performance.now()"), eval[int](t, p, "frames")
	for range 5 {
		if err := p.Clock().Run(testContext(t), 120*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		still()
	}
	lived := eval[float64](t, p, "performance.now()") - began
	if lived < 595 || lived > 605 {
		t.Errorf("five times 120 ms came to %.0f ms of the page's time", lived)
	}
	if n := eval[int](t, p, "frames") - frames; n < 10 {
		t.Errorf("%d frames in %.0f ms", n, lived)
	}
	if longest := eval[float64](t, p, "step.frame"); longest > 34 {
		t.Errorf("from one frame to the next %.0f ms passed", longest)
	}
	// What a hold adds on top does not count twice.
	before := eval[float64](t, p, "performance.now()")
	hold(t, p)
	if now := eval[float64](t, p, "performance.now()"); math.Abs(now-before) > 50 {
		t.Errorf("the clock stood and was held, and went from %.0f to %.0f", before, now)
	}
}

// What is cancelled while the clock stands does not happen afterwards.
func TestClockCancelled(t *testing.T) {
	p := moving(t)
	eval[int](t, p, "var hits = 0, kept = 0, i = setInterval(() => hits++, 5), o = setTimeout(() => hits++, 60), k = setTimeout(() => kept++, 60)")
	stopClock(t, p)
	eval[int](t, p, "var f = requestAnimationFrame(() => hits++)")
	still()
	hits := eval[int](t, p, "cancelAnimationFrame(f); clearInterval(i); clearTimeout(o); hits")
	if err := p.Clock().Start(testContext(t)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what was not cancelled happens", func() bool { return eval[int](t, p, "kept") == 1 })
	if got := eval[int](t, p, "hits"); got != hits {
		t.Errorf("%d of what was cancelled happened", got-hits)
	}
}

// A document that is loaded while the clock stands has a clock of its own.
func TestClockOfTheNextDocument(t *testing.T) {
	p := moving(t)
	stopClock(t, p)
	open(t, p, p.URL())
	eventually(t, "the new document runs", func() bool { return eval[int](t, p, "frames") > 5 })
	if err := p.Clock().Run(testContext(t), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	before := eval[int](t, p, "frames")
	still()
	if after := eval[int](t, p, "frames"); after > before+1 {
		t.Errorf("the new document went on for %d frames", after-before)
	}
	if err := p.Kill(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := p.Clock().Stop(testContext(t)); err == nil {
		t.Error("the clock of a page that is gone was stopped")
	}
}
