package qa_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/record"
)

// remembered is a run with a memory, and what it took until a control was shown
// to work.
type remembered struct {
	*record.Record
	report *record.Report
	inputs int
}

// attempts are the gestures that were to start the game, of a tier.
func (r remembered) attempts(tier string) (tried, worked int) {
	for _, a := range r.Explore.Start.Attempts {
		if a.Tier != tier {
			continue
		}
		tried++
		if a.Effect {
			worked++
		}
	}
	return tried, worked
}

// library is where games are played with a book.
type library struct {
	browser *browser.Browser
	server  *games.Server
	book    *knowledge.Book
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	return &library{launch(t.Context(), t), serve(t.Context(), t), knowledge.Open(&knowledge.Ram{}, nil)}
}

func (l *library) play(t *testing.T, url string) remembered {
	t.Helper()
	rec, rep, err := qa.Run(t.Context(), l.browser, record.Target{URL: url, Seed: 1, MaxDuration: 4 * time.Minute, Play: brief}, &qa.Options{Book: l.book})
	if err != nil {
		t.Fatal(err)
	}
	r := remembered{Record: rec, report: rep}
	for _, o := range rec.Twins.Observations {
		if r.inputs++; o.Effect() && o.Input.Keyed() {
			break
		}
	}
	return r
}

// offered are the habits that would be tried first.
func (l *library) offered(t *testing.T, print knowledge.Fingerprint, purpose knowledge.Purpose) []string {
	t.Helper()
	offers, err := l.book.Offers(context.Background(), print, knowledge.Situation{}, purpose)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range offers {
		if o.Confidence > decide.KnowledgeThreshold {
			out = append(out, o.Says)
		}
	}
	return out
}

// print is what the only game of the book is recognised by.
func (l *library) print(t *testing.T) knowledge.Fingerprint {
	t.Helper()
	entries, err := l.book.Entries(context.Background())
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries (%v), want one", len(entries), err)
	}
	return entries[0].Print
}

// memoryDays is within how many days each game is played that is not what the book
// says; that what is known comes first is seen every day, and the others need its book.
const memoryDays = 3

// TestMemory plays a game again and again: what is known of it, rightly or
// wrongly, saves time and changes no verdict.
func TestMemory(t *testing.T) {
	l := newLibrary(t)
	t.Run("what is known comes first", l.knownFirst)
	t.Run("broken by now", l.brokenByNow)
	t.Run("misled", l.misled)
}

// knownFirst: what started the game and what it answered to is tried first the second time:
// the start before what the screen suggests, the control before the keyboard is
// asked. Everything else is still found out.
func (l *library) knownFirst(t *testing.T) {
	url := l.server.URL("crates", 1)
	first := l.play(t, url)
	if tried, _ := first.attempts(adapt.TierKnown); tried > 0 {
		t.Errorf("%d known starts before anything was known", tried)
	}
	known := l.offered(t, l.print(t), knowledge.Control)
	if !slices.ContainsFunc(known, func(id string) bool { return strings.HasPrefix(id, "key:Arrow") }) {
		t.Fatalf("after the first run the controls %v are known, want an arrow among them", known)
	}
	second := l.play(t, url)
	t.Logf("%d inputs until a key had an effect, then %d", first.inputs, second.inputs)
	// The search may have begun before the game was recognised.
	const soon = 8
	if seen := second.Twins.Observations; !slices.ContainsFunc(seen[:min(len(seen), soon)], func(o record.Observation) bool { return slices.Contains(known, "key:"+o.Input.Key) }) {
		t.Errorf("none of the known controls %v is among the first that were tried", known)
	}
	if a := second.Explore.Start.Attempts; len(first.Explore.Start.Attempts) > 0 && (len(a) == 0 || a[0].Tier != adapt.TierKnown || !a[0].Effect || a[0].Proof == "" || len(a) > len(first.Explore.Start.Attempts)) {
		t.Errorf("the starts are %+v, the first time %+v; want the known one first, with its proof", a, first.Explore.Start.Attempts)
	}
	if a, b := keys(first.Record), keys(second.Record); !slices.Equal(a, b) {
		t.Errorf("the keys %v were found, the first time %v", b, a)
	}
	for _, trial := range second.Explore.Trials {
		if trial.Outcome == record.Responsive && (trial.Negatives == 0 || trial.NegativeControl == "" || len(trial.Signals) == 0) {
			t.Errorf("taken for granted: %+v", trial)
		}
	}
	if first.report.Status != record.Pass || second.report.Status != record.Pass {
		t.Errorf("%s, then %s (%s)", first.report.Status, second.report.Status, second.report.Summary)
	}
}

