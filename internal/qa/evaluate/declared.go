package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// declared says whether each action and axis of the metadata works as a whole,
// critical ones first.
func declared(f facts, controls record.CheckState) []record.DeclaredResult {
	var out []record.DeclaredResult
	for _, b := range f.rec.Target.Metadata.Bindings() {
		r := record.DeclaredResult{Name: b.Name, Kind: b.Kind, Keys: b.Keys, Critical: b.Critical}
		r.Outcome, r.Reason, r.Dead = f.weigh(b)
		if r.Outcome == record.Unresponsive && (controls == record.Unknown || !f.begun(b)) {
			r.Outcome, r.Reason = record.Undecided, "it did nothing, but the game may not have begun: it may wait for a start that was not found"
		}
		out = append(out, r)
	}
	return out
}

// begun reports whether the game was in a state in which a control can be called
// dead: it was seen to start or needs no start, and for keys, it either knows
// other keys or is known to be deaf.
func (f facts) begun(b metadata.Binding) bool {
	if s := f.rec.Explore.Start; s.Needed && !s.Started {
		return false
	}
	if len(b.Keys) == 0 || !f.keyboard.Listens || f.keyboard.Dead() {
		return true
	}
	for _, c := range f.rec.Discover.Controls {
		if c.Type != record.ControlKey {
			continue
		}
		if t := f.trial(c.ID); len(c.Reaches) > 0 || t != nil && t.Outcome == record.Responsive {
			return true
		}
	}
	return false
}

// part is one way to operate a declared control: a direction of an axis, a key
// of an action, the pointer.
type part struct {
	name    string
	outcome record.Outcome
	reason  string
}

const untried = "it was not tried"

// weigh judges the parts of a binding. An action needs one of its keys to work,
// an axis each of its directions.
func (f facts) weigh(b metadata.Binding) (record.Outcome, string, []string) {
	var parts []part
	if b.Kind == metadata.BindAxis {
		for _, d := range b.Directions {
			p := best(f.keys(d.Keys))
			p.name = d.Name
			if labels := keyLabels(d.Keys); labels != d.Name {
				p.name = fmt.Sprintf("%s (%s)", d.Name, labels)
			}
			parts = append(parts, p)
		}
	} else {
		parts = f.keys(b.Keys)
	}
	if b.Pointer {
		parts = append(parts, f.pointed(b.Name))
	}
	if b.AnyKey {
		parts = append(parts, f.anyKey())
	}
	if len(parts) == 0 {
		if b.Gamepad {
			return record.Undecided, "it takes a gamepad, which this machine does not have", nil
		}
		return record.Undecided, "the metadata does not say how it is operated", nil
	}
	var works, dead []string
	for _, p := range parts {
		switch p.outcome {
		case record.Responsive:
			works = append(works, p.name)
		case record.Unresponsive:
			dead = append(dead, p.name)
		}
	}
	all := best(parts)
	switch {
	case len(works) == 0 && len(dead) == len(parts):
		return record.Unresponsive, fmt.Sprintf("%s: %s", strings.Join(dead, ", "), all.reason), nil
	case len(works) == 0:
		return record.Undecided, fmt.Sprintf("%s: %s", all.name, all.reason), nil
	case b.Kind == metadata.BindAxis && len(works)+len(dead) < len(parts):
		return record.Responsive, fmt.Sprintf("it answers to %s; of the rest not enough was seen", strings.Join(works, ", ")), dead
	}
	return record.Responsive, "it answers to " + strings.Join(works, ", "), dead
}

// best is the part that worked, or else the one that is not known to be dead.
func best(parts []part) part {
	rank := map[record.Outcome]int{record.Responsive: 0, record.Undecided: 1, record.Unresponsive: 2}
	return slices.MinFunc(parts, func(a, b part) int { return rank[a.outcome] - rank[b.outcome] })
}

func (f facts) keys(codes []string) []part {
	var out []part
	for _, code := range codes {
		p := f.key(code)
		p.name = record.KeyLabel(code)
		out = append(out, p)
	}
	return out
}

// key says what is known of a key. What a scan of the keyboard found speaks
// for it, too.
func (f facts) key(code string) part {
	reached := slices.ContainsFunc(f.rec.Discover.Controls, func(c record.Control) bool {
		return c.ID == "key:"+code && len(c.Reaches) > 0
	})
	if t := f.trial("key:" + code); t != nil {
		if t.Outcome == record.Unresponsive && reached && t.Threw == "" {
			return part{outcome: record.Undecided, reason: "the game's code knows it, but nothing was seen to change"}
		}
		return part{outcome: t.Outcome, reason: t.Reason}
	}
	letters := f.trial("type:letters")
	switch {
	case strings.HasPrefix(code, "Key") && letters != nil && letters.Outcome == record.Responsive:
		return part{outcome: record.Responsive, reason: "the game takes typed letters"}
	case f.keyboard.Dead():
		return part{outcome: record.Unresponsive, reason: "keys arrive in the page, but the game's key handlers never run"}
	case reached:
		return part{outcome: record.Undecided, reason: "the game's code knows it; it was not tried further"}
	}
	return part{outcome: record.Undecided, reason: untried}
}

