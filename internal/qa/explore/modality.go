package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// modalities sums up how keyboard and pointer fared so far.
func (e *Explorer) modalities(ctx context.Context) []record.Modality {
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return nil
	}
	var out []record.Modality
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		els = &probe.Elements{}
	}
	for _, m := range []struct {
		name  string
		types []string
	}{
		{"keyboard", []string{"keydown", "keyup", "keypress"}},
		{"pointer", []string{"mousedown", "mouseup", "click", "pointerdown", "pointerup", "mousemove", "pointermove", "dblclick", "touchstart", "touchend", "dragstart"}},
	} {
		mod := record.Modality{Name: m.name, Ran: r.Reads(m.types...)+r.Prevented(m.types...) > 0}
		mod.Ran = mod.Ran || m.name == "keyboard" && e.g.Record.Discover.AnyKey
		for i, f := range r.Frames {
			heard := func(t string) bool { return f.Hears(t) || i == 0 && handled(els, t) }
			pressed := slices.ContainsFunc(m.types, func(t string) bool { return !isMove(t) && heard(t) })
			// Only what arrived where someone listens can be held against the game.
			for _, t := range m.types {
				if !heard(t) {
					continue
				}
				mod.Listens = true
				mod.Stopped += f.Stopped[t]
				if isMove(t) && pressed {
					// Where a press comes first, moves before it are for nobody.
					mod.Delivered += f.Stopped[t]
					continue
				}
				mod.Delivered += f.Delivered[t]
				if m.name == "pointer" && !isMove(t) {
					mod.Presses += f.Delivered[t]
					mod.StoppedPresses += f.Stopped[t]
				}
			}
		}
		for _, res := range e.all() {
			isKey := res.control.Type == record.ControlKey || res.control.Type == record.ControlTyping
			if isKey != (m.name == "keyboard") {
				continue
			}
			mod.Sent += len(res.windows)
			mod.Ran = mod.Ran || res.trial.Recognised
			if res.trial.Threw != "" {
				mod.Throws++
			}
		}
		if !mod.Listens {
			mod.Delivered = r.Delivered(m.types...)
			if m.name == "pointer" {
				mod.Presses = r.Delivered(slices.DeleteFunc(slices.Clone(m.types), isMove)...)
			}
			mod.Stopped = r.Sum(func(s *probe.State) int { return sum(s.Stopped, m.types) })
			mod.Wanted = !r.Listens(m.types...) && !slices.ContainsFunc(m.types, func(t string) bool { return registered(els, t) }) && e.wants(ctx, m.name)
		}
		for _, a := range e.rec.Start.Attempts {
			if a.Effect && !mod.Wanted && strings.Contains(a.Gesture, "click") == (m.name == "pointer") {
				mod.Ran = true // where nothing listens what followed a gesture was chance
			}
		}
		out = append(out, mod)
	}
	return out
}

// isMove reports whether an event is of a pointer that moves.
func isMove(event string) bool { return strings.HasSuffix(event, "move") }

// deaf reports whether every kind of input that the game listens to is dead. What
// it only asked to listen to counts once each control that can be seen was tried.
func (e *Explorer) deaf(ctx context.Context) bool {
	mods := e.modalities(ctx)
	if e.eachTried && slices.ContainsFunc(mods, unheard) {
		e.knock(ctx)
		mods = e.modalities(ctx)
	}
	asked := 0
	for _, m := range mods {
		if !m.Listens && !(m.Wanted && e.eachTried) {
			continue
		}
		if !m.Dead() {
			return false
		}
		asked++
	}
	return asked > 0
}

// pointless: pointers are not heard, the code knows no key, and neither looking
// nor a replay showed any input to do anything. A start that is clicked will not
// be found.
func (e *Explorer) pointless(ctx context.Context) bool {
	if !e.eachTried || e.rec.Start.Started || len(e.inVain) == 0 || e.knowsKeys() {
		return false
	}
	return slices.ContainsFunc(e.modalities(ctx), func(m record.Modality) bool { return m.Name == "pointer" && m.Dead() })
}

// halfDeaf: one kind of input is not heard, and whatever there is for the other
// did nothing, here and in a replay.
func (e *Explorer) halfDeaf(ctx context.Context) bool {
	return e.allInVain() && slices.ContainsFunc(e.modalities(ctx), record.Modality.Dead)
}

// unheardKeys: keys arrived in the page and no handler of the game ever ran for one.
func (e *Explorer) unheardKeys(ctx context.Context) bool {
	return slices.ContainsFunc(e.modalities(ctx), func(m record.Modality) bool { return m.Name == "keyboard" && m.Dead() })
}

// unheard: the game wants keys and has heard none, of too few to be sure.
func unheard(m record.Modality) bool {
	return m.Name == "keyboard" && m.Wanted && !m.Ran && !m.Dead()
}

// onlyFollows: the game follows the pointer and answered to nothing else.
func (e *Explorer) onlyFollows() bool {
	others := func(r *result) bool {
		return r.trial.Outcome == record.Responsive && !aside(r.control) && r.control.Type != record.ControlHover
	}
	return e.responsive() && !slices.ContainsFunc(e.all(), others)
}

// press clicks here and there in a game that follows the pointer, so that it is
// sure whether presses are heard: title screens follow it, too.
func (e *Explorer) press(ctx context.Context) error {
	const places = 4
	for _, in := range pressesAt(game.Click, over(e.g.Field)[:places]) {
		in.Why = "does the game hear presses, too?"
		if err := e.g.Do(ctx, in, 0); err != nil {
			return e.g.Alive(ctx)
		}
	}
	return nil
}

// knock presses the likely keys, so that it is sure whether they are heard.
func (e *Explorer) knock(ctx context.Context) {
	inputs := make([]game.Input, 0, len(discover.Likely))
	for _, k := range discover.Likely {
		inputs = append(inputs, game.Input{Kind: game.KeyPress, Key: k, Why: "does the game hear any key?"})
	}
	_, _ = e.g.Scan(ctx, inputs, discover.HoldFor) // what did not arrive is not counted
}

// handled reports whether something hears every event of the type by a handler that
// is a property.
func handled(els *probe.Elements, event string) bool {
	return slices.ContainsFunc(probe.HearsAll, func(all string) bool { return slices.Contains(els.Handlers, event+"|"+all) })
}

// registered reports whether anything at all has such a handler, if only a button.
func registered(els *probe.Elements, event string) bool {
	return slices.ContainsFunc(els.Handlers, func(h string) bool { return strings.HasPrefix(h, event+"|") })
}

func sum(m map[string]int, types []string) int {
	n := 0
	for _, t := range types {
		n += m[t]
	}
	return n
}

// wants reports whether the game's own code, in a part that ran, asks for a
// kind of input for which nothing is registered.
func (e *Explorer) wants(ctx context.Context, modality string) bool {
	if e.g.Code == nil || e.playing() {
		return false
	}
	pattern := discover.AsksForKeys
	if modality == "pointer" {
		pattern = discover.AsksForPointer
	}
	return e.ran(ctx, pattern, ownScripts)
}
