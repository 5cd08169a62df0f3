package qa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// derive writes what the twins observed in the words of controls and trials, which
// reports show. The prefix is how they came to the controls that they proved, empty
// where they proved none.
func (r *run) derive(declared []record.Input, prefix []record.Step) {
	t := r.rec.Twins
	pressed := map[string]int{}
	for _, p := range t.Alive.Presses {
		pressed[p.Input] += p.Count
	}
	starts := onTheWay(t.Observations, prefix)
	seen := map[string]bool{}
	for _, o := range t.Observations {
		if o.Stage != "search" || !o.Effect() && o.Reply == 0 || seen[o.Input.String()] {
			continue
		}
		seen[o.Input.String()] = true
		if o.From != o.To && (len(prefix) == 0 || starts[o.Input.String()]) {
			r.rec.Explore.Start.Needed = true
			r.rec.Explore.Start.Started = true
			r.rec.Explore.Start.Attempts = append(r.rec.Explore.Start.Attempts, record.StartAttempt{Gesture: gesture(o.Input), Tier: o.Offer, Effect: true, Hit: true, Proof: difference(o)})
		}
		c := control(o)
		r.rec.Discover.Controls = append(r.rec.Discover.Controls, c)
		outcome := record.Trial{
			ControlID: c.ID, Outcome: record.Responsive, Reason: difference(o), Windows: 1 + len(o.Repeats) + pressed[o.Input.String()], Negatives: 1,
			NegativeControl: "the same moment of the game without the input", Delivered: 1, Visible: true, Reacted: o.Trace || o.Reply > 0,
			Signals: []record.Signal{{Name: record.SignalReplay, With: float64(o.Pixels), Holds: true, Detail: difference(o)}},
			Threw:   o.Threw, Before: o.Before, After: o.After,
		}
		r.rec.Explore.Trials = append(r.rec.Explore.Trials, outcome)
	}
	for _, in := range declared {
		tried := slices.IndexFunc(t.Observations, func(o record.Observation) bool { return o.Stage == "search" && o.Input.String() == in.String() })
		if tried < 0 || seen[in.String()] {
			continue
		}
		seen[in.String()] = true
		o := t.Observations[tried]
		c := control(o)
		r.rec.Discover.Controls = append(r.rec.Discover.Controls, c)
		r.rec.Explore.Trials = append(r.rec.Explore.Trials, record.Trial{
			ControlID: c.ID, Outcome: record.Unresponsive, Reason: "with the input the game looks as it does at the same moment without it", Windows: 1, Negatives: 1,
			NegativeControl: "the same moment of the game without the input", Delivered: 1, Reacted: o.Trace, Threw: o.Threw,
		})
	}
	r.rec.Discover.Hypothesis = hypothesis(r.rec.Explore.Trials, r.rec.Discover.Controls)
	r.rec.Explore.Exhausted = t.Exhausted
	r.rec.Explore.Start.Auto = !r.rec.Explore.Start.Needed
}

// onTheWay names the inputs that led from screen to screen until the one was reached on
// which the last input of the prefix made a difference, which is where the game is played.
// Others that did so opened its settings, won a level or began another round.
func onTheWay(all []record.Observation, prefix []record.Step) map[string]bool {
	// The same input may have been made on several screens. What leads on did so where it
	// was made first, and the last of the way was made last on the screen at its end.
	first, last := map[string]record.Observation{}, map[string]record.Observation{}
	for _, o := range all {
		if o.Stage != "search" || !o.Effect() {
			continue
		}
		name := o.Input.String()
		if _, known := first[name]; !known {
			first[name] = o
		}
		last[name] = o
	}
	names := map[string]bool{}
	if len(prefix) == 0 || len(all) == 0 {
		return names
	}
	played, known := last[prefix[len(prefix)-1].Input.String()]
	if known && played.From == all[0].From {
		return names // on the first screen that there was
	}
	for _, step := range prefix {
		o, ok := first[step.Input.String()]
		if !ok || o.From == o.To {
			continue
		}
		names[step.Input.String()] = true
		if known && o.To == played.From {
			break
		}
	}
	return names
}

// hypothesis is a sentence about how the game is played, as far as was found.
func hypothesis(trials []record.Trial, controls []record.Control) string {
	const most = 6
	var answered []string
	for _, t := range trials {
		i := slices.IndexFunc(controls, func(c record.Control) bool { return c.ID == t.ControlID })
		if i >= 0 && t.Outcome == record.Responsive && len(answered) < most {
			answered = append(answered, controls[i].Description)
		}
	}
	if len(answered) == 0 {
		return ""
	}
	return "Reacts to " + strings.Join(answered, ", ") + "."
}

// gesture is an input as records name it, from which it can be made again.
func gesture(in record.Input) string {
	if in.Kind == record.InputKey {
		return in.Key
	}
	return in.String()
}

func difference(o record.Observation) string {
	if o.Reply > 0 {
		return "it is answered in dialogs, some answers alike and others otherwise"
	}
	return fmt.Sprintf("with the input %d points of the picture differ from the same moment without it", o.Pixels)
}

// control is the control that an input operates.
func control(o record.Observation) record.Control {
	in := o.Input
	c := record.Control{Text: in.Label, Selector: in.Selector, Description: in.String(), Confidence: 1, Sources: []string{o.Offer}}
	switch in.Kind {
	case record.InputKey:
		c.ID, c.Type, c.Keys = "key:"+in.Key, record.ControlKey, []string{in.Key}
		c.Description = record.KeyLabel(in.Key)
		return c
	case record.InputDrag:
		c.ID, c.Type, c.Path = "drag:"+in.String(), record.ControlDrag, in.Path
	case record.InputHover:
		c.ID, c.Type = "hover:"+in.String(), record.ControlHover
	case record.InputType, record.InputSubmit, record.InputCopy:
		c.ID, c.Type = "typing:"+in.String(), record.ControlTyping
	default:
		c.ID, c.Type = "click:"+in.String(), record.ControlClick
	}
	at := in.Begins()
	c.Box = &record.Rect{X: at.X - 8, Y: at.Y - 8, Width: 16, Height: 16}
	return c
}
