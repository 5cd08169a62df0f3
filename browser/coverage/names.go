package coverage

import (
	"fmt"

	"github.com/chromedp/cdproto/profiler"
)

// names gives scripts names that they keep when the page is loaded again. V8
// numbers them anew then; what stays is the address, the length and, among
// scripts that share both, the order.
type names struct {
	given map[ScriptID]ScriptID // by V8's numbers
	alike map[ScriptID]int      // how many of the same address and length there are
}

func newNames() names {
	return names{map[ScriptID]ScriptID{}, map[ScriptID]int{}}
}

// maxNames bounds what is remembered of pages that make code without end.
const maxNames = 20_000

// of names a script of which code ran.
func (n *names) of(target string, sc *profiler.ScriptCoverage) ScriptID {
	number := ScriptID{target, string(sc.ScriptID)}
	if name, ok := n.given[number]; ok {
		return name
	}
	length, ok := length(sc)
	if !ok || len(n.given) >= maxNames {
		return number
	}
	name := ScriptID{target, fmt.Sprintf("%s#%d", sc.URL, length)}
	n.alike[name]++
	if before := n.alike[name] - 1; before > 0 {
		name.ID += fmt.Sprintf("#%d", before)
	}
	n.given[number] = name
	return name
}

// known is the name of a script by V8's number.
func (n *names) known(number ScriptID) ScriptID {
	if name, ok := n.given[number]; ok {
		return name
	}
	return number
}

// again is called when the page is about to load the same scripts again.
func (n *names) again() { clear(n.alike) }

// length is that of the whole script, which is reported when its first line ran.
func length(sc *profiler.ScriptCoverage) (int, bool) {
	for _, f := range sc.Functions {
		if len(f.Ranges) > 0 && f.Ranges[0].StartOffset == 0 && f.FunctionName == "" {
			return int(f.Ranges[0].EndOffset), true
		}
	}
	return 0, false
}
