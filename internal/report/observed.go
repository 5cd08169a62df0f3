package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// gridWidth and gridHeight are the cells that observations tell differences by.
const gridWidth, gridHeight = 32, 18

// stepsToTell bounds how many inputs lead to a control in a report.
const stepsToTell = 12

// observed finds the comparison behind a control: the first in which it had an effect.
func observed(rec *record.Record, c record.Control) *record.Observation {
	if rec.Twins == nil {
		return nil
	}
	for i := range rec.Twins.Observations {
		o := &rec.Twins.Observations[i]
		if o.Stage == "search" && o.Effect() && (o.Input.String() == c.Description || c.ID == "key:"+o.Input.Key && o.Input.Key != "") {
			return o
		}
	}
	return nil
}

// told is a comparison in sentences.
func told(o *record.Observation) string {
	share := 100 * float64(len(o.Cells)) / (gridWidth * gridHeight)
	text := fmt.Sprintf("It changes the game: with this input %s of the picture looks different from the same moment without it", percentOf(share))
	switch {
	case o.Later > record.LeastPixels:
		text += ", and it still does a second later."
	case o.Later >= 0:
		text += ", for less than a second."
	default:
		text += "."
	}
	if o.To != o.From {
		text += " It leads to another screen."
	}
	if n := len(o.Repeats); n > 0 {
		switch r := o.Repeats[n-1]; {
		case r.Back:
			text += " Once more takes it back."
		case r.Pixels < record.LeastPixels || r.Same:
			text += " Once more changes nothing further."
		default:
			text += " Each time goes on changing it."
		}
	}
	if o.Dialog {
		text += " It opens a dialog of the browser."
	}
	return text
}

func percentOf(share float64) string {
	if share < 1 {
		return "less than 1 %"
	}
	return fmt.Sprintf("about %.0f %%", share)
}

// outline draws a line around what differs, over a picture of the window. It is
// built from numbers only.
func outline(o *record.Observation) template.HTML {
	if o == nil || len(o.Cells) == 0 || len(o.Cells) > gridWidth*gridHeight/2 {
		return "" // around nearly everything it says nothing
	}
	in := map[int]bool{}
	for _, c := range o.Cells {
		if c >= 0 && c < gridWidth*gridHeight {
			in[c] = true
		}
	}
	has := func(x, y int) bool { return x >= 0 && x < gridWidth && y >= 0 && y < gridHeight && in[y*gridWidth+x] }
	var d strings.Builder
	for y := range gridHeight {
		for x := range gridWidth {
			if !has(x, y) {
				continue
			}
			if !has(x, y-1) {
				fmt.Fprintf(&d, "M%d %dh1", x, y)
			}
			if !has(x, y+1) {
				fmt.Fprintf(&d, "M%d %dh1", x, y+1)
			}
			if !has(x-1, y) {
				fmt.Fprintf(&d, "M%d %dv1", x, y)
			}
			if !has(x+1, y) {
				fmt.Fprintf(&d, "M%d %dv1", x+1, y)
			}
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="outline" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true"><path class="halo" d="%s"/><path d="%[3]s"/></svg>`, gridWidth, gridHeight, d.String()))
}

// way is how a player gets to a screen, as sentences; nil when it is the first one.
func way(rec *record.Record, screen int) (steps []string, more int) {
	if rec.Twins == nil {
		return nil, 0
	}
	for _, s := range rec.Twins.Screens {
		if s.ID != screen {
			continue
		}
		for i, p := range s.Prefix {
			if i == stepsToTell {
				return steps, len(s.Prefix) - i
			}
			steps = append(steps, fmt.Sprintf("after %s s: %s", number(float64(p.Frame)/60), Plain(p.Input.String())))
		}
	}
	return steps, 0
}

// hangs parts the name of an input from what a search says when it does not return.
const hangs = ": the page does not return from a step"

// again is how an error that an input causes, or a hang, can be caused again.
func again(rec *record.Record, r *Root) []string {
	thrown := r.thrown
	if rec.Twins == nil {
		return nil
	}
	if input, _, found := strings.Cut(rec.Twins.Reason, hangs); found && r.Kind == "hung" {
		var steps []string
		more := 0
		if n := len(rec.Twins.Screens); n > 0 {
			steps, more = way(rec, rec.Twins.Screens[n-1].ID)
		}
		if more > 0 {
			steps = append(steps, fmt.Sprintf("and %s, see record.json", plural(more, "more input", "more inputs")))
		}
		return append(steps, fmt.Sprintf("after %s s: %s", number(rec.Twins.GameSeconds), Plain(input)))
	}
	if thrown == "" {
		return nil
	}
	for _, o := range rec.Twins.Observations {
		if o.Threw == "" || firstLine(o.Threw) != thrown {
			continue
		}
		steps, more := way(rec, o.From)
		if more > 0 {
			steps = append(steps, fmt.Sprintf("and %s, see record.json", plural(more, "more input", "more inputs")))
		}
		return append(steps, fmt.Sprintf("after %s s: %s", number(o.Seconds), Plain(o.Input.String())))
	}
	return nil
}

// screenView is a screen of the game with what leads from it.
type screenView struct {
	ID            int
	Picture       string
	By            string // the input that led to it first
	From          int
	Way           string // how it was reached, where no input led there by itself
	Tried, Offers int
	Leads         []string
}

// screensShown bounds the screens of a report.
const screensShown = 24

// viewScreens are the screens that the search came to, each with a picture where
// one was taken: that of the input that led there.
func viewScreens(rec *record.Record) []screenView {
	if rec.Twins == nil || len(rec.Twins.Screens) < 2 {
		return nil
	}
	var out []screenView
	for _, s := range rec.Twins.Screens {
		if len(out) == screensShown {
			break
		}
		v := screenView{ID: s.ID, Picture: s.Picture, Tried: s.Tried, Offers: s.Offers, From: -1}
		if n := len(s.Prefix); n > 0 {
			v.Way = fmt.Sprintf("after %s, the last %s", plural(n, "input", "inputs"), Plain(s.Prefix[n-1].Input.String()))
		}
		for _, o := range rec.Twins.Observations {
			if o.To == s.ID && o.From != s.ID && v.By == "" {
				v.By, v.From = Plain(o.Input.String()), o.From
				if v.Picture == "" {
					v.Picture = o.After
				}
			}
			if o.From == s.ID && o.Effect() {
				if v.Picture == "" {
					v.Picture = o.Before
				}
				if o.To != s.ID && len(v.Leads) < 6 {
					v.Leads = append(v.Leads, fmt.Sprintf("%s → screen %d", Plain(o.Input.String()), o.To+1))
				}
			}
		}
		if v.Picture == "" && v.By == "" && v.Tried == 0 && len(v.Leads) == 0 {
			continue // come to while playing, and nothing more is known of it
		}
		out = append(out, v)
	}
	return out
}

// chance says in words how likely a difference is when the input did nothing.
func chance(p float64) string {
	switch {
	case p <= 0.01:
		return "hardly chance"
	case p <= 0.05:
		return "probably no chance"
	case p < 0.5:
		return "may be chance"
	}
	return "looks like chance"
}
