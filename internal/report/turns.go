package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/playtest-dev/playtest/record"
)

// turnView is a turn of a model, or of the layers around one, that played the live
// page: what was on the screen, what was thought of it, what was done and what came
// of it.
type turnView struct {
	Number int
	At     string // time since the run began
	Who    string // decided
	Sure   string
	Saw    string
	Why    string
	What   string // was decided
	Did    []step
	URL    string // where the page was, where that is another address than before
	Came   string
	Before string          // the picture of the screen, with Spots on it
	Spots  [][]record.Spot // of each action
	After  string
	Others []record.Decision // what other layers said
}

// Bounds of what the page tells of turns; the log has everything.
const (
	turnsShown = 60
	turnWords  = 800
)

// The layers that are none of those that are asked in turn: measured is what was found
// against a model's word.
const (
	agentLayer = "agent"
	measured   = "measured"
)

// viewTurns are the turns of whoever played the live page with thought; more counts those
// that are not shown, and shown names the pictures that are.
func viewTurns(rec *record.Record, address string) (turns []turnView, more int, shown map[string]bool) {
	shown = map[string]bool{}
	groups := groupTurns(rec)
	for i, g := range groups {
		for _, a := range g.actions {
			shown[a.Picture] = true
		}
		if i >= turnsShown {
			continue
		}
		v := g.view(rec)
		v.Number = i + 1
		for _, a := range g.actions {
			if a.URL != address && v.URL == "" {
				v.URL, address = Plain(a.URL), a.URL
			}
		}
		turns = append(turns, v)
		shown[v.Before] = shown[v.Before] || i > 0 // the first is that of another part of the story
	}
	delete(shown, "")
	return turns, len(groups) - len(turns), shown
}

// turn is what is recorded of one.
type turn struct {
	decisions []record.Decision
	actions   []record.Action
}

