package cause_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/record"
)

// code is a sample of one script in which the stretches ran.
func code(spans ...coverage.Span) coverage.Sample {
	return coverage.Sample{coverage.ScriptID{Target: "t", ID: "1"}: {
		URL: "http://game.test/main.js", Ran: spans,
		Functions: []coverage.Function{{Name: "loop", Start: 0, End: 100, Count: 1}, {Name: "jump", Start: 200, End: 260, Count: 1}},
	}}
}

var (
	loop = coverage.Span{Start: 0, End: 100}
	jump = coverage.Span{Start: 200, End: 260}
)

// still is a picture in which nothing changed, but for the tiles given.
func still(changed ...int) []float32 {
	tiles := make([]float32, 50)
	for _, i := range changed {
		tiles[i] = 20
	}
	return tiles
}

// animated is a picture full of motion, by chance.
func animated(rng *rand.Rand, also ...int) []float32 {
	tiles := make([]float32, 50)
	for i := range 20 {
		tiles[i] = 3 + 10*rng.Float32()
	}
	for _, i := range also {
		tiles[i] = 25
	}
	return tiles
}

// windows makes n windows.
func windows(n int, make func(i int) cause.Window) []cause.Window {
	var out []cause.Window
	for i := range n {
		out = append(out, make(i))
	}
	return out
}

func TestCompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	tests := []struct {
		name                         string
		with, without                []cause.Window
		recognised, visible, reacted bool
	}{
		{
			name: "a still game that one key changes",
			with: windows(3, func(int) cause.Window {
				return cause.Window{Code: code(loop, jump), Late: code(loop), Tiles: still(7, 8)}
			}),
			without: windows(4, func(int) cause.Window { return cause.Window{Code: code(loop), Late: code(loop), Tiles: still()} }),

			recognised: true, visible: true,
		},
		{
			name:    "a still game that nothing changes",
			with:    windows(3, func(int) cause.Window { return cause.Window{Code: code(loop), Late: code(loop), Tiles: still()} }),
			without: windows(4, func(int) cause.Window { return cause.Window{Code: code(loop), Late: code(loop), Tiles: still()} }),
		},
		{
			name:    "an animated game that a key changes",
			with:    windows(4, func(int) cause.Window { return cause.Window{Code: code(loop, jump), Tiles: animated(rng, 30, 31)} }),
			without: windows(6, func(int) cause.Window { return cause.Window{Code: code(loop), Tiles: animated(rng)} }),

			recognised: true, visible: true,
		},
		{
			name:    "an animated game that does not care",
			with:    windows(4, func(int) cause.Window { return cause.Window{Code: code(loop), Tiles: animated(rng)} }),
			without: windows(6, func(int) cause.Window { return cause.Window{Code: code(loop), Tiles: animated(rng)} }),
		},
		{
			name:    "a key that stops what moved",
			with:    windows(4, func(int) cause.Window { return cause.Window{Tiles: still()} }),
			without: windows(6, func(int) cause.Window { return cause.Window{Tiles: animated(rng)} }),
			visible: true,
		},
		{
			name:       "code alone, no picture",
			with:       windows(4, func(int) cause.Window { return cause.Window{Code: code(loop, jump)} }),
			without:    windows(4, func(int) cause.Window { return cause.Window{Code: code(loop)} }),
			recognised: true,
		},
		{
			name:       "code in the loop after the input",
			with:       windows(4, func(int) cause.Window { return cause.Window{Code: code(loop, jump), Late: code(loop, jump)} }),
			without:    windows(4, func(int) cause.Window { return cause.Window{Code: code(loop), Late: code(loop)} }),
			recognised: true, reacted: true,
		},
		{
			name:    "code that also runs without",
			with:    windows(4, func(int) cause.Window { return cause.Window{Code: code(loop, jump)} }),
			without: windows(4, func(i int) cause.Window { return cause.Window{Code: code(loop, jump)} }),
		},
		{
			name: "new code once, by chance",
			with: windows(4, func(i int) cause.Window {
				if i == 0 {
					return cause.Window{Code: code(loop, jump)}
				}
				return cause.Window{Code: code(loop)}
			}),
			without: windows(4, func(int) cause.Window { return cause.Window{Code: code(loop)} }),
		},
		{
			name:    "a text that appears each time",
			with:    windows(3, func(int) cause.Window { return cause.Window{Texts: []string{"PAUSED"}, Tiles: still()} }),
			without: windows(4, func(int) cause.Window { return cause.Window{Tiles: still()} }),
			visible: true,
		},
		{
			name:    "a text that comes and goes anyway",
			with:    windows(3, func(int) cause.Window { return cause.Window{Texts: []string{"WAVE #"}, Tiles: still()} }),
			without: windows(4, func(int) cause.Window { return cause.Window{Texts: []string{"WAVE #"}, Tiles: still()} }),
		},
		{
			name:       "a default that is prevented",
			with:       windows(4, func(int) cause.Window { return cause.Window{Prevented: 1, Tiles: still()} }),
			without:    windows(4, func(int) cause.Window { return cause.Window{Tiles: still()} }),
			recognised: true,
		},
		{name: "nothing at all"},
		{
			name: "nothing to compare with",
			with: windows(3, func(int) cause.Window { return cause.Window{Code: code(loop, jump), Tiles: still(3)} }),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := cause.Compare(tt.with, tt.without)
			if e.Recognised != tt.recognised || e.Visible != tt.visible || e.Reacted != tt.reacted {
				t.Errorf("recognised %v, visible %v, reacted %v, want %v, %v, %v: %+v", e.Recognised, e.Visible, e.Reacted, tt.recognised, tt.visible, tt.reacted, e.Signals)
			}
			for _, s := range e.Signals {
				if s.P < 0 || s.P > 1 {
					t.Errorf("%s: p is %v", s.Name, s.P)
				}
			}
		})
	}
}

