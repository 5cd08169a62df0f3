package opinion

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Limits of what is told of a record. A flood of errors or actions says no
// more than its beginning and its end.
const (
	maxLogLines = 40
	maxActions  = 60
	maxControls = 40
	maxText     = 220
)

// proof is a piece of evidence that a model can cite.
type proof struct {
	id string
	// cite is what stands in the report for it: a picture's path, a log line,
	// an action.
	cite string
	// quote is the text that a model may cite instead of the id.
	quote string
	at    time.Duration
}

// facts is a record as a model is told it: text, and what of it can be cited.
type facts struct {
	b      strings.Builder
	rec    *record.Record
	proofs []proof
	counts map[byte]int
}

// tell writes the record down without its verdict, so that the opinion is not
// an echo.
func tell(rec *record.Record, pictures []picture) *facts {
	f := &facts{rec: rec, counts: map[byte]int{}}
	f.game()
	f.loading()
	f.controls()
	f.actions()
	f.log()
	f.health()
	for i, p := range pictures {
		if i == 0 {
			f.b.WriteString("\nPictures, in this order:\n")
		}
		at := max(0, p.shot.Time.Sub(rec.Started))
		id := f.prove('P', p.shot.Path, path.Base(p.shot.Path), at)
		fmt.Fprintf(&f.b, "%s %s, %s%s\n", id, stamp(at), strings.ReplaceAll(p.shot.Stage, "_", " "), note(p.shot.Note))
	}
	return f
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return ": " + quoted(s)
}

// prove makes a piece of evidence citable.
func (f *facts) prove(kind byte, cite, quote string, at time.Duration) string {
	f.counts[kind]++
	id := fmt.Sprintf("%c%d", kind, f.counts[kind])
	f.proofs = append(f.proofs, proof{id: id, cite: cite, quote: quote, at: at})
	return id
}

func (f *facts) linef(format string, args ...any) { fmt.Fprintf(&f.b, format+"\n", args...) }

// quoted is text that a page or its author wrote: in quotes, on one line, cut.
func quoted(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "..."
	}
	return fmt.Sprintf("%q", s)
}

func stamp(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (f *facts) game() {
	r := f.rec
	f.linef("Game: %s, title %s", quoted(r.Target.URL), quoted(r.Load.Title))
	kind := r.Load.Kind
	if kind == "" {
		kind = "unknown"
	}
	if r.Load.Inside != "" {
		kind += " around " + r.Load.Inside
	}
	f.linef("Kind: %s; engine: %s", kind, quoted(strings.TrimSpace(r.Load.Engine.Name+" "+r.Load.Engine.Version)))
	if m := r.Target.Metadata; m != nil {
		f.linef("Its author says: title %s, genre %s, %s, objectives %s", quoted(m.Title), quoted(m.Genre), quoted(m.Description), quoted(m.Objectives))
	}
	d := r.Discover
	f.linef("How it is played, as far as was found: %s; instructions on the page: %s", quoted(d.Hypothesis), quoted(strings.Join(d.Instructions, " ")))
	f.linef("Run: %s in all, %s of them watched while it was played; interrupted: %s", stamp(r.Finished.Sub(r.Started)), stamp(r.Explore.Played), quoted(r.Interrupted))
	f.linef("Machine: %dx%d, WebGL %s; slow drawing is the machine's, not the game's", r.Environment.Width, r.Environment.Height, quoted(r.Environment.WebGL))
}

func (f *facts) loading() {
	l := f.rec.Load
	f.linef("\nLoading:")
	if l.Failure != nil {
		f.linef("%s the page could not be opened: %s", f.prove('L', l.Failure.Message, l.Failure.Message, 0), quoted(l.Failure.Message))
		return
	}
	f.linef("status %d, ready: %s, after %s; blank page: %s", l.Status, yesNo(l.Ready), stamp(l.ReadyAfter), yesNo(l.Blank))
	for _, s := range l.Signals {
		f.linef("- %s: %s", s.Name, yesNo(s.Held))
	}
	for _, odd := range []struct{ what, text string }{
		{"loading text that stayed", l.LoadingText}, {"a template that nothing filled in", l.RawTemplate}, {"something lies over the page", l.Covered},
	} {
		if odd.text != "" {
			f.linef("%s %s: %s", f.prove('L', odd.text, odd.text, l.ReadyAfter), odd.what, quoted(odd.text))
		}
	}
	s := f.rec.Explore.Start
	switch {
	case s.Auto:
		f.linef("start: it runs by itself")
	case s.Started:
		f.linef("start: it was started")
	case s.Needed:
		f.linef("start: it waits for one, and none was found; a button that did nothing: %s", quoted(s.Dead))
	}
}

func (f *facts) controls() {
	f.linef("\nControls tried, each against idling and against input that nothing listens to:")
	names := map[string]string{}
	for _, c := range f.rec.Discover.Controls {
		names[c.ID] = c.Description
	}
	for i, t := range f.rec.Explore.Trials {
		if i == maxControls {
			f.linef("... %d more", len(f.rec.Explore.Trials)-i)
			break
		}
		name := names[t.ControlID]
		if name == "" {
			name = t.ControlID
		}
		id := f.prove('C', name+": "+t.Reason, t.Reason, 0)
		f.linef("%s %s: %s, %s; operated %d times, %d events arrived%s", id, quoted(name), t.Outcome, quoted(t.Reason), t.Windows, t.Delivered, threw(t))
	}
	if len(f.rec.Explore.Trials) == 0 {
		f.linef("none")
	}
}

func threw(t record.Trial) string {
	if t.Threw == "" {
		return ""
	}
	return ", threw " + quoted(t.Threw)
}

func (f *facts) actions() {
	ok := 0
	for _, a := range f.rec.Actions {
		if a.Success {
			ok++
		}
	}
	f.linef("\nActions: %d, of which %d could be sent (sent says nothing of the game):", len(f.rec.Actions), ok)
	groups := grouped(f.rec.Actions)
	for i, g := range groups {
		if len(groups) > maxActions && i == maxActions*2/3 {
			f.linef("... %d more", len(groups)-maxActions)
		}
		if len(groups) > maxActions && i >= maxActions*2/3 && i < len(groups)-maxActions/3 {
			continue
		}
		text := strings.TrimSpace(g.Kind + " " + g.Target)
		at := max(0, g.Time.Sub(f.rec.Started))
		id := f.prove('A', text+" at "+stamp(at), text, at)
		line := fmt.Sprintf("%s %s %s", id, stamp(at), quoted(text))
		if g.times > 1 {
			line += fmt.Sprintf(" x%d", g.times)
		}
		if !g.Success {
			line += ", not sent: " + quoted(g.Error)
		}
		if g.Effect != "" {
			line += ", effect: " + quoted(g.Effect)
		}
		f.linef("%s", line)
	}
}

type actionGroup struct {
	record.Action
	times int
}

// grouped joins runs of the same action.
func grouped(actions []record.Action) []actionGroup {
	var out []actionGroup
	for _, a := range actions {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Kind == a.Kind && last.Target == a.Target && last.Success == a.Success && last.Effect == a.Effect && last.Error == a.Error {
				last.times++
				continue
			}
		}
		out = append(out, actionGroup{a, 1})
	}
	return out
}
