package video

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

var start = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// painted is a recording whose page painted at these seconds.
func painted(stopped float64, seconds ...float64) *Recording {
	r := &Recording{stopped: after(stopped)}
	for _, s := range seconds {
		r.frames = append(r.frames, browser.ScreencastFrame{Time: after(s), Width: 1000, Height: 500})
	}
	return r
}

// TestStillnessIsShort says that a wait of half a minute takes two seconds of the film,
// that the clock below the picture tells, and that what is done in between is shown.
func TestStillnessIsShort(t *testing.T) {
	shots, length := painted(33, 0, 1, 31, 32).plan()
	if length != 5*time.Second {
		t.Errorf("the film is %v long, want 1 s, 2 s of waiting and 2 s", length)
	}
	last := shots[len(shots)-1]
	if last.frame != 3 || last.over.Clock != 33 {
		t.Errorf("the film ends with frame %d at %d s of the run, want 3 at 33", last.frame, last.over.Clock)
	}
	for i, s := range shots[1:] {
		if s.at <= shots[i].at {
			t.Fatalf("shot %d is at %v, after %v", i+1, s.at, shots[i].at)
		}
	}
	r := painted(33, 0, 1, 31, 32)
	r.inputs = []browser.InputEvent{{Time: after(16), Kind: browser.PointerPressed, At: browser.Point{X: 500, Y: 50}}}
	if _, length := r.plan(); length != 7*time.Second {
		t.Errorf("with an input in between the film is %v long, want 7 s", length)
	}
}

// TestWaitingIsShort says that half a minute in which a game only blinks is shortened
// as well.
func TestWaitingIsShort(t *testing.T) {
	var blinks []float64
	for n := range 300 {
		blinks = append(blinks, float64(n)/10)
	}
	r := painted(30, blinks...)
	if _, length := r.plan(); length < 2*idleFor || length > 2*idleFor+2*stillFor {
		t.Errorf("the film is %v long", length)
	}
	for n := range 30 {
		r.inputs = append(r.inputs, browser.InputEvent{Time: after(float64(n)), Kind: browser.TextTyped})
	}
	if _, length := r.plan(); length != 30*time.Second {
		t.Errorf("of 30 s with an input a second the film shows %v", length)
	}
}

func TestInputsAreDrawn(t *testing.T) {
	r := painted(3, 0, 3)
	r.inputs = []browser.InputEvent{
		{Time: after(0.5), Kind: browser.PointerMoved, At: browser.Point{X: 500, Y: 50}},
		{Time: after(1), Kind: browser.PointerPressed, At: browser.Point{X: 500, Y: 50}},
		{Time: after(1.01), Kind: browser.PointerReleased},
		{Time: after(2), Kind: browser.KeyPressed, Key: "ArrowLeft"},
		{Time: after(2.01), Kind: browser.KeyReleased, Key: "ArrowLeft"},
		{Time: after(2), Kind: browser.KeyPressed, Key: "KeyA"},
		{Time: after(2.8), Kind: browser.TextTyped},
	}
	shots, _ := r.plan()
	at := func(seconds float64) overlay {
		var over overlay
		for _, s := range shots {
			if s.at <= time.Duration(seconds*float64(time.Second)) {
				over = s.over
			}
		}
		over.Clock = 0
		return over
	}
	tests := []struct {
		name string
		at   float64
		want overlay
	}{
		{"nothing yet", 0.2, overlay{}},
		{"the pointer", 0.7, overlay{Pointer: true, X: 0.5, Y: 0.1}},
		{"a short click is seen", 1.2, overlay{Pointer: true, X: 0.5, Y: 0.1, Down: true}},
		{"and is over", 1.5, overlay{Pointer: true, X: 0.5, Y: 0.1}},
		{"a tap and a key that is held", 2.2, overlay{Pointer: true, X: 0.5, Y: 0.1, Keys: "← A"}},
		{"the key is held still", 2.6, overlay{Pointer: true, X: 0.5, Y: 0.1, Keys: "A"}},
		{"text is not spelled out", 2.95, overlay{Pointer: true, X: 0.5, Y: 0.1, Keys: "A typing"}},
	}
	for _, test := range tests {
		if got := at(test.at); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestReelIsBounded records an hour at the full rate.
func TestReelIsBounded(t *testing.T) {
	var r reel
	data := [2][]byte{make([]byte, 20<<10), make([]byte, 20<<10+1)}
	for n := range 3600 * Rate {
		r.add(browser.ScreencastFrame{Time: after(float64(n) / Rate), Data: data[n%2]})
	}
	if most := int(Longest.Seconds())*Rate + 2; len(r.frames()) > most {
		t.Errorf("%d frames are kept, want at most %d", len(r.frames()), most)
	}
	rec := &Recording{frames: r.frames(), lost: r.lost, stopped: after(3600)}
	for n := range 3600 {
		rec.inputs = append(rec.inputs, browser.InputEvent{Time: after(float64(n)), Kind: browser.TextTyped})
	}
	shots, length := rec.plan()
	if length > Longest || len(shots) > int(Longest.Seconds())*Rate+1 {
		t.Errorf("the film is %v long, in %d shots", length, len(shots))
	}
	if end := shots[len(shots)-1].over.Clock; shots[0].over.Clock != 0 || end < 3590 {
		t.Errorf("it goes from %d s to %d s of an hour, want both ends", shots[0].over.Clock, end)
	}

	r = reel{}
	for n := range 100 {
		r.add(browser.ScreencastFrame{Time: after(float64(n)), Data: make([]byte, 2<<20+n)})
	}
	held := 0
	for _, f := range r.frames() {
		held += len(f.Data)
	}
	if held > maxHeld {
		t.Errorf("%d MB of pictures are held", held>>20)
	}
}
