package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// newSearched is what the twins tried, on the axis of the game's own time: a search is
// as fast as the machine, so that the clock on the wall says nothing of it. Nil where
// there was none.
func newSearched(rec *record.Record) *timeline {
	if rec.Twins == nil {
		return nil
	}
	t := rec.Twins
	var last float64
	for _, o := range t.Observations {
		last = max(last, o.Seconds)
	}
	for _, l := range t.Alive.Looks {
		last = max(last, l.Seconds)
	}
	input, _, hung := strings.Cut(t.Reason, hangs)
	if hung {
		last = max(last, t.GameSeconds)
	}
	if len(t.Observations) == 0 && !hung || !(last > 0 && last < 24*60*60) {
		return nil
	}
	total := time.Duration(1.02 * last * float64(time.Second)) // the last mark is not on the edge
	out := &timeline{Seconds: total.Seconds(), Ticks: ticks(total)}
	at := func(seconds float64) float64 { return share(seconds, out.Seconds) }
	noted := func(seconds float64, class, text string) mark {
		return mark{at(seconds), 0.15, Plain(fmt.Sprintf("%.1f s: %s", seconds, text)), class}
	}
	var tried, worked, errors, looks []mark
	for _, o := range t.Observations {
		name := o.Input.String()
		switch {
		case o.Threw != "":
			errors = append(errors, noted(o.Seconds, "error", name+": "+firstLine(o.Threw)))
		case o.Effect():
			worked = append(worked, noted(o.Seconds, "input", name+" changes the game"))
		default:
			tried = append(tried, noted(o.Seconds, "", name+" does nothing"))
		}
		if o.After == "" || !o.Effect() {
			continue
		}
		if n := len(out.Thumbs); n == 0 || at(o.Seconds)-out.Thumbs[n-1].At >= 100/thumbsShown {
			out.Thumbs = append(out.Thumbs, thumb{at(o.Seconds), o.After, Plain(fmt.Sprintf("%.1f s: after %s", o.Seconds, name))})
		}
	}
	if hung {
		errors = append(errors, noted(t.GameSeconds, "error", input+": the page hangs"))
	}
	for _, l := range t.Alive.Looks {
		text, class := "the picture stands still", ""
		if l.Moved {
			text, class = "the picture changes", "request"
		}
		looks = append(looks, noted(l.Seconds, class, text))
	}
	if n := len(out.Thumbs); picture(t.Alive.Picture) != "" && (n == 0 || 100-out.Thumbs[n-1].At >= 100/thumbsShown) {
		out.Thumbs = append(out.Thumbs, thumb{at(last), t.Alive.Picture, "after a minute of play"})
	}
	out.row("worked", worked)
	out.row("no effect", tried)
	out.row("errors", errors)
	out.row("picture", looks)
	out.slice()
	return out
}
