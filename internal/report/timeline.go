package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Bounds of a timeline.
const (
	marksShown  = 160
	markText    = 90 // characters of what a mark says
	thumbsShown = 9  // that fit beside each other
	// slots are the parts of an axis that can be read one by one, slotLines and slotText
	// what is shown of one.
	slots, slotLines, slotText = 48, 4, 90
)

// timeline is everything that happened, on one axis.
type timeline struct {
	Seconds float64
	Ticks   []mark // of the axis
	Thumbs  []thumb
	Rows    []row
	Pulse   template.HTML // how much of the picture changed
	Slots   []slot
}

// slot is a stretch of the axis with what happened in it, for whoever moves along it.
type slot struct {
	When  string
	Lines []string
	More  int // lines that are not shown
}

// mark is a moment or a stretch of the axis, in percent of its length.
type mark struct {
	At, Width float64
	Text      string
	Class     string
}

type row struct {
	Name  string
	Marks []mark
	More  int
}

type thumb struct {
	At            float64
	Path, Caption string
}

// newTimeline puts what has a time onto one axis, from the beginning of the run or
// of the first thing that happened to the end of the last.
func newTimeline(rep *record.Report, rec *record.Record, console []line, network []request) *timeline {
	var first, last time.Time
	span := func(from time.Time, d time.Duration) {
		if from.IsZero() {
			return
		}
		if first.IsZero() || from.Before(first) {
			first = from
		}
		if end := from.Add(d); end.After(last) {
			last = end
		}
	}
	for _, p := range rec.Phases {
		span(p.Started, p.Duration)
	}
	for _, s := range rep.Screenshots {
		span(s.Time, 0)
	}
	for _, a := range rep.Metadata.ActionHistory {
		span(a.Time, time.Duration(a.Took*float64(time.Second)))
	}
	for _, r := range network {
		span(r.Start, min(r.Took, time.Minute))
	}
	for _, l := range console {
		span(l.Time, 0)
	}
	total := last.Sub(first)
	if first.IsZero() || total <= 0 || total > 24*time.Hour {
		return nil
	}
	t := &timeline{Seconds: total.Seconds(), Ticks: ticks(total)}
	at := func(when time.Time) float64 {
		return share(when.Sub(first).Seconds(), total.Seconds())
	}
	width := func(d time.Duration) float64 {
		return math.Min(math.Max(100*d.Seconds()/total.Seconds(), 0.15), 100)
	}
	var phases, inputs, errors, said, requests []mark
	for _, p := range rec.Phases {
		phases = append(phases, mark{at(p.Started), width(p.Duration), fmt.Sprintf("%s: %s", p.Phase, seconds(p.Duration)), "phase"})
	}
	for _, a := range rep.Metadata.ActionHistory {
		inputs = append(inputs, mark{at(a.Time), width(0), Plain(fmt.Sprintf("%.1f s: %s", a.Time.Sub(first).Seconds(), stepName(a))), "input"})
	}
	for _, l := range console {
		m := mark{at(l.Time), width(0), Plain(fmt.Sprintf("%.1f s: %s", l.Time.Sub(first).Seconds(), l.Text)), ""}
		if l.Bad() {
			m.Class = "error"
			errors = append(errors, m)
		} else {
			said = append(said, m)
		}
	}
	if len(console) == 0 {
		for _, e := range rep.Metadata.ConsoleErrors {
			if !e.Time.IsZero() {
				errors = append(errors, mark{at(e.Time), width(0), Plain(e.Text), "error"})
			}
		}
	}
	for _, r := range network {
		class := "request"
		if r.Failed() {
			class = "error"
		}
		requests = append(requests, mark{at(r.Start), width(r.Took), fmt.Sprintf("%s: %s, %s", r.Name, size(r.Bytes), seconds(r.Took)), class})
	}
	t.row("phases", phases)
	t.row("network", requests)
	t.row("inputs", inputs)
	t.row("frames", drawn(rec, at, width))
	t.row("errors", errors)
	t.row("console", said)
	t.Thumbs = thumbs(rep.Screenshots, first, at)
	t.Pulse = pulse(rec.Health.Samples)
	t.slice()
	return t
}

// drawn are the stretches in which a page drew evenly, and the waits between them.
func drawn(rec *record.Record, at func(time.Time) float64, width func(time.Duration) float64) []mark {
	if rec.Survey == nil || rec.Survey.Frames == nil || rec.Survey.Frames.Began.IsZero() {
		return nil
	}
	r := rec.Survey.Frames
	var out []mark
	now, from, frames := r.Began, r.Began, 0
	even := func() {
		if frames > 0 {
			out = append(out, mark{at(from), width(now.Sub(from)), fmt.Sprintf("%s, usually %s ms apart", plural(frames, "frame", "frames"), number(r.Usual)), "request"})
		}
		frames = 0
	}
	for _, ms := range r.Gaps {
		took := time.Duration(math.Min(math.Max(ms, 0), 60_000) * float64(time.Millisecond))
		if ms > 2*r.Usual {
			even()
			out = append(out, mark{at(now), width(took), fmt.Sprintf("no frame for %s ms", number(ms)), "error"})
			from = now.Add(took)
		} else {
			frames++
		}
		now = now.Add(took)
	}
	even()
	return out
}

