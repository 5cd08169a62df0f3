package explore

import (
	"testing"

	"playtest"
)

func TestAside(t *testing.T) {
	reaching := func(c playtest.Control, function string) playtest.Control {
		c.Reaches = []playtest.CodePlace{{Function: function}}
		return c
	}
	space := playtest.Control{Type: playtest.ControlKey, Keys: []string{"Space"}}
	for _, tt := range []struct {
		name    string
		control playtest.Control
		want    bool
	}{
		{"a key that moves", space, false},
		{"a key whose code moves", reaching(space, "jump"), false},
		{"a key whose code pauses", reaching(space, "togglePause"), true},
		{"code that is about sound", reaching(space, "mute"), true},
		{"code that begins like it", reaching(space, "pauseMenuSelect"), false},
		{"the key for pause", playtest.Control{Type: playtest.ControlKey, Keys: []string{"KeyP"}}, true},
		{"a cell of a board", playtest.Control{Type: playtest.ControlClick, Selector: "#board>div:nth-of-type(3)"}, false},
		{"a button with a picture for pause", playtest.Control{Type: playtest.ControlClick, Selector: "#pauseBtn"}, true},
		{"dragging it", playtest.Control{Type: playtest.ControlDrag, Selector: "#pauseBtn"}, true},
		{"a link that says share", playtest.Control{Type: playtest.ControlClick, Text: "Share", Selector: "a.x"}, true},
		{"the handle of a scroll bar", playtest.Control{Type: playtest.ControlDrag, Selector: "#list_scrollbar_1>div"}, true},
		{"a thing beside others of a share list", playtest.Control{Type: playtest.ControlClick, Selector: "#share-list>li"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := aside(tt.control); got != tt.want {
				t.Errorf("aside: %v", got)
			}
		})
	}
}