func (f facts) anyKey() part {
	p := part{name: "any key", outcome: record.Undecided, reason: untried}
	for _, c := range controlResults(f.rec) {
		if c.Control.Type == record.ControlKey && better(c.Trial.Outcome, p) {
			p.outcome, p.reason = c.Trial.Outcome, c.Trial.Reason
		}
	}
	return p
}

// pointed says what is known of the pointer: of what bears the control's name,
// or of all that can be pointed at.
func (f facts) pointed(name string) part {
	all := part{name: "the pointer", outcome: record.Undecided, reason: untried}
	named := all
	for _, c := range controlResults(f.rec) {
		switch c.Control.Type {
		case record.ControlKey, record.ControlTyping:
			continue
		}
		if strings.EqualFold(strings.TrimSpace(c.Control.Text), name) {
			if better(c.Trial.Outcome, named) {
				named = part{name: c.Control.Description, outcome: c.Trial.Outcome, reason: c.Trial.Reason}
			}
		} else if !c.Control.Aside && better(c.Trial.Outcome, all) {
			all = part{name: c.Control.Description, outcome: c.Trial.Outcome, reason: c.Trial.Reason}
		}
	}
	if named.reason == untried {
		return all
	}
	return named
}

// better reports whether an outcome tells more than what is known so far: that
// something works beats all, and whatever was tried beats what was not.
func better(o record.Outcome, than part) bool {
	if than.reason == untried {
		return true
	}
	return o == record.Responsive && than.outcome != record.Responsive ||
		o == record.Undecided && than.outcome == record.Unresponsive
}

func (f facts) trial(id string) *record.Trial {
	for i := range f.rec.Explore.Trials {
		if t := &f.rec.Explore.Trials[i]; t.ControlID == id {
			return t
		}
	}
	return nil
}

func keyLabels(codes []string) string {
	var out []string
	for _, c := range codes {
		out = append(out, record.KeyLabel(c))
	}
	return strings.Join(out, ", ")
}

// declaredIssues names the controls of the metadata that do not respond: those
// that the author calls critical weigh more, a part of one less.
func declaredIssues(list []record.DeclaredResult, add func(s record.Severity, evidence, format string, args ...any)) {
	for _, d := range list {
		what := fmt.Sprintf("declared %s %q", d.Kind, d.Name)
		if keys := keyLabels(d.Keys); keys != "" {
			what += " (" + keys + ")"
		}
		sev, part := record.Major, record.Minor
		if d.Critical {
			sev, part = record.Critical, record.Major
			what = "critical " + what
		}
		switch {
		case d.Outcome == record.Unresponsive:
			add(sev, d.Reason, "The %s does not respond.", what)
		case len(d.Dead) > 0:
			add(part, d.Reason, "The %s does not respond to %s.", what, strings.Join(d.Dead, ", "))
		}
	}
}

// indicators are all indicators of the metadata with what was measured.
func indicators(rec *record.Record) []record.IndicatorResult {
	m := rec.Target.Metadata
	if m == nil {
		return nil
	}
	var out []record.IndicatorResult
	for i, in := range m.LoadingIndicators {
		r := record.IndicatorResult{Kind: record.IndicatorLoading, Type: in.Type, Text: named(in.Description, in.Selector, in.Pattern, in.Type)}
		what := strings.TrimSpace(in.Selector + " " + in.Pattern)
		switch {
		case i >= len(rec.Load.Indicators):
			r.Detail = "not looked for: the page did not get that far"
		case rec.Load.Indicators[i].Met:
			r.Met, r.Detail = true, fmt.Sprintf("%s was seen by the time the game was ready, %.1f seconds after it was opened", what, rec.Load.ReadyAfter.Seconds())
		default:
			r.Detail = fmt.Sprintf("%s was not seen in %.1f seconds of waiting", what, rec.Load.ReadyAfter.Seconds())
		}
		out = append(out, r)
	}
	for i, in := range m.SuccessIndicators {
		r := record.IndicatorResult{Kind: record.IndicatorSuccess, Type: in.Type, Text: named(in.Description, in.Selector, in.Pattern, in.Type)}
		if i < len(rec.Explore.Indicators) {
			r.Met, r.Detail = rec.Explore.Indicators[i].Met, rec.Explore.Indicators[i].Detail
		} else {
			r.Detail = "not looked for: the game was not played"
		}
		out = append(out, r)
	}
	return out
}

// named is what an indicator is called: what its author calls it, or else what
// is looked for.
func named(description, selector, pattern, kind string) string {
	if description != "" {
		return description
	}
	if s := strings.TrimSpace(selector + " " + pattern); s != "" {
		return strings.ReplaceAll(kind, "_", " ") + " " + s
	}
	return strings.ReplaceAll(kind, "_", " ")
}