// share is a part of a whole in percent, to a hundredth.
func share(part, whole float64) float64 {
	return math.Round(10_000*math.Min(math.Max(part/whole, 0), 1)) / 100
}

// row adds a row with its marks in order, if it has any.
func (t *timeline) row(name string, marks []mark) {
	if len(marks) == 0 {
		return
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.At, b.At) })
	r := row{Name: name, Marks: marks}
	if len(marks) > marksShown { // some of all of it, rather than all of its beginning
		r.Marks, r.More = make([]mark, marksShown), len(marks)-marksShown
		for i := range r.Marks {
			r.Marks[i] = marks[i*len(marks)/marksShown]
		}
	}
	for i := range r.Marks {
		r.Marks[i].Text = clipped(r.Marks[i].Text, markText)
	}
	t.Rows = append(t.Rows, r)
}

// slice parts the axis into slots. What lasts is told where it begins.
func (t *timeline) slice() {
	t.Slots = make([]slot, slots)
	for i := range t.Slots {
		t.Slots[i].When = fmt.Sprintf("%.1f to %.1f s", t.Seconds*float64(i)/slots, t.Seconds*float64(i+1)/slots)
	}
	for _, r := range t.Rows {
		for _, m := range r.Marks {
			s := &t.Slots[min(int(m.At*slots/100), slots-1)]
			if len(s.Lines) < slotLines {
				s.Lines = append(s.Lines, r.Name+": "+clipped(m.Text, slotText))
			} else {
				s.More++
			}
		}
	}
}

// thumbs are some of the pictures, spread over the run.
func thumbs(shots []record.Screenshot, first time.Time, at func(time.Time) float64) []thumb {
	shots = slices.Clone(shots)
	slices.SortStableFunc(shots, func(a, b record.Screenshot) int { return a.Time.Compare(b.Time) })
	var out []thumb
	for i, s := range shots {
		// Those that would lie over the one before are left out, except the last.
		if n := len(out); n > 0 && at(s.Time)-out[n-1].At < 100/thumbsShown {
			if i < len(shots)-1 {
				continue
			}
			out = out[:n-1]
		}
		caption := strings.ReplaceAll(s.Stage, "_", " ")
		if s.Note != "" {
			caption = s.Note
		}
		out = append(out, thumb{at(s.Time), s.Path, fmt.Sprintf("%.1f s: %s", s.Time.Sub(first).Seconds(), Plain(caption))})
	}
	return out
}

// ticks are about six round moments of an axis.
func ticks(total time.Duration) []mark {
	step := total.Seconds() / 6
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, round := range []float64{1, 2, 5, 10} {
		if round*power >= step {
			step = round * power
			break
		}
	}
	var out []mark
	for s := 0.0; s <= total.Seconds() && len(out) < 12; s += step {
		out = append(out, mark{At: 100 * s / total.Seconds(), Text: number(s) + " s"})
	}
	return out
}

func stepName(a record.ReportedAction) string {
	what := targetName(a.Target)
	if !strings.HasPrefix(what, a.Kind+" ") { // many targets name it already
		what = strings.TrimSpace(a.Kind + " " + what)
	}
	return what
}

// size writes a number of bytes.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// loading is where the time until a game is ready went.
type loading struct {
	Parts   []part
	Files   int
	Bytes   int64
	Failed  int
	Largest []request
}

// part is a stretch of loading, in percent of all of it.
type part struct {
	Name, Time, Note string
	From, Width      float64
}

// newLoading splits the time until the game was ready; nil where it was not measured.
func newLoading(rec *record.Record, network []request) *loading {
	ready := rec.Load.ReadyAfter
	if ready <= 0 {
		return nil
	}
	l := &loading{Largest: largest(network)}
	add := func(name string, from, to time.Duration, note string) {
		from, to = max(from, 0), min(to, ready)
		if to <= from {
			return
		}
		l.Parts = append(l.Parts, part{name, seconds(to - from), note, 100 * from.Seconds() / ready.Seconds(), 100 * (to - from).Seconds() / ready.Seconds()})
	}
	if len(network) > 0 {
		begin := network[0].Start
		answered := network[0].Took
		var arrived time.Duration
		for _, r := range network {
			if from := r.Start.Sub(begin); from <= ready {
				l.Files++
				l.Bytes += r.Bytes
				arrived = max(arrived, from+r.Took)
				if r.Failed() {
					l.Failed++
				}
			}
		}
		add("the page arrives", 0, answered, "")
		add("its files arrive", answered, arrived, fmt.Sprintf("%s, %s", plural(l.Files, "file", "files"), size(l.Bytes)))
	}
	for _, s := range rec.Load.Signals {
		switch s.Name {
		case "scripts settled":
			add("its scripts begin to run", 0, s.After, "until no long task was under way")
		case "painting":
			if s.Held {
				add("until the first picture", 0, s.After, "")
			}
		}
	}
	slices.SortStableFunc(l.Parts, func(a, b part) int {
		if a.From+a.Width < b.From+b.Width {
			return -1
		}
		return 1
	})
	if rec.Load.Ready {
		add("until it is ready", 0, ready, "")
	} else {
		add("it was waited for", 0, ready, "and did not get ready")
	}
	return l
}
