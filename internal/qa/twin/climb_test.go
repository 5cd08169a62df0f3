package twin

import "testing"

func TestClimbs(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"/", "/index.html", false},
		{"/", "/play.html", false},
		{"/", "/level/1/", false},
		{"/title.html", "/play.html", false},
		{"/title.html", "/", true},
		{"/games/snake/index.html", "/games/snake/", false},
		{"/games/snake/", "/games/snake/play.html", false},
		{"/games/snake/", "/games/", true},
		{"/games/snake/", "/games/pong/", true},
		{"/games/snake.html", "/games/index.html", true},
	} {
		if got := climbs(tt.from, tt.to); got != tt.want {
			t.Errorf("from %s to %s: %v", tt.from, tt.to, got)
		}
	}
}
