package game

import (
	"net/url"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

const (
	// maxTroubles bounds the events of each kind: a page may throw in every frame.
	maxTroubles = 20
	// maxTold bounds the text of an event.
	maxTold = 300
)

// troubles is what was told of what goes wrong in the page.
type troubles struct {
	// exceptions and console are how many the page's log had when it was read last.
	exceptions, console int
	lost                map[string]bool // requests by their ids
	told                map[string]int  // events by their kinds
}

// tellTroubles tells of exceptions that nothing caught, of errors in the console and of
// requests that failed, since it was called last.
func (g *Game) tellTroubles() {
	if g.opts.Emit == nil {
		return
	}
	t, log := &g.troubles, g.Page.Log()
	if t.told == nil {
		t.told, t.lost = map[string]int{}, map[string]bool{}
	}
	counts := log.Counts()
	for _, e := range newest(log.Exceptions(), counts.Exceptions-t.exceptions) {
		g.trouble(record.EventConsole, e.Text)
	}
	for _, e := range newest(log.Console(), counts.Console-t.console) {
		if e.Level == "error" || e.Level == "assert" {
			g.trouble(record.EventConsole, e.Text)
		}
	}
	t.exceptions, t.console = counts.Exceptions, counts.Console
	if t.told[record.EventNetwork] >= maxTroubles {
		return
	}
	for _, r := range log.Requests() {
		if why := r.Lost(); why != "" && !t.lost[r.ID] {
			t.lost[r.ID] = true
			g.trouble(record.EventNetwork, address(r.URL)+": "+why)
		}
	}
}

func (g *Game) trouble(kind, text string) {
	if g.troubles.told[kind]++; g.troubles.told[kind] <= maxTroubles {
		g.Emit(kind, "%s", told(text))
	}
}

// newest are the last n of a list, of which there may be fewer.
func newest[T any](list []T, n int) []T { return list[max(0, len(list)-max(0, n)):] }

// told is the first line of a text, as long as an event may be.
func told(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.ToValidUTF8(text[:min(len(text), maxTold)], "")
}

// address is where something is, without what may be a secret in it.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "something"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
