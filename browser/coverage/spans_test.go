package coverage

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// width is the length of the sources that the naive bitmaps cover.
const width = 64

func bitmap(s Spans) [width]bool {
	var b [width]bool
	for _, x := range s {
		for i := x.Start; i < x.End; i++ {
			b[i] = true
		}
	}
	return b
}

// wellFormed: ascending, apart, not empty.
func wellFormed(s Spans) bool {
	for i, x := range s {
		if x.Start >= x.End || i > 0 && s[i-1].End > x.Start {
			return false
		}
	}
	return true
}

func TestSpans(t *testing.T) {
	a, b := Spans{{2, 5}, {8, 10}}, Spans{{4, 9}}
	tests := []struct {
		name      string
		got, want Spans
	}{
		{"union", a.Union(b), Spans{{2, 10}}},
		{"union with nothing", a.Union(nil), a},
		{"union of nothing", Spans(nil).Union(b), b},
		{"union of neighbours", Spans{{1, 2}}.Union(Spans{{2, 3}}), Spans{{1, 3}}},
		{"subtract", a.Subtract(b), Spans{{2, 4}, {9, 10}}},
		{"subtract nothing", a.Subtract(nil), a},
		{"subtract all", a.Subtract(Spans{{0, 20}}), nil},
		{"subtract the middle", Spans{{0, 10}}.Subtract(Spans{{2, 3}, {5, 6}}), Spans{{0, 2}, {3, 5}, {6, 10}}},
		{"subtract one from two", Spans{{0, 3}, {4, 8}}.Subtract(Spans{{2, 6}}), Spans{{0, 2}, {6, 8}}},
		{"intersect", a.Intersect(b), Spans{{4, 5}, {8, 9}}},
		{"intersect with nothing", a.Intersect(nil), nil},
		{"in more than none", InMoreThan([]Spans{a, b}, 0), Spans{{2, 10}}},
		{"in more than one", InMoreThan([]Spans{a, b}, 1), Spans{{4, 5}, {8, 9}}},
		{"in more than all", InMoreThan([]Spans{a, b}, 2), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.Equal(tt.got, tt.want) {
				t.Errorf("got %v, want %v", tt.got, tt.want)
			}
		})
	}
	if n := a.Size(); n != 5 {
		t.Errorf("size %d", n)
	}
	for offset, want := range map[int]bool{1: false, 2: true, 4: true, 5: false, 9: true, 10: false} {
		if a.Contains(offset) != want {
			t.Errorf("contains %d: %v", offset, !want)
		}
	}
}

