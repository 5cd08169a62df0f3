package browser_test

import (
	"testing"
	"time"
)

// TestEffort: what the browser works is known also while a page answers nothing,
// and a page that loops is told from one that is painted.
func TestEffort(t *testing.T) {
	const enough = 300 * time.Millisecond
	for _, tt := range []struct {
		name, body string
		painted    bool
	}{
		{"a loop without end", `<script>setTimeout(() => { for (;;) {} }, 50)</script>`, false},
		{"much to paint", `<canvas id=c width=1200 height=700></canvas><script>
			const gl = c.getContext('webgl');
			(function loop() { for (let i = 0; i < 50; i++) { gl.clearColor(Math.random(), 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); } requestAnimationFrame(loop); })();
		</script>`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			own := launch(t, nil)
			srv := serve(t, map[string]string{"/": tt.body})
			ctx := testContext(t)
			p := newPage(t, own, nil, nil)
			if _, err := p.Navigate(ctx, srv.URL, nil); err != nil {
				t.Fatal(err)
			}
			before, err := p.Effort(ctx)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the work to be seen", func() bool {
				now, err := p.Effort(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if tt.painted {
					return now.Painting-before.Painting > enough
				}
				for id, spent := range now.Pages {
					if spent-before.Pages[id] > enough {
						return true
					}
				}
				return false
			})
			if err := p.Kill(ctx); err != nil {
				t.Fatal(err)
			}
		})
	}
}
