package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// notOpened answers the first check for a page that could not be opened.
func notOpened(rec *record.Record) record.Check {
	const name = record.GameLoaded
	l := rec.Load.Failure
	switch l.Kind {
	case "refused": // by us: that says nothing about the game
		return unknown(name, "refused", upperFirst(l.Message)+".")
	case "dns", "offline": // a name that nobody knows and a machine without a network look alike
		return unknown(name, "offline", "The page could not be opened: "+l.Message+". This machine may have no network, or the address may be wrong.")
	}
	c := disproven(name, l.Kind, "The page could not be opened: "+l.Message+"."+checkAddress(l.Kind)+triedBefore(rec))
	c.Confidence = undisputed
	return c
}

// checkAddress is the advice for a page that the server does not have, or that is no page.
func checkAddress(kind string) string {
	switch kind {
	case "status", "connection", "download", "redirects", "url", "tls":
		return " Check the game's address."
	}
	return ""
}

// triedBefore says how often the page was tried to be opened, if more than once, and
// what else went wrong then.
func triedBefore(rec *record.Record) string {
	n := len(rec.Load.Retries)
	var others []string
	other := func(why string) {
		if why != "" && (rec.Load.Failure == nil || why != rec.Load.Failure.Message) && !slices.Contains(others, why) {
			others = append(others, why)
		}
	}
	for _, t := range rec.Load.Retries {
		other(t.Failure)
	}
	for _, p := range rec.Phases {
		if p.Phase == record.PhaseLoad && p.Error != "" {
			n++
			other(p.Reason)
		}
	}
	if n < 2 {
		return ""
	}
	if len(others) > 0 {
		return fmt.Sprintf(" It was tried %d times; before that %s.", n, strings.Join(others, ", then "))
	}
	return fmt.Sprintf(" It was tried %d times.", n)
}

// loadSignals are the signs of readiness, for the report.
func loadSignals(rec *record.Record) []record.Signal {
	var out []record.Signal
	for _, s := range rec.Load.Signals {
		sig := record.Signal{Name: s.Name, Holds: s.Held, Detail: s.Detail}
		if s.Held {
			sig.With = 1
		}
		out = append(out, sig)
	}
	return out
}
