package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
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

func TestWriting(t *testing.T) {
	var keys []record.Control
	for text := range strings.FieldsSeq("GO! ⌫ 9 8 7 6 5 4 3 2 1 0") {
		keys = append(keys, record.Control{Text: text})
	}
	writing(keys)
	if got := keys[0].Text + keys[9].Text + keys[10].Text + keys[11].Text; got != "90GO!⌫" {
		t.Errorf("in the order %v", keys)
	}
	cells := []record.Control{{Text: ""}, {Text: "1"}, {Text: "2"}}
	writing(cells)
	if cells[0].Text != "" {
		t.Errorf("the cells of a board are in the order %v", cells)
	}
}
