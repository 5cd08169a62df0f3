package probe_test

import (
	"math"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
)

// TestWorkers: a game that lives in a worker and draws on a canvas of the page.
func TestWorkers(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, nil).URL+"/offscreen.html")
	r := w.untilAll("the worker's frames and text", func(r *probe.Reading) bool {
		return len(r.Frames) == 2 && r.Ticks() > 5 && r.Drawn() > 5 && len(r.Texts()) == 1
	})
	if st := r.Frames[1]; !st.Worker || st.Contexts["2d"] != 1 || r.Frames[0].Workers != 1 {
		t.Errorf("worker %+v", st)
	}
	if got := r.Texts()[0]; got.Text != "FROM AFAR" || math.Abs(got.X-(100+2*20)) > 2 || math.Abs(got.Y-(50+2*30)) > 2 {
		t.Errorf("text %+v", got)
	}
	if c := r.Canvases(); len(c) != 1 || c[0].Kind != "offscreen" {
		t.Errorf("canvases %+v", c)
	}
	w.clean()
}

// TestBusyWorker: a worker that never answers does not hold up the reading.
func TestBusyWorker(t *testing.T) {
	t.Parallel()
	w := html(t, `<script>const w = new Worker('data:text/javascript,Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000)')</script>`)
	for range 5 {
		if n := len(w.read().Frames); n < 1 {
			t.Fatalf("%d frames", n)
		}
	}
}

// TestSilence: a worker that is busy for a while is missed, not taken for one that does
// nothing, and is heard again.
func TestSilence(t *testing.T) {
	t.Parallel()
	w := html(t, `<script>const worker = new Worker('data:text/javascript,onmessage = (e) => { const until = Date.now() + e.data; while (Date.now() < until); }')</script>`)
	there := func(r *probe.Reading) bool { return len(r.Frames) == 2 && r.Silent == 0 }
	w.untilAll("the worker", there)
	w.eval("worker.postMessage(5000)", nil)
	w.untilAll("that the worker does not answer", func(r *probe.Reading) bool { return r.Silent == 1 && len(r.Frames) == 1 })
	w.untilAll("the worker again", there)
}
