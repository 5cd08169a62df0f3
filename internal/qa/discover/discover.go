// Package discover is phase 2 of a run: it finds out what a player can operate.
// Elements in every frame and shadow root, things painted on canvases, objects
// of the engine's scene, and the keys that the game's code knows.
package discover

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// Run fills the record's discover part from the page as it stands. A game that
// visibly waits for its start is not typed at, nor is one that any key begins: its
// keys are asked for after that.
func Run(ctx context.Context, g *game.Game) error {
	g.Phase = record.PhaseDiscover
	if err := Inventory(ctx, g); err != nil {
		return err
	}
	// Nor is a slow one that shows what can be hit: asking for keys takes long there.
	shows := slices.ContainsFunc(g.Record.Discover.Controls, func(c record.Control) bool { return slices.Contains(c.Sources, "engine") })
	if !g.Record.Load.RequiresInteraction && !(shows && g.Slow()) {
		began, err := wake(ctx, g)
		if err == nil && !began {
			err = Keyboard(ctx, g)
		}
		if err != nil {
			return err
		}
	}
	Finish(ctx, g)
	return nil
}

// Inventory lists pointer targets, instructions and inputs that this machine
// cannot give.
func Inventory(ctx context.Context, g *game.Game) error {
	rec := &g.Record.Discover
	r, err := g.Read(ctx, nil)
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return gone
		}
		return err
	}
	els, err := g.Probe.Elements(ctx, g.Page, browser.Point(g.Rect.Center()))
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return gone
		}
		return err
	}
	engine, _ := g.Probe.Engine(ctx, g.Page) // an engine that cannot be asked has no objects
	keep := rec.Controls[:0]
	for _, c := range rec.Controls {
		letters := c.Type == record.ControlTyping && c.Box == nil // a field is listed again if it is still there
		if c.Type == record.ControlKey || letters || c.Declared != "" {
			keep = append(keep, c)
		}
	}
	rec.Controls = keep
	declared(g.Record)
	for _, c := range pointerTargets(g, r, els, engine) {
		add(rec, c)
	}
	rec.Instructions = instructions(r, els)
	rec.Coverage = g.Code != nil
	rec.WASM = r.Sum(func(s *probe.State) int { return s.WASM }) > 0
	rec.Unsupported = nil
	for what, n := range map[string]int{
		"a gamepad":     r.Sum(func(s *probe.State) int { return s.Gamepads }),
		"a microphone":  r.Sum(func(s *probe.State) int { return s.Media }),
		"motion sensor": r.Sum(func(s *probe.State) int { return s.Motion }),
	} {
		if n > 0 {
			rec.Unsupported = append(rec.Unsupported, what)
		}
	}
	sort.Strings(rec.Unsupported)
	return nil
}

// slowScan is how long the likely keys may take if the others are to be asked for, too.
const slowScan = 6 * time.Second

// Keyboard scans the likely keys and, where they bring little, the others.
func Keyboard(ctx context.Context, g *game.Game) error {
	began := time.Now()
	found, err := Ask(ctx, g, Likely)
	if err != nil || found >= 2 || time.Since(began) > slowScan {
		return err
	}
	_, err = Ask(ctx, g, Unlikely)
	return err
}

// Ask scans keys, if anything on the page listens to keys at all, lists those
// that the game's code knows and says how many they are.
func Ask(ctx context.Context, g *game.Game, list []string) (found int, err error) {
	rec := &g.Record.Discover
	if g.Code == nil || !ListensToKeys(g.Record.Load.Listens) {
		return 0, nil
	}
	keys, err := ask(ctx, g, list)
	if err != nil {
		return 0, err
	}
	rec.KeysTried += keys.Tried
	rec.AnyKey = rec.AnyKey || keys.Any
	for _, k := range keys.Order {
		specific := keys.Recognised[k]
		c := record.Control{
			ID: "key:" + k, Type: record.ControlKey, Keys: []string{k}, Confidence: 0.9,
			Description: "the key " + record.KeyLabel(k), Sources: []string{"coverage"}, Reaches: Reaches(specific),
		}
		add(rec, c)
	}
	if keys.Typing {
		add(rec, record.Control{ID: "type:letters", Type: record.ControlTyping, Confidence: 0.7, Description: "typing letters", Sources: []string{"coverage"}})
	}
	return len(keys.Order), nil
}

// ask scans keys. Where each question takes long, those that steer most games
// come first, and if the code knows any of them the others are not asked for.
func ask(ctx context.Context, g *game.Game, list []string) (Keys, error) {
	if !g.Slow() || len(list) <= steering {
		return ScanKeys(ctx, g, list)
	}
	first, err := ScanKeys(ctx, g, list[:steering])
	if err != nil || len(first.Order) > 0 {
		return first, err
	}
	rest, err := ScanKeys(ctx, g, list[steering:])
	rest.Any, rest.Tried, rest.Risky = rest.Any || first.Any, rest.Tried+first.Tried, append(first.Risky, rest.Risky...)
	return rest, err
}

