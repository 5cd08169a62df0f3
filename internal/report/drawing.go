package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Drawings are built from numbers only, so nothing a page says can get into
// their markup.

// ring draws a score from 0 to 100 as an arc.
func ring(score float64, class string) template.HTML {
	const r = 44.0
	around := 2 * math.Pi * r
	share := math.Min(math.Max(score, 0), 100) / 100
	switch class {
	case "good", "bad", "open":
	default:
		class = "open"
	}
	return template.HTML(fmt.Sprintf(
		`<svg class="ring %s" viewBox="0 0 100 100" role="img" aria-label="%.0f of 100">`+
			`<circle cx="50" cy="50" r="44" class="track"/>`+
			`<circle cx="50" cy="50" r="44" class="arc" stroke-dasharray="%.1f %.1f" transform="rotate(-90 50 50)"/>`+
			`<text x="50" y="57" text-anchor="middle">%.0f</text></svg>`,
		class, score, share*around, around, score))
}

// bars draws a reading with the input above the reading without it.
func bars(s record.Signal) template.HTML {
	top := math.Max(math.Abs(s.With), math.Abs(s.Without))
	if top == 0 || math.IsNaN(top) || math.IsInf(top, 0) {
		top = 1
	}
	width := func(v float64) float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0
		}
		return 100 * math.Abs(v) / top
	}
	return template.HTML(fmt.Sprintf(
		`<svg class="bars" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect class="with" y="0" height="6" width="%.1f"/><rect class="without" y="8" height="6" width="%.1f"/></svg>`,
		width(s.With), width(s.Without)))
}

// pulse draws how much of the picture changed over the run, with the times at
// which input was sent marked below.
func pulse(samples []record.HealthSample) template.HTML {
	if len(samples) < 3 {
		return ""
	}
	const w, h = 600.0, 60.0
	end := samples[len(samples)-1].At.Seconds()
	if end <= 0 {
		return ""
	}
	var most float64
	for _, s := range samples {
		most = math.Max(most, s.Changed)
	}
	if most == 0 {
		most = 1
	}
	var line, acting strings.Builder
	for i, s := range samples {
		x := w * s.At.Seconds() / end
		fmt.Fprintf(&line, "%.1f,%.1f ", x, h-(h-4)*s.Changed/most)
		if s.Acting {
			from := 0.0
			if i > 0 {
				from = w * samples[i-1].At.Seconds() / end
			}
			fmt.Fprintf(&acting, `<rect class="acting" x="%.1f" y="62" height="5" width="%.1f"/>`, from, math.Max(x-from, 1))
		}
	}
	return template.HTML(fmt.Sprintf(
		`<svg class="pulse" viewBox="0 0 600 68" preserveAspectRatio="none" role="img" aria-label="change of the picture over %.0f seconds">`+
			`<polyline points="%s"/>%s</svg>`, end, strings.TrimSpace(line.String()), acting.String()))
}