// groupTurns sorts decisions and actions into turns. An agent decides once in each; layers
// are asked in their order, until one is sure enough.
func groupTurns(rec *record.Record) []turn {
	var decisions []record.Decision
	for _, d := range rec.Decisions {
		if d.Layer != "" {
			decisions = append(decisions, d)
		}
	}
	var actions []record.Action
	for _, a := range rec.Actions {
		if a.URL != "" { // it was a model's, or that of the layers
			actions = append(actions, a)
		}
	}
	slices.SortStableFunc(decisions, func(a, b record.Decision) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(actions, func(a, b record.Action) int { return a.Time.Compare(b.Time) })
	var out []turn
	last := 0 // the number of the layer that spoke last
	next := 0
	until := func(t time.Time, all bool) {
		for next < len(actions) && (all || actions[next].Time.Before(t)) {
			if len(out) == 0 {
				out = append(out, turn{})
			}
			now := &out[len(out)-1]
			now.actions = append(now.actions, actions[next])
			next++
		}
	}
	for _, d := range decisions {
		until(d.Time, false)
		number := layerNumber(d.Layer)
		begins := len(out) == 0 || number == 0 && d.Layer == agentLayer || number > 0 && number <= last
		if begins || d.Layer != measured && len(out[len(out)-1].actions) > 0 {
			out, last = append(out, turn{}), 0
		}
		last = max(last, number)
		now := &out[len(out)-1]
		now.decisions = append(now.decisions, d)
	}
	until(time.Time{}, true)
	return out
}

// layerNumber is the place of a layer among those that are asked, 0 for what is none.
func layerNumber(layer string) int {
	var n int
	if _, err := fmt.Sscanf(layer, "%d ", &n); err != nil {
		return 0
	}
	return n
}

func (g turn) began() time.Time {
	var at time.Time
	if len(g.decisions) > 0 {
		at = g.decisions[0].Time
	}
	if len(g.actions) > 0 && (at.IsZero() || g.actions[0].Time.Before(at)) {
		at = g.actions[0].Time
	}
	return at
}

func (g turn) view(rec *record.Record) turnView {
	began := g.began()
	v := turnView{At: since(began.Sub(rec.Started))}
	for _, s := range rec.Screenshots {
		if !s.Time.After(began) && picture(s.Path) != "" {
			v.Before = s.Path
		}
	}
	chosen := -1
	for i, d := range g.decisions {
		if d.Saw != "" {
			v.Saw = words(d.Saw)
		}
		if d.Layer == measured {
			v.Came = words(d.Why)
			continue
		}
		chosen = i
	}
	for i, d := range g.decisions {
		switch {
		case i == chosen:
			v.Who, v.Why, v.What = layerName(d.Layer), words(d.Why), words(d.What)
			if d.Confidence > 0 {
				v.Sure = fmt.Sprintf("%.0f %% sure", d.Confidence*100)
			}
			if d.Confidence > 0 && d.Threshold > 0 {
				v.Sure += fmt.Sprintf(", more than %.0f %% needed", d.Threshold*100)
			}
		case d.Layer != measured:
			d.Layer, d.What, d.Why = layerName(d.Layer), words(d.What), words(d.Why)
			v.Others = append(v.Others, d)
		}
	}
	if strings.HasPrefix(v.Why, "it failed: ") { // no thought, but what became of asking
		v.Came, v.Why = v.Why, ""
	}
	g.did(&v)
	return v
}

// did adds what was done and what came of it.
func (g turn) did(v *turnView) {
	var came []string
	for i, a := range record.Reported(g.actions) {
		if v.Why == "" {
			v.Why = words(a.Reasoning)
		}
		if a.Error != "" {
			came = append(came, "it could not be done: "+words(a.Error))
		}
		if a.Effect != "" && !slices.Contains(came, words(a.Effect)) {
			came = append(came, words(a.Effect))
		}
		a.Target, a.URL, a.Effect = words(a.Target), "", "" // the others are told apart
		v.Did = addStep(v.Did, a)
		v.Spots = append(v.Spots, g.actions[i].At)
		if a.Picture != "" {
			v.After = a.Picture
		}
	}
	switch {
	case len(came) > 0:
		v.Came = words(strings.Join(came, "; "))
	case len(g.actions) > 0 && v.Came == "":
		v.Came = "nothing that was looked at changed"
	}
}

// layerName is a layer without its number, "" where there is only one.
func layerName(layer string) string {
	if layer == agentLayer {
		return ""
	}
	if layerNumber(layer) > 0 {
		_, layer, _ = strings.Cut(layer, " ")
	}
	return Plain(layer)
}

// words are what somebody said, as long as is read on a page.
func words(s string) string {
	if most := 8 * turnWords; len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	s = Plain(s)
	if utf8.RuneCountInString(s) <= turnWords {
		return s
	}
	return string([]rune(s)[:turnWords]) + "…"
}

// marks draws over a picture where a pointer acted: a ring for a place, and for a drag
// the way between two. It is built from numbers only.
func marks(actions [][]record.Spot) template.HTML {
	var ways, rings strings.Builder
	for _, spots := range actions {
		var points []string
		for i, s := range spots {
			if !(s.X >= 0 && s.X <= 1 && s.Y >= 0 && s.Y <= 1) {
				continue
			}
			points = append(points, fmt.Sprintf("%.4f,%.4f", s.X, s.Y))
			if i == 0 || i == len(spots)-1 {
				fmt.Fprintf(&rings, `<i class="hit" style="left:%.2f%%;top:%.2f%%"></i>`, 100*s.X, 100*s.Y)
			}
		}
		if len(points) > 1 {
			way := strings.Join(points, " ")
			fmt.Fprintf(&ways, `<path class="halo" d="M%[1]s"/><path d="M%[1]s"/>`, way)
		}
	}
	if ways.Len() == 0 {
		return template.HTML(rings.String())
	}
	return template.HTML(`<svg class="outline" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">` + ways.String() + `</svg>` + rings.String())
}

// player says who played the live page with thought.
func player(rec *record.Record) string {
	if rec.Explore.Agent != nil {
		return "the agent"
	}
	return "adaptive play"
}

// stops say why an agent ended.
var stops = map[string]string{
	"closed": "it ended the task itself", "steps": "its turns were used up", "time": "its time was up", "tokens": "its tokens were used up",
	"money": "its budget was used up", "hook": "it was told to end", "loop": "it went round in circles", "silent": "it called no tool any more", "aborted": "it was stopped",
	"model": "no model answered", "page": "the page was gone", "replayed": "it did what was known to work",
}

// stopped is why an agent ended, in words.
func stopped(stop string) string {
	if text := stops[stop]; text != "" {
		return text
	}
	return Plain(stop)
}