func TestFlatten(t *testing.T) {
	tests := []struct {
		name   string
		ranges []counted
		want   Spans
	}{
		{"nothing", nil, nil},
		{"one function", []counted{{0, 10, true}}, Spans{{0, 10}}},
		{"not run", []counted{{0, 10, false}}, nil},
		{"a branch not taken", []counted{{0, 10, true}, {3, 5, false}}, Spans{{0, 3}, {5, 10}}},
		{"a function that ran in one that did not", []counted{{0, 10, false}, {3, 5, true}}, Spans{{3, 5}}},
		{"three deep", []counted{{0, 20, true}, {2, 18, false}, {5, 10, true}, {6, 7, false}}, Spans{{0, 2}, {5, 6}, {7, 10}, {18, 20}}},
		{"the same place twice: the later decides", []counted{{0, 10, true}, {0, 10, false}}, nil},
		{"ends together", []counted{{0, 10, true}, {4, 10, false}}, Spans{{0, 4}}},
		{"side by side", []counted{{0, 4, true}, {4, 8, true}, {8, 9, false}}, Spans{{0, 8}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := flatten(slices.Clone(tt.ranges)); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// nested makes ranges as V8 does: each within the one before it or beside it.
func nested(rng *rand.Rand, start, end, depth int) []counted {
	out := []counted{{start, end, rng.IntN(2) == 0}}
	for at := start; depth > 0 && at < end; {
		from := at + rng.IntN(end-at)
		to := from + 1 + rng.IntN(end-from)
		out = append(out, nested(rng, from, to, depth-1)...)
		at = to
	}
	return out
}

func FuzzSpans(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var lists []Spans
		var bits [][width]bool
		for range 1 + rng.IntN(5) {
			ranges := nested(rng, 0, 1+rng.IntN(width), 3)
			// The innermost range decides, and the ranges come outermost first.
			var want [width]bool
			for _, r := range ranges {
				for i := r.start; i < r.end; i++ {
					want[i] = r.ran
				}
			}
			got := flatten(ranges)
			if !wellFormed(got) || bitmap(got) != want {
				t.Fatalf("flatten %v gave %v", ranges, got)
			}
			lists, bits = append(lists, got), append(bits, want)
		}
		a, b := lists[0], lists[len(lists)-1]
		x, y := bits[0], bits[len(bits)-1]
		check := func(name string, got Spans, of func(a, b bool) bool) {
			t.Helper()
			var want [width]bool
			for i := range width {
				want[i] = of(x[i], y[i])
			}
			if !wellFormed(got) || bitmap(got) != want {
				t.Errorf("%s of %v and %v gave %v", name, a, b, got)
			}
		}
		check("union", a.Union(b), func(a, b bool) bool { return a || b })
		check("intersection", a.Intersect(b), func(a, b bool) bool { return a && b })
		check("difference", a.Subtract(b), func(a, b bool) bool { return a && !b })
		for i := range width {
			if a.Contains(i) != x[i] {
				t.Errorf("%v contains %d: %v", a, i, !x[i])
			}
		}
		n := rng.IntN(len(lists) + 1)
		got := bitmap(InMoreThan(lists, n))
		for i := range width {
			count := 0
			for _, b := range bits {
				if b[i] {
					count++
				}
			}
			if got[i] != (count > n) {
				t.Errorf("place %d is in %d of %v, InMoreThan %d says %v", i, count, lists, n, got[i])
			}
		}
	})
}

func TestIsLibrary(t *testing.T) {
	tests := map[string]bool{
		"":                                  false,
		"http://game.test/main.js":          false,
		"http://game.test/js/phaser.min.js": true,
		"http://game.test/js/phaser-3.80.1.min.js":    true,
		"http://game.test/phaser-game.js":             false,
		"http://game.test/three.module.js":            true,
		"http://game.test/threes.js":                  false,
		"http://game.test/react.production.min.js":    true,
		"http://game.test/jquery-1.11.0.js?v=2":       true,
		"http://game.test/vendor/anything.js":         true,
		"http://game.test/node_modules/a/b.js":        true,
		"https://cdn.jsdelivr.net/npm/mygame/game.js": true,
		"https://unpkg.com/x.js":                      true,
		"https://notunpkg.com/x.js":                   false,
		"http://game.test/p5.js":                      true,
		"http://game.test/pixi.js":                    true,
		"http://game.test/matter.js":                  true,
		"http://game.test/matters.js":                 false,
		"http://game.test/":                           false,
		"blob:http://game.test/1234":                  false,
		":bad url%":                                   false,
	}
	for url, want := range tests {
		if IsLibrary(url) != want {
			t.Errorf("%q: %v, want %v", url, !want, want)
		}
	}
}

func TestPositions(t *testing.T) {
	// An accented letter is one UTF-16 unit and two bytes, the dragon two and four.
	s := Source{Text: "a\né🐉b\nc", Line: 4, Column: 7}
	for _, tt := range []struct{ units, bytes, line, column int }{
		{0, 0, 5, 8},   // a, in the script's first line
		{1, 1, 5, 9},   // its end
		{2, 2, 6, 1},   // é
		{3, 4, 6, 2},   // the dragon
		{5, 8, 6, 4},   // b
		{7, 10, 7, 1},  // c
		{99, 11, 7, 2}, // beyond the end
	} {
		if got := s.byteOffset(tt.units); got != tt.bytes {
			t.Errorf("unit %d is byte %d, want %d", tt.units, got, tt.bytes)
		}
		if tt.units < 99 {
			if got := s.Offset(tt.bytes); got != tt.units {
				t.Errorf("byte %d is unit %d, want %d", tt.bytes, got, tt.units)
			}
		}
		if line, column := s.Position(tt.units); line != tt.line || column != tt.column {
			t.Errorf("unit %d is at %d:%d, want %d:%d", tt.units, line, column, tt.line, tt.column)
		}
	}
}