// ListensToKeys reports whether a key event is among the types listened to.
func ListensToKeys(types []string) bool {
	return slices.Contains(types, "keydown") || slices.Contains(types, "keyup") || slices.Contains(types, "keypress")
}

// Reaches turns code into places for the report, at most three.
func Reaches(s coverage.Sample) []record.CodePlace {
	var out []record.CodePlace
	for _, p := range s.Places() {
		if len(out) == 3 {
			break
		}
		out = append(out, record.CodePlace{Function: p.Function, URL: p.URL, Column: p.Start, Library: p.Library})
	}
	return out
}

// Finish writes the hypothesis and keeps the picture with the controls outlined.
func Finish(ctx context.Context, g *game.Game) {
	Summarise(g)
	rec := &g.Record.Discover
	g.Decide("hypothesis", rec.Hypothesis, 0.7)
	png, err := g.Page.Screenshot(ctx, nil)
	if err != nil {
		return
	}
	if outlined, err := Outline(png, rec.Controls); err == nil {
		g.Keep("controls", "phase2-controls", rec.Hypothesis, outlined)
	}
}

// Summarise puts the surest controls first and words the hypothesis. It is
// done again at the end, because keys are found while the game is played.
func Summarise(g *game.Game) {
	rec := &g.Record.Discover
	sort.SliceStable(rec.Controls, func(i, j int) bool {
		a, b := rec.Controls[i], rec.Controls[j]
		if (a.Declared != "") != (b.Declared != "") {
			return a.Declared != ""
		}
		return a.Confidence > b.Confidence
	})
	rec.Hypothesis = hypothesis(rec.Controls)
}

// add merges a control into the list: the same control found twice becomes
// surer.
func add(rec *record.DiscoverRecord, c record.Control) {
	for i := range rec.Controls {
		have := &rec.Controls[i]
		if have.ID != c.ID {
			continue
		}
		for _, s := range c.Sources {
			if !slices.Contains(have.Sources, s) {
				have.Sources = append(have.Sources, s)
			}
		}
		have.Confidence = max(have.Confidence, c.Confidence)
		if have.Reaches == nil {
			have.Reaches = c.Reaches
		}
		if have.Box == nil {
			have.Box = c.Box
		}
		return
	}
	// A page may hold any number of elements, but they must leave room for its keys.
	if c.Box == nil || targets(rec.Controls) < maxTargets {
		rec.Controls = append(rec.Controls, c)
	}
}

const maxTargets = 160

// targets counts the controls that have a place on the screen.
func targets(controls []record.Control) int {
	n := 0
	for _, c := range controls {
		if c.Box != nil {
			n++
		}
	}
	return n
}

// declared adds the controls of the metadata.
func declared(rec *record.Record) {
	m := rec.Target.Metadata
	if m == nil {
		return
	}
	for _, b := range m.Bindings() {
		for _, k := range b.Keys {
			add(&rec.Discover, record.Control{
				ID: "key:" + k, Type: record.ControlKey, Keys: []string{k}, Confidence: 1, Declared: b.Name, Critical: b.Critical,
				Description: fmt.Sprintf("%s (key %s)", b.Name, record.KeyLabel(k)), Sources: []string{"metadata"},
			})
		}
	}
}

func instructions(r *probe.Reading, els *probe.Elements) []string {
	var out []string
	take := func(s string) {
		if s = strings.Join(strings.Fields(s), " "); words.IsHowTo(s) && len(out) < 8 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, t := range r.Texts() {
		take(t.Text)
	}
	for _, t := range els.Texts {
		take(t.Text)
	}
	return out
}

func hypothesis(controls []record.Control) string {
	var keys, promised, targets []string
	typing, drag := false, false
	for _, c := range controls {
		switch c.Type {
		case record.ControlKey:
			if c.Declared != "" && !slices.Contains(c.Sources, "coverage") {
				promised = append(promised, record.KeyLabel(c.Keys[0]))
			} else {
				keys = append(keys, record.KeyLabel(c.Keys[0]))
			}
		case record.ControlTyping:
			typing = true
		case record.ControlDrag:
			drag = true
		case record.ControlClick:
			if c.Text != "" && len(targets) < 4 {
				targets = append(targets, fmt.Sprintf("%q", c.Text))
			}
		}
	}
	var parts []string
	for _, list := range []struct {
		says string
		keys []string
	}{{"reacts to the keys ", keys}, {"is declared to take the keys ", promised}} {
		if len(list.keys) > 10 {
			list.keys = append(list.keys[:10], "...")
		}
		if len(list.keys) > 0 {
			parts = append(parts, list.says+strings.Join(list.keys, ", "))
		}
	}
	if typing {
		parts = append(parts, "takes typed letters")
	}
	if len(targets) > 0 {
		parts = append(parts, "has "+strings.Join(targets, ", ")+" to click")
	}
	if drag {
		parts = append(parts, "has things to drag")
	}
	if len(parts) == 0 {
		return "No control was found yet; the usual keys and clicks will be tried."
	}
	s := strings.Join(parts, "; ")
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