// TestSpecific: the effect names the code that the input alone reaches.
func TestSpecific(t *testing.T) {
	with := windows(3, func(int) cause.Window { return cause.Window{Code: code(loop, jump)} })
	without := windows(5, func(int) cause.Window { return cause.Window{Code: code(loop)} })
	e := cause.Compare(with, without)
	if n := e.Specific.Size(); n != jump.End-jump.Start {
		t.Errorf("%d characters of code", n)
	}
	places := e.Specific.Places()
	if len(places) != 1 || places[0].Function != "jump" {
		t.Errorf("places %+v", places)
	}
}

// TestFalseAlarms: windows that differ by chance only are told apart from
// cause in nearly all of many tries.
func TestFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const tries = 200
	visible, recognised := 0, 0
	for range tries {
		make := func(int) cause.Window {
			w := cause.Window{Code: code(loop), Tiles: animated(rng), Mutations: rng.IntN(5), Redrawn: true}
			w.Texts = []string{fmt.Sprintf("word %d", rng.IntN(1e6))} // words fall all the time
			if rng.IntN(6) == 0 {
				w.Code = code(loop, jump)
			}
			if rng.IntN(5) == 0 {
				w.Tiles[40+rng.IntN(10)] = 25
			}
			return w
		}
		e := cause.Compare(windows(4, make), windows(8, make))
		if e.Visible {
			visible++
		}
		if e.Recognised {
			recognised++
		}
	}
	if visible > tries/10 || recognised > tries/10 {
		t.Errorf("of %d windows without any cause %d were called visible, %d recognised", tries, visible, recognised)
	}
}

func TestChanged(t *testing.T) {
	for _, tt := range []struct {
		tiles []float32
		want  float64
	}{{nil, 0}, {[]float32{0, 0.5, 0.7, 30}, 0.5}} {
		if got := (cause.Window{Tiles: tt.tiles}).Changed(); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.tiles, got, tt.want)
		}
	}
}

func TestSignalNames(t *testing.T) {
	e := cause.Compare(windows(2, func(int) cause.Window { return cause.Window{Tiles: still(1)} }), windows(3, func(int) cause.Window { return cause.Window{Tiles: still()} }))
	names := map[string]record.Signal{}
	for _, s := range e.Signals {
		names[s.Name] = s
	}
	for _, want := range []string{"code", "picture", "text", "document", "prevented"} {
		if _, ok := names[want]; !ok {
			t.Errorf("no signal %q in %v", want, e.Signals)
		}
	}
	if s := names["picture"]; s.With <= s.Without || s.Detail == "" {
		t.Errorf("picture %+v", s)
	}
}