// keys are those that the game's code knows.
func keys(rec *record.Record) []string {
	var out []string
	for _, c := range rec.Discover.Controls {
		if c.Type == record.ControlKey && slices.Contains(c.Sources, "coverage") {
			out = append(out, c.ID)
		}
	}
	slices.Sort(out)
	return out
}

// brokenByNow: a game that is known well and is broken by now fails.
func (l *library) brokenByNow(t *testing.T) {
	every(t, memoryDays, 0)
	dead := l.play(t, l.server.FaultURL("crates", fault.ID("keys-swallowed", 1), 1))
	if dead.report.Status != record.Fail || dead.report.Check(record.ControlsResponsive).State != record.Disproven {
		t.Errorf("a game with dead controls that worked once: %s (%s)", dead.report.Status, dead.report.Summary)
	}
}

// misled: what is wrongly known changes no verdict, and what leads nowhere is
// offered once.
func (l *library) misled(t *testing.T) {
	print := l.forget(t, "127.0.0.1/crates/")
	action := func(purpose knowledge.Purpose, a decide.Action) knowledge.Lesson {
		do, err := decide.Memorise(a, record.Rect{})
		if err != nil {
			t.Fatal(err)
		}
		return knowledge.Lesson{Purpose: purpose, Do: do, Says: string(a.Kind) + " " + a.Label + strings.Join(a.Keys, ""), Worked: true}
	}
	press := func(key string) knowledge.Lesson {
		return action(knowledge.Starting, decide.Action{Kind: decide.Keypress, Keys: []string{key}})
	}
	control := func(do string) knowledge.Lesson {
		var c struct{ Control string }
		_ = json.Unmarshal([]byte(do), &c) // what is damaged has no name
		return knowledge.Lesson{Purpose: knowledge.Control, Do: json.RawMessage(do), Says: c.Control, Worked: true}
	}
	for i, poison := range []struct {
		name    string
		lessons []knowledge.Lesson
		starts  int // known ones that are tried in vain
		gone    []string
	}{
		{"starts", []knowledge.Lesson{press("KeyQ"), press("KeyE"), press("KeyY")}, 2, []string{"keypress KeyQ", "keypress KeyE"}},
		{"controls", []knowledge.Lesson{
			action(knowledge.Starting, decide.Action{Kind: decide.Click, At: &record.Point{}, Label: "Clock in"}),
			control(`{"control":"no such thing"}`), control(`"damaged"`), control(`{"control":"key:KeyQ"}`),
		}, 0, []string{"key:KeyQ"}},
	} {
		t.Run(poison.name, func(t *testing.T) {
			every(t, memoryDays, 1+i)
			if err := l.book.Learn(t.Context(), print, poison.lessons); err != nil {
				t.Fatal(err)
			}
			r := l.play(t, l.server.URL("crates", 1))
			if r.report.Status != record.Pass {
				t.Errorf("misled: %s (%s)", r.report.Status, r.report.Summary)
			}
			if tried, worked := r.attempts(adapt.TierKnown); tried-worked != poison.starts {
				t.Errorf("%d known starts were tried and %d worked, want %d in vain", tried, worked, poison.starts)
			}
			for _, trial := range r.Explore.Trials {
				if trial.ControlID == "key:KeyQ" {
					t.Errorf("what was only believed to be a control is in the report: %+v", trial)
				}
			}
			left := append(l.offered(t, print, knowledge.Starting), l.offered(t, print, knowledge.Control)...)
			for _, says := range poison.gone {
				if slices.Contains(left, says) {
					t.Errorf("%s is still offered", says)
				}
			}
			l.forget(t, "127.0.0.1/crates/")
		})
	}
}

// forget empties the book and returns what the game at a site is recognised by.
func (l *library) forget(t *testing.T, site string) (print knowledge.Fingerprint) {
	t.Helper()
	entries, err := l.book.Entries(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Print.Site == site {
			print = e.Print
		}
		if _, err := l.book.Forget(context.Background(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	return print
}
