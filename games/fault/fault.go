// Package fault breaks games on purpose, and puts harmless oddities into them, from outside.
//
// A fault is HTTP middleware: it answers some requests itself and may preload a script into every document and worker,
// before the game's first line. The game's files are never touched, so any game will do, a bundled one or one that is
// served elsewhere and reached through Proxy.
//
// A fault that is only a script is one file under scripts, with its description in the leading comment. Any other is
// one Go file that registers itself.
package fault

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/record"
)

// Kind says what a fault does to the verdict.
type Kind string

const (
	// Broken games must fail.
	Broken Kind = "fault"
	// Blemish is something to report as an issue: the game must still pass.
	Blemish Kind = "issue"
	// Trap looks suspicious and is harmless: the game must pass.
	Trap Kind = "trap"
)

// Fault is one way to treat a game badly.
type Fault struct {
	Name     string
	Title    string
	Kind     Kind
	Describe string
	// Checks are those that a right verdict may disprove, the likeliest first. Empty unless the kind is Broken.
	Checks []record.CheckName
	// Needs are the properties of a game without which the fault changes nothing: see Applies.
	Needs []string
	// Shows are the ways in which the fault can be seen in a game, by words that package bench/witness knows: any of them
	// proves that it is there. Where nothing is broken that is "playable".
	Shows []string
	// Mentions are words of which a report should use one, for blemishes.
	Mentions []string
	// Within is how long after the page was opened the fault has come at the latest, zero where it comes at once or
	// within the first seconds.
	Within time.Duration
	// Script is preloaded into documents and workers. It sees `fault`: name, seed, game, pick(low, high).
	Script string
	// Wrap answers requests instead of next. Nil leaves them all to next.
	Wrap func(next http.Handler, seed int64) http.Handler
}

// Verdict is what a run must come to.
func (f Fault) Verdict() record.Verdict {
	if f.Kind == Broken {
		return record.Fail
	}
	return record.Pass
}

// registered holds the faults that are written in Go.
var registered []Fault

// register is called from the package's variables, one for each fault.
func register(f Fault) Fault {
	registered = append(registered, f)
	return f
}

var load = sync.OnceValue(func() []Fault {
	all := slices.Clone(registered)
	fromScripts, err := readScripts(scripts)
	if err != nil {
		// The scripts are embedded and a test reads them all.
		panic("fault: " + err.Error())
	}
	all = append(all, fromScripts...)
	order := map[Kind]int{Broken: 0, Blemish: 1, Trap: 2}
	slices.SortFunc(all, func(a, b Fault) int {
		if d := order[a.Kind] - order[b.Kind]; d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
})

// All returns every fault: what breaks a game first, then what blemishes it, then the traps, each by name.
func All() []Fault {
	return slices.Clone(load())
}

// Get returns the fault of that name.
func Get(name string) (Fault, bool) {
	for _, f := range load() {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// Infos lists the faults for the index page of the bundled games.
func Infos() []games.FaultInfo {
	var infos []games.FaultInfo
	for _, f := range load() {
		infos = append(infos, games.FaultInfo{Name: f.Name, Title: f.Title, Kind: string(f.Kind)})
	}
	return infos
}

// Applies reports whether the fault can make a difference to the game, and if not, why. It knows only what the game
// says of itself: whether the difference is there has to be looked at.
func (f Fault) Applies(g games.Game) (ok bool, why string) {
	for _, need := range f.Needs {
		n, known := needs[need]
		if !known {
			return false, fmt.Sprintf("nobody knows what %q means", need)
		}
		if !n.has(g) {
			return false, n.lacks
		}
	}
	return true, ""
}
