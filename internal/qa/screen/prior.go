package screen

import "github.com/playtest-dev/playtest/internal/qa/words"

// Lean says how much earlier, or later, an offer with that label is tried. It
// only orders: without it the same offers are tried.
type Lean func(label string) float64

// ByWords leans on what labels say in the languages that package words knows.
func ByWords(label string) float64 {
	switch words.Of(label) {
	case words.Start:
		return 0.3
	case words.Again, words.Continue:
		return 0.15
	case words.Consent:
		return 0.12
	case words.Aside, words.Paused:
		return -0.3
	}
	switch {
	case words.SaysStart(label):
		return 0.25
	case words.IsChoice(label):
		return 0.1
	}
	return 0
}

func (l Lean) apply(offers []Offer) {
	if l == nil {
		return
	}
	for i := range offers {
		if o := &offers[i]; o.Input.Label != "" && !o.Away {
			o.Prior += l(o.Input.Label)
		}
	}
}

// named leans towards the keys that a text on the screen names.
func (s *Screen) named(l Lean) {
	if l == nil {
		return
	}
	keys := map[string]bool{}
	for _, t := range s.Texts {
		if code, ok := words.NamedKey(t); ok {
			keys[code] = true
		}
	}
	for i := range s.Offers {
		if keys[s.Offers[i].Input.Key] {
			s.Offers[i].Prior = 0.85
		}
	}
}
