package opinion

import (
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// log tells what the page logged and what went wrong, one citable line each.
func (f *facts) log() {
	h := f.rec.Health
	f.linef("\nLog (healthy games log errors too; alone they mean little):")
	before := f.counts['L']
	left := maxLogLines
	line := func(at time.Duration, what, text string) {
		if left--; left < 0 {
			return
		}
		id := f.prove('L', what+": "+text, text, at)
		f.linef("%s %s %s: %s", id, stamp(at), what, quoted(text))
	}
	for _, i := range []struct {
		what     string
		incident *record.Incident
	}{
		{"renderer died", h.Crashed}, {"main thread hung", h.Hung}, {"drawing context lost", h.ContextLost}, {"page left", h.Left}, {"reloads in a loop", h.ReloadLoop},
	} {
		if i.incident != nil {
			line(i.incident.At, i.what, i.incident.What)
		}
	}
	for _, e := range h.Exceptions {
		line(e.First, fmt.Sprintf("uncaught error, %d times", e.Count), e.Text)
	}
	for _, e := range h.ConsoleErrors {
		line(e.First, fmt.Sprintf("console error, %d times", e.Count), e.Text)
	}
	for _, l := range h.FailedLoads {
		line(0, "request failed, "+l.Why(), l.URL)
	}
	for _, s := range h.Shader {
		line(0, "shader failed", s)
	}
	for _, s := range h.Decode {
		line(0, "picture or sound could not be decoded", s)
	}
	for _, d := range h.Dialogs {
		line(0, fmt.Sprintf("%s dialog, %d times", d.Type, d.Count), d.Message)
	}
	if left < 0 {
		f.linef("... %d more", -left)
	}
	if f.counts['L'] == before {
		f.linef("nothing")
	}
}

func (f *facts) health() {
	h := f.rec.Health
	changed := 0
	for _, s := range h.Samples {
		if s.Changed > 0 {
			changed++
		}
	}
	f.linef("\nHealth: %.0f frames per second; the picture changed in %d of %d looks; main thread blocked %.0f %% of the time, at most %s",
		h.FPS, changed, len(h.Samples), 100*h.LongTasks.Share, h.LongTasks.Longest.Round(time.Millisecond))
	e := f.rec.Explore
	f.linef("Rounds ended %d times and began again %d times; %d of about %d functions of its own code ran", e.GameOvers, e.Restarts, e.Reach.Executed, e.Reach.Functions)
	for i, p := range e.Progress {
		if i == 10 {
			f.linef("... %d more signs of progress", len(e.Progress)-i)
			break
		}
		f.linef("progress at %s: %s from %s to %s", stamp(max(0, p.Time.Sub(f.rec.Started))), p.What, quoted(p.From), quoted(p.To))
	}
}
