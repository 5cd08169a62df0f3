// Package logs writes what a page logged and loaded, and what was decided
// about it, as the files of a run's evidence.
package logs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// Page is what one page logged and loaded.
type Page struct {
	Console     []browser.ConsoleEntry
	Exceptions  []browser.Exception
	Entries     []browser.Entry
	Dialogs     []browser.Dialog
	Downloads   []browser.Download
	Popups      []browser.Popup
	Crashes     []browser.Crash
	Navigations []browser.Navigation
	Requests    []browser.Request
	// Dropped counts what was too much to keep.
	Dropped int
}

// Of reads a page's log.
func Of(l *browser.Log) Page {
	return Page{
		Console: l.Console(), Exceptions: l.Exceptions(), Entries: l.Entries(), Dialogs: l.Dialogs(), Downloads: l.Downloads(),
		Popups: l.Popups(), Crashes: l.Crashes(), Navigations: l.Navigations(), Requests: l.Requests(), Dropped: l.Counts().Dropped,
	}
}

// Files are the names of the evidence's logs with their contents.
func Files(p Page, rec *record.Record) (map[string][]byte, error) {
	har, err := HAR(p, rec)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"console.log":         Console(p),
		"network.log":         Network(p),
		"network.har":         har,
		"agent-decisions.log": Decisions(rec),
	}, nil
}

// line is one event with its time, to be put in order.
type line struct {
	at   time.Time
	text string
}

// maxLog bounds a log. Of a longer one the beginning and the end are written.
const maxLog = 4 << 20

func write(lines []line) []byte {
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	from, to := middle(lines)
	var b bytes.Buffer
	for i, l := range lines {
		switch {
		case i == from && to > from:
			fmt.Fprintf(&b, "%s %d lines are left out here\n", stamp(l.at), to-from)
		case i < from || i >= to:
			fmt.Fprintf(&b, "%s %s\n", stamp(l.at), l.text)
		}
	}
	return b.Bytes()
}

// middle is the lines that are left out so that the log stays within maxLog,
// from >= to for none.
func middle(lines []line) (from, to int) {
	sum := 0
	for _, l := range lines {
		sum += len(l.text)
	}
	from, to = len(lines), len(lines)
	if sum <= maxLog {
		return from, to
	}
	from = 0
	for size := 0; from < len(lines) && size+len(lines[from].text) <= maxLog/2; from++ {
		size += len(lines[from].text)
	}
	for size := 0; to > from && size+len(lines[to-1].text) <= maxLog/2; to-- {
		size += len(lines[to-1].text)
	}
	return from, to
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Console is what the page wrote to its console, the errors that nobody
// caught, and what the browser had to say about it, in the order of time.
func Console(p Page) []byte {
	var lines []line
	add := func(at time.Time, kind, text, url string, no int) {
		lines = append(lines, line{at, fmt.Sprintf("%-9s %s%s", kind, indent(text), where(url, no))})
	}
	for _, c := range p.Console {
		add(c.Time, c.Level, c.Text, c.URL, c.Line)
	}
	for _, e := range p.Exceptions {
		kind := "exception"
		if e.Rejection {
			kind = "rejection"
		}
		text := e.Text
		if e.Stack != "" && !strings.Contains(text, e.Stack) {
			text += "\n" + e.Stack
		}
		add(e.Time, kind, text, e.URL, e.Line)
	}
	for _, e := range p.Entries {
		add(e.Time, e.Level, e.Source+": "+e.Text, e.URL, e.Line)
	}
	for _, d := range p.Dialogs {
		answer := "dismissed"
		if d.Accepted {
			answer = "accepted"
		}
		add(d.Time, d.Type, fmt.Sprintf("%q, %s", d.Message, answer), "", 0)
	}
	for _, d := range p.Downloads {
		add(d.Time, "download", d.Filename+" refused", d.URL, 0)
	}
	for _, o := range p.Popups {
		add(o.Time, "popup", "closed", o.URL, 0)
	}
	for _, c := range p.Crashes {
		add(c.Time, "crash", c.Kind, c.URL, 0)
	}
	out := write(lines)
	if p.Dropped > 0 {
		out = fmt.Appendf(out, "%d more were dropped, here or in the network log: the page said too much to keep\n", p.Dropped)
	}
	return out
}

// Network is what the page loaded and where it went, in the order of time.
func Network(p Page) []byte {
	var lines []line
	for _, n := range p.Navigations {
		kind := "navigate"
		if n.SameDocument {
			kind = "same-document"
		}
		lines = append(lines, line{n.Time, kind + " " + n.URL})
	}
	for _, r := range p.Requests {
		lines = append(lines, line{r.Start, fmt.Sprintf("%s %s %s %s", r.Method, outcome(r), strings.ToLower(r.Type), r.URL)})
	}
	return write(lines)
}

func outcome(r browser.Request) string {
	var parts []string
	switch {
	case r.Blocked != "":
		parts = append(parts, "blocked("+r.Blocked+")")
	case r.Failed != "":
		parts = append(parts, "failed("+r.Failed+")")
	case r.Status != 0:
		parts = append(parts, fmt.Sprint(r.Status))
	default:
		parts = append(parts, "pending")
	}
	if !r.End.IsZero() {
		parts = append(parts, fmt.Sprintf("%dms", r.End.Sub(r.Start).Milliseconds()))
	}
	if r.FromCache {
		parts = append(parts, "cached")
	} else if r.Bytes > 0 {
		parts = append(parts, fmt.Sprintf("%dB", r.Bytes))
	}
	return strings.Join(parts, " ")
}

// Decisions is what was decided and done, and why, in the order of time.
func Decisions(rec *record.Record) []byte {
	var lines []line
	for _, d := range rec.Decisions {
		text := fmt.Sprintf("%-8s decided %s: %s", d.Phase, indent(d.What), indent(d.Why))
		if d.Saw != "" {
			text += fmt.Sprintf(" (saw: %s)", indent(d.Saw))
		}
		if d.Layer != "" {
			text += fmt.Sprintf(" [%s, confidence %.2f, threshold %.2f]", d.Layer, d.Confidence, d.Threshold)
		} else if d.Confidence > 0 {
			text += fmt.Sprintf(" [confidence %.2f]", d.Confidence)
		}
		lines = append(lines, line{d.Time, text})
	}
	for _, a := range rec.Actions {
		text := fmt.Sprintf("%-8s %s %s", a.Phase, a.Kind, indent(a.Target))
		for _, more := range []struct{ name, value string }{{"why", a.Reasoning}, {"effect", a.Effect}, {"error", a.Error}} {
			if more.value != "" {
				text += fmt.Sprintf(" (%s: %s)", more.name, indent(more.value))
			}
		}
		if !a.Success {
			text += " (not sent)"
		}
		lines = append(lines, line{a.Time, text})
	}
	return write(lines)
}

// indent keeps an event that has several lines recognisable as one.
func indent(s string) string {
	return strings.ReplaceAll(strings.TrimRight(strings.ReplaceAll(s, "\r", ""), "\n"), "\n", "\n    ")
}

func where(url string, no int) string {
	switch {
	case url == "":
		return ""
	case no > 0:
		return fmt.Sprintf(" (%s:%d)", url, no)
	}
	return " (" + url + ")"
}
