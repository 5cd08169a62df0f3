package stage_test

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/stage"
)

// Settling waits for what is under way, a timer's work or a request, and only
// then is the page read.
func TestSettling(t *testing.T) {
	const button = `<button onclick="document.title='done'">Go</button>`
	tests := []struct {
		name, html string
		before     string // is done in the page first
		settled    bool
	}{
		{"still", button, "", true},
		{"built piece by piece", `<div id="d"></div><template id="t">` + button + `</template><script>let n = 0; const i = setInterval(() => {
			d.append('.'); if (++n === 10) { clearInterval(i); d.append(t.content) } }, 30)</script>`, "", true},
		{"never finished", button, `document.open(); document.write(` + "`" + button + "`" + `)`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limit := 30 * time.Second
			if !tt.settled {
				limit = 300 * time.Millisecond
			}
			s := page(t, tt.html, script(t, do(stage.Click, `button "Go"`)), &stage.Options{Settle: limit})
			if tt.before != "" {
				eval[any](t, s, tt.before)
			}
			done, err := s.Act(testContext(t), "go", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, "document.title"); got != "done" || done.Healed {
				t.Errorf("title %q, healed %t", got, done.Healed)
			}
			if done.Meta.Settled != tt.settled {
				t.Errorf("settled %t, want %t", done.Meta.Settled, tt.settled)
			}
		})
	}
	t.Run("a request under way", func(t *testing.T) {
		hold := make(chan struct{})
		web := serve(t, map[string]string{"/": `<div id="d"></div><script>fetch('/late').then(r => r.text()).then(x => d.innerHTML = x)</script>`,
			"/late": `<button onclick="document.title='done'">Go</button>`})
		web.hold("/late", hold)
		s := open(t, web.URL+"/", script(t, do(stage.Click, `button "Go"`)), &stage.Options{Settle: 30 * time.Second})
		time.AfterFunc(400*time.Millisecond, func() { close(hold) }) // longer than it takes to see that nothing else goes on
		done, err := s.Act(testContext(t), "go", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "done" || done.Healed || !done.Meta.Settled {
			t.Errorf("title %q, %+v", got, done)
		}
	})
}
