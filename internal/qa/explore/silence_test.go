package explore

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/record"
)

// TestSilence: a game that ran and draws nothing any more has stopped, unless what
// it drew on is gone: then it went on to another screen.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       bool
	}{
		{"the canvas stands still", `<canvas id=c width=800 height=500></canvas><script>c.getContext('2d').fillRect(0, 0, 80, 80)</script>`, true},
		{"the canvas is gone", `<button>Deal the cards</button>`, false},
		{"the canvas is hidden", `<canvas width=800 height=500 style="display:none"></canvas><button>Deal the cards</button>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, g := gametest.Open(t, shared, gametest.Page("<!doctype html><title>Game</title>"+tt.page), nil, game.Options{})
			if _, err := g.Navigate(ctx, g.Record.Target.URL); err != nil {
				t.Fatal(err)
			}
			g.Record.Load.Kind = "canvas2d" // as it was when the page was surveyed
			for i := range 20 {
				frames := min(i, 5) * 60
				g.Record.Health.Samples = append(g.Record.Health.Samples, record.HealthSample{
					At: time.Duration(i) * time.Second, Frames: frames, Ran: time.Duration(min(i, 5)) * time.Second, Draws: frames, Acting: true,
				})
			}
			if got := explorer(g, nil).silence(ctx, 3) != nil; got != tt.want {
				t.Errorf("silent: %v, want %v", got, tt.want)
			}
		})
	}
}
