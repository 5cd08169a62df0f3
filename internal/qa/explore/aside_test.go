package explore

import (
	"testing"

	"github.com/playtest-dev/playtest/record"
)

func TestAside(t *testing.T) {
	reaching := func(c record.Control, function string) record.Control {
		c.Reaches = []record.CodePlace{{Function: function}}
		return c
	}
	space := record.Control{Type: record.ControlKey, Keys: []string{"Space"}}
	for _, tt := range []struct {
		name    string
		control record.Control
		want    bool
	}{
		{"a key that moves", space, false},
		{"a key whose code moves", reaching(space, "jump"), false},
		{"a key whose code pauses", reaching(space, "togglePause"), true},
		{"code that is about sound", reaching(space, "mute"), true},
		{"code that begins like it", reaching(space, "pauseMenuSelect"), false},
		{"the key for pause", record.Control{Type: record.ControlKey, Keys: []string{"KeyP"}}, true},
		{"a cell of a board", record.Control{Type: record.ControlClick, Selector: "#board>div:nth-of-type(3)"}, false},
		{"a button with a picture for pause", record.Control{Type: record.ControlClick, Selector: "#pauseBtn"}, true},
		{"dragging it", record.Control{Type: record.ControlDrag, Selector: "#pauseBtn"}, true},
		{"a link that says share", record.Control{Type: record.ControlClick, Text: "Share", Selector: "a.x"}, true},
		{"the handle of a scroll bar", record.Control{Type: record.ControlDrag, Selector: "#list_scrollbar_1>div"}, true},
		{"a thing beside others of a share list", record.Control{Type: record.ControlClick, Selector: "#share-list>li"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := aside(tt.control); got != tt.want {
				t.Errorf("aside: %v", got)
			}
		})
	}
}
