package agent

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/playtest-dev/playtest/agent/tool"
)

// How often the same call may be made on the same page. In games the same key
// again is normal, and a wait is a wait; there the picture must have stood
// still, too, and patience is longer.
const (
	warnAfter, stopAfter               = 3, 5
	warnAfterRepeats, stopAfterRepeats = 8, 16
)

// habit notices an agent that goes round in circles: the same call on a page in
// the same state, in a row or in turns with others.
type habit struct{ seen map[string]int }

// note books a call on a page as it was before. It says whether the model
// should be told, and whether to stop.
func (h *habit) note(t *tool.Tool, args json.RawMessage, page sight) (warn, stop bool) {
	if h.seen == nil {
		h.seen = make(map[string]int)
	}
	key := t.Name + " " + canonical(args) + " " + page.url + " " + strconv.FormatUint(page.tree, 36)
	warnAt, stopAt := warnAfter, stopAfter
	if t.Repeats {
		key += " " + strconv.FormatUint(page.picture, 36)
		warnAt, stopAt = warnAfterRepeats, stopAfterRepeats
	}
	h.seen[key]++
	return h.seen[key] >= warnAt, h.seen[key] >= stopAt
}

// unknown books a call that could not even be made.
func (h *habit) unknown(name string, args json.RawMessage) (stop bool) {
	if h.seen == nil {
		h.seen = make(map[string]int)
	}
	key := "? " + name + " " + canonical(args)
	h.seen[key]++
	return h.seen[key] >= stopAfter
}

// canonical writes arguments so that order and spaces do not matter.
func canonical(args json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(args)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(args)
	}
	return string(out)
}
