package server

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// Screens are what a run found its way through, as a graph.
type Screens struct {
	Screens []Screen `json:"screens"`
	Moves   []Move   `json:"moves"`
}

// Screen is what a player sees and can do at one moment.
type Screen struct {
	ID int `json:"id"`
	// Offers counts what could be pressed on it, Tried what was.
	Offers int `json:"offers"`
	Tried  int `json:"tried"`
	// Answers counts the inputs that had an effect and stayed on it.
	Answers int `json:"answers"`
	// Picture is the evidence that shows it, where there is some.
	Picture string `json:"picture,omitempty"`
}

// Move leads from one screen to another: the input, or how many of them, or nothing where
// the game goes on by itself.
type Move struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Input string `json:"input"`
}

func (v *results) screens(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	rec, _, err := v.store.Record(r.Context(), run.ID)
	if err != nil {
		return unfinished(err, "record")
	}
	return r.answer(http.StatusOK, screensOf(rec.Twins))
}

// screensOf is the graph of what the twins observed.
func screensOf(t *record.TwinRecord) Screens {
	out := Screens{Screens: []Screen{}, Moves: []Move{}}
	if t == nil {
		return out
	}
	at := map[int]int{} // where each screen is in the list
	for _, k := range t.Screens {
		at[k.ID] = len(out.Screens)
		out.Screens = append(out.Screens, Screen{ID: k.ID, Offers: k.Offers, Tried: k.Tried, Picture: k.Picture})
	}
	moved := map[Move]bool{}
	reached := map[int]bool{} // by an input that was compared
	for _, o := range t.Observations {
		if o.Stage != "search" || !o.Effect() {
			continue
		}
		from, ok := at[o.From]
		to, known := at[o.To]
		if !ok || !known {
			continue
		}
		if out.Screens[from].Picture == "" {
			out.Screens[from].Picture = o.Before
		}
		if o.From == o.To {
			out.Screens[from].Answers++
			continue
		}
		if out.Screens[to].Picture == "" {
			out.Screens[to].Picture = o.After
		}
		m := Move{From: o.From, To: o.To, Input: o.Input.String()}
		reached[o.To] = true
		if !moved[m] {
			moved[m] = true
			out.Moves = append(out.Moves, m)
		}
	}
	for i, k := range t.Screens {
		if m, ok := wayTo(k, t.Screens[:i]); ok && !reached[k.ID] {
			out.Moves = append(out.Moves, m)
		}
	}
	return out
}

// wayTo is how a screen was reached from one of those before it: by what its way there has
// beyond the longest of theirs.
func wayTo(k record.Screen, before []record.Screen) (m Move, ok bool) {
	longest := -1
	for _, b := range before {
		n := len(b.Prefix)
		if n < longest || n > len(k.Prefix) || !slices.EqualFunc(b.Prefix, k.Prefix[:n], sameStep) {
			continue
		}
		longest, ok = n, true
		m = Move{From: b.ID, To: k.ID}
	}
	if !ok {
		return m, false
	}
	switch rest := k.Prefix[longest:]; len(rest) {
	case 0:
		m.Input = "time passes"
	case 1:
		m.Input = rest[0].Input.String()
	default:
		m.Input = fmt.Sprintf("%d inputs", len(rest))
	}
	return m, true
}

func sameStep(a, b record.Step) bool {
	return a.Frame == b.Frame && a.Input.String() == b.Input.String()
}
