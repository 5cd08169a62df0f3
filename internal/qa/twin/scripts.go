package twin

import (
	_ "embed" // for the scripts
	"fmt"
)

// focusJS gives the keyboard to the game, whereJS finds an element again, textJS reads
// what is shown at a place.
var (
	//go:embed focus.js
	focusJS string
	//go:embed where.js
	whereJS string
	//go:embed text.js
	textJS string
)

// The parts of what runs before a page's first line. The trace covers what paint
// leaves out, so it comes after it.
var (
	//go:embed clock.js
	clockJS string
	//go:embed media.js
	mediaJS string
	//go:embed paint.js
	paintJS string
	//go:embed trace.js
	traceJS string
	//go:embed waits.js
	waitsJS string
	//go:embed native.js
	nativeJS string
)

// clock is all of it, in one scope that the page cannot see, with one of the draws of chance.
func clock(draw int) string {
	return fmt.Sprintf("(() => {\nconst chanceDraw = %d;\n", draw) + nativeJS + clockJS + mediaJS + paintJS + traceJS + waitsJS + "hideReplaced();\n})();\n//# sourceURL=playtest:clock\n"
}
