package verdict

import (
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// refusedByUs says what playtest itself kept the page from that the game may need, empty if nothing.
func (f facts) refusedByUs() string {
	if !f.on(RuleRefused) {
		return ""
	}
	for _, r := range f.rec.Health.Refused {
		switch r.Type {
		case "Document", "Script", "XHR", "Fetch", "WebSocket", "EventSource":
			return fmt.Sprintf("playtest did not let the page reach %s (%s), from which the game may need something; --allow-local lets it.", r.Host, r.Reason)
		}
	}
	return ""
}

// awaited reports whether a game may have waited for a file that is missing. None waits for
// its icon or a font.
func awaited(l record.FailedLoad) bool { return l.Type != "Other" && l.Type != "Font" }

// stoppedScript names a script or other file of the game itself that is missing, or a
// script that stopped with an error while the game loaded.
func (f facts) stoppedScript() string {
	if e := f.loadError(); e != "" {
		return e
	}
	return f.missingFile()
}

// stoppedWay names what keeps a game from being played that can be started: what it lacks
// from the beginning, or what a page lacks that it leads to.
func (f facts) stoppedWay() string {
	if cause := f.stoppedScript(); cause != "" {
		return cause
	}
	if slices.ContainsFunc(f.twins.Observations, func(o record.Observation) bool { return o.Stopped && !f.returns(o) }) {
		return "a script of a page that it leads to stopped with an error while it loaded"
	}
	if e := f.evidence; (e.effects == e.unhandled || f.deaf()) && e.throws == 0 {
		return f.brokenScript() // only the browser itself answers
	}
	return ""
}

// deaf reports whether no code listens to any input, so that whatever has an effect is the
// browser's own: links, forms that are sent, what lights up under the pointer.
func (f facts) deaf() bool {
	listens := func(m record.Modality) bool { return m.Listens }
	return len(f.rec.Load.Listens) == 0 && len(f.twins.Modalities) > 0 && !slices.ContainsFunc(f.twins.Modalities, listens)
}

// returns reports whether one comes back from the page that an input led to, as from rules
// and lists of scores, which lie beside the game.
func (f facts) returns(led record.Observation) bool {
	return slices.ContainsFunc(f.twins.Observations, func(o record.Observation) bool {
		return o.Loaded && o.From == led.To && o.To == led.From && o.From != o.To
	})
}

// missingFile names a file of the game's own site that is more than a picture, a sound or
// a font and could not be loaded.
func (f facts) missingFile() string {
	for _, l := range f.rec.Health.FailedLoads {
		if l.SameSite && l.Type != "Font" && l.Type != "Image" && l.Type != "Other" && l.Type != "Media" && l.Type != "Stylesheet" {
			return fmt.Sprintf("the file %s could not be loaded (%s)", base(l.URL), l.Why())
		}
	}
	return ""
}

// loadError names an error that stopped a script while the game loaded.
func (f facts) loadError() string {
	for _, e := range f.rec.Health.Exceptions {
		if e.ByInput < e.Count && e.First <= max(f.rec.Load.ReadyAfter, 5*time.Second) {
			return fmt.Sprintf("a script stopped with an error (%s)", firstLine(e.Text))
		}
	}
	return ""
}

// brokenScript names a script without which the game may not run: missing, blocked
// or not JavaScript. Errors that stopped one while the game loaded count, too.
func (f facts) brokenScript() string {
	for _, l := range f.rec.Health.FailedLoads {
		if l.Type == "Script" {
			return fmt.Sprintf("the script %s could not be loaded (%s)", base(l.URL), l.Why())
		}
	}
	return f.stoppedScript()
}

// foregoing is the sentence about what went wrong while the game loaded.
func (f facts) foregoing() string {
	if s := f.brokenScript(); s != "" {
		return " Before that " + s + "."
	}
	return ""
}
