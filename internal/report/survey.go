package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// running is how a game runs, on a phone and for everybody.
type running struct {
	Facts    []fact
	Rhythm   template.HTML
	Phone    *phoneView
	Looked   bool // for barriers
	Barriers []barrierView
}

type phoneView struct {
	Width, Height int
	Points        []point
	Picture       string
}

// point is something that is as it should be, or not.
type point struct {
	Good bool
	Text string
}

type barrierView struct {
	Text, Hint string
	Examples   []string
}

// newRunning is nil where nothing of it is known.
func newRunning(rec *record.Record) *running {
	h, s := rec.Health, rec.Survey
	if s == nil {
		s = &record.Survey{}
	}
	v := &running{Looked: s.Barriers != nil}
	if r := s.Frames; r != nil {
		v.Facts = append(v.Facts, fact{"Frames", fmt.Sprintf("%s a second, usually %s ms apart; the longest wait was %s ms", number(r.FPS), number(r.Usual), number(r.Longest))},
			fact{"Hitches", fmt.Sprintf("%s of %d frames came after more than twice the usual time", none(r.Late), len(r.Gaps))})
		v.Rhythm = rhythm(r)
	} else if h.FPS > 0 {
		v.Facts = append(v.Facts, fact{"Frames", number(h.FPS) + " a second"})
	}
	if l := s.Latency; l != nil {
		v.Facts = append(v.Facts, fact{"Input latency", fmt.Sprintf("%s ms from an input to the next picture, at most %s ms, for %s", number(l.Usual), number(l.Longest), plural(l.Inputs, "input", "inputs"))})
	}
	if h.LongTasks.Count > 0 {
		v.Facts = append(v.Facts, fact{"Blocked", fmt.Sprintf("%s, the longest %s: the page takes no input meanwhile", plural(h.LongTasks.Count, "time", "times"), seconds(h.LongTasks.Longest))})
	}
	switch heap := h.Heap; {
	case len(heap) > 1:
		v.Facts = append(v.Facts, fact{"Memory", fmt.Sprintf("%s MB of scripts at first, %s MB in the end, at most %s MB", number(heap[0]), number(heap[len(heap)-1]), number(slices.Max(heap)))})
	case s.HeapMB > 0:
		v.Facts = append(v.Facts, fact{"Memory", number(s.HeapMB) + " MB of scripts in the end"})
	}
	v.Phone = viewPhone(s.Phone)
	for _, b := range s.Barriers {
		v.Barriers = append(v.Barriers, viewBarrier(b))
	}
	if len(v.Facts) == 0 && v.Phone == nil && !v.Looked {
		return nil
	}
	return v
}

func none(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// rhythm draws the distances of frames as bars, late ones in another colour.
func rhythm(r *record.Rhythm) template.HTML {
	gaps := r.Gaps[:min(len(r.Gaps), 300)]
	if len(gaps) < 10 {
		return ""
	}
	// A single hitch must not make all else vanish.
	top := math.Max(4*r.Usual, 1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="rhythm" viewBox="0 0 %d 40" preserveAspectRatio="none" role="img" aria-label="%d frames, the longest wait %.0f milliseconds">`, len(gaps), len(gaps), r.Longest)
	for i, ms := range gaps {
		height := 40 * math.Min(math.Max(ms, 0)/top, 1)
		class := ""
		if ms > 2*r.Usual {
			class = ` class="late"`
		}
		fmt.Fprintf(&b, `<rect%s x="%d" y="%.1f" width=".8" height="%.1f"/>`, class, i, 40-height, height)
	}
	return template.HTML(b.String() + `</svg>`)
}

func viewPhone(p *record.Phone) *phoneView {
	if p == nil {
		return nil
	}
	v := &phoneView{Width: p.Width, Height: p.Height, Picture: picture(p.Picture)}
	add := func(good bool, text string) { v.Points = append(v.Points, point{good, text}) }
	if p.Declares {
		add(true, "The page says how wide it is on a phone.")
	} else {
		add(false, "The page does not say how wide it is on a phone (meta viewport), so phones show it small, as on a desk.")
	}
	if p.Wide > 0 {
		add(false, fmt.Sprintf("It is %s wider than the window: players scroll sideways, or see it small.", plural(p.Wide, "pixel", "pixels")))
	} else {
		add(true, "It is not wider than the window.")
	}
	switch {
	case p.Shown >= 0.99:
		add(true, "All of the game's canvas can be seen.")
	case p.Shown >= 0:
		add(false, fmt.Sprintf("Only %.0f %% of the game's canvas can be seen.", 100*p.Shown))
	}
	if p.Small > 0 {
		add(false, fmt.Sprintf("%s smaller than 24 pixels: hard to hit with a finger.", plural(p.Small, "button or link is", "buttons or links are")))
	}
	switch p.Touch {
	case record.TouchTouch:
		add(true, "It listens to touches.")
	case record.TouchMouse:
		add(true, "It listens to clicks, which taps are too; it does not listen to touches of its own.")
	case record.TouchKeys:
		add(false, "It listens to keys only, which a phone has not.")
	}
	return v
}

// barriers are the kinds of barriers in words: one, many, and what to do.
var barriers = map[string][3]string{
	"language": {"The page does not say in what language it is.", "", "Screen readers read it with the wrong voice. Set lang on the html element."},
	"title":    {"The page has no title.", "", "Set one: it is the first thing that a screen reader says."},
	"zoom":     {"The page forbids zooming.", "", "Leave user-scalable and maximum-scale out of the viewport."},
	"picture":  {"A picture has no text for those who cannot see it.", "%d pictures have no text for those who cannot see them.", `Set alt, or alt="" for decoration.`},
	"name":     {"A button, link or field has no name.", "%d buttons, links or fields have no name.", "Give it a text, a label or an aria-label."},
	"keyboard": {"Something that can be clicked cannot be reached with the keyboard.", "%d things that can be clicked cannot be reached with the keyboard.", "Make it a button, or give it a tabindex and a role."},
	"contrast": {"A text is hard to read: its colour is close to what lies behind it.", "%d texts are hard to read: their colour is close to what lies behind them.", "4.5 to 1 is the least, 3 to 1 for large text."},
	"canvas":   {"The game's canvas has no name, so a screen reader finds nothing.", "%d canvases have no name, so a screen reader finds nothing.", "Give it an aria-label, or a text inside."},
}

func viewBarrier(b record.Barrier) barrierView {
	words, ok := barriers[b.Kind]
	if !ok {
		return barrierView{Text: Plain(b.Kind)}
	}
	v := barrierView{Text: words[0], Hint: words[2]}
	if b.Count > 1 && words[1] != "" {
		v.Text = fmt.Sprintf(words[1], b.Count)
	}
	for _, e := range b.Examples[:min(len(b.Examples), 3)] {
		v.Examples = append(v.Examples, Plain(clipped(e, 80)))
	}
	return v
}

// clipped is a text with at most so many characters.
func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
