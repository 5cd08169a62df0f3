package explore

import (
	"fmt"
	"strings"
	"testing"

	"playtest/browser/probe"
)

func TestPadKeys(t *testing.T) {
	for _, tt := range []struct {
		name, texts string
		want        bool
	}{
		{"a number pad", "1 2 3 4 5 6 7 8 9 0 ⌫ GO!", true},
		{"a keyboard", "Q W E R T Y U I O P ENTER", true},
		{"a row of levels", "1 2 3 4 5 6 7 8 9 10 11 12", false},
		{"a menu", "1 2 X", false},
		{"nothing", "", false},
	} {
		var els []probe.Element
		for i, text := range strings.Fields(tt.texts) {
			els = append(els, probe.Element{Text: text, Selector: fmt.Sprintf("#pad>button:nth-of-type(%d)", i+1)})
		}
		els = append(els, probe.Element{Text: "0", Selector: "#score"})
		got := padKeys(els)
		if got[els[0].Selector] != tt.want || got["#score"] {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
