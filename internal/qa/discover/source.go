package discover

import (
	"context"
	"regexp"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// AsksForKeys and AsksForPointer match code that wants to hear of an input.
var (
	AsksForKeys    = regexp.MustCompile(`addEventListener\(\s*['"\x60]key(down|up|press)|\bonkey(down|up|press)\s*=|\.(keydown|keyup|keypress)\(|\.on\(\s*['"\x60]key(down|up|press)`)
	AsksForPointer = regexp.MustCompile(`addEventListener\(\s*['"\x60](click|mousedown|mouseup|pointerdown|pointerup|touchstart|mousemove|pointermove|dblclick)|\bon(click|mousedown|pointerdown|mouseup|mousemove)\s*=|\.(click|mousedown)\(\s*(function|\()|\.on\(\s*['"\x60](click|mousedown|pointerdown)`)
)

// Locate turns the offsets of the code that controls reach into lines, with the
// sources as the page has them now, and counts how much of the game's own code
// ran.
func Locate(ctx context.Context, g *game.Game) {
	if g.Code == nil {
		return
	}
	sources := g.Code.Sources(ctx, maxSource)
	byURL := map[string][]coverage.Source{}
	for _, s := range sources {
		byURL[s.URL] = append(byURL[s.URL], s)
	}
	for i := range g.Record.Discover.Controls {
		c := &g.Record.Discover.Controls[i]
		for j := range c.Reaches {
			place := &c.Reaches[j]
			if place.Line > 0 {
				continue
			}
			if list := byURL[place.URL]; len(list) == 1 && place.Column <= len(list[0].Text) {
				place.Line, place.Column = list[0].Position(place.Column)
			} else {
				place.Column = 0 // several inline scripts share the address
			}
		}
	}
	g.Record.Explore.Reach = reach(g, sources)
}

const maxSource = 8 << 20

var functionStart = regexp.MustCompile(`\bfunction\b|=>|\b(?:constructor|get|set|async|static)?\s*[A-Za-z_$][\w$]*\s*\([^()]*\)\s*\{`)

// reach counts functions of the game's own scripts: those that ran, against
// those that the sources hold. The latter is an estimate from the text.
func reach(g *game.Game, sources []coverage.Source) record.Reach {
	var r record.Reach
	seen := g.Seen()
	for _, s := range sources {
		if coverage.IsLibrary(s.URL) {
			r.LibraryScripts++
			continue
		}
		r.OwnScripts++
		total := len(functionStart.FindAllStringIndex(s.Text, -1))
		ran := 0
		if sc := seen[s.Script]; sc != nil {
			ran = len(sc.Functions)
		}
		r.Functions += max(total, ran)
		r.Executed += ran
	}
	return r
}
