package qa

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/record"
)

func TestErrorsThatInputsBringAbout(t *testing.T) {
	sent := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	held := record.Action{Kind: "hold", Time: sent, Took: 600 * time.Millisecond}
	loaded := record.Action{Kind: "reload", Time: sent, Took: 600 * time.Millisecond}
	for _, tt := range []struct {
		name   string
		action record.Action
		after  time.Duration
		want   bool
	}{
		{"while a key is held", held, 300 * time.Millisecond, true},
		{"right after it", held, 620 * time.Millisecond, true},
		{"before it", held, -100 * time.Millisecond, false},
		{"a second later", held, 1600 * time.Millisecond, false},
		{"while the page is loaded", loaded, 300 * time.Millisecond, false},
	} {
		if got := during(tt.action, sent.Add(tt.after)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
