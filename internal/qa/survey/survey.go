// Package survey notes what a game's page is like beside the checks: how evenly it
// draws, how soon after an input, how it fits a phone, and what keeps people out who
// cannot see or use all of it. It finds nothing out about whether a game can be played.
package survey

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

//go:embed watch.js
var watchScript string

//go:embed barriers.js
var barriersScript string

//go:embed phone.js
var phoneScript string

const (
	// maxGaps bounds the frames that are noted: five seconds of them.
	maxGaps = 300
	// maxFrames bounds the documents of a page that are looked at.
	maxFrames = 8
	// phoneWidth and phoneHeight are a usual phone held upright, in CSS pixels.
	phoneWidth, phoneHeight = 390, 844
)

var watching = strings.ReplaceAll(watchScript, "MOST", strconv.Itoa(maxGaps))

// Watch begins to note what a page draws and how soon after inputs. A document that
// cannot be watched is not.
func Watch(ctx context.Context, p *browser.Page) {
	for _, f := range frames(p) {
		_ = f.EvaluateIsolated(ctx, watching, nil)
	}
}

// Watched ends what Watch began, and says what was seen; nil for what was not.
func Watched(ctx context.Context, p *browser.Page) (*record.Rhythm, *record.Latency) {
	var gaps, inputs []float64
	for i, f := range frames(p) {
		var seen struct{ Gaps, Inputs []float64 }
		if err := f.EvaluateIsolated(ctx, `self[Symbol.for('playtest.survey')]?.() || {}`, &seen); err != nil {
			continue
		}
		// Documents of one page are drawn together.
		if i == 0 {
			gaps = seen.Gaps
		}
		inputs = append(inputs, seen.Inputs...)
	}
	return Rhythm(gaps), Latency(inputs)
}

// Sample watches a page for half a second and says how it drew; nil when it did not.
func Sample(ctx context.Context, p *browser.Page) *record.Rhythm {
	Watch(ctx, p)
	const pass = `new Promise((done) => { setTimeout(done, 700); let n = 0; (function frame() { n++ < 30 ? requestAnimationFrame(frame) : done() })() })`
	_ = p.MainFrame().EvaluateIsolated(ctx, pass, nil) // what was seen until then counts
	frames, _ := Watched(ctx, p)
	return frames
}

// Rhythm sums up the distances of frames, in milliseconds; nil for fewer than ten.
func Rhythm(gaps []float64) *record.Rhythm {
	gaps = slices.DeleteFunc(slices.Clone(gaps[:min(len(gaps), maxGaps)]), func(ms float64) bool { return !(ms > 0) || math.IsInf(ms, 0) })
	if len(gaps) < 10 {
		return nil
	}
	r := &record.Rhythm{Usual: median(gaps), Gaps: gaps, Longest: slices.Max(gaps)}
	sum := 0.0
	for _, ms := range gaps {
		sum += ms
		if ms > 2*r.Usual {
			r.Late++
		}
	}
	r.FPS = tenth(1000 * float64(len(gaps)) / sum)
	return r
}

// Latency sums up how long inputs took to be drawn, in milliseconds; nil for none.
func Latency(inputs []float64) *record.Latency {
	inputs = slices.DeleteFunc(slices.Clone(inputs), func(ms float64) bool { return !(ms >= 0) || math.IsInf(ms, 0) })
	if len(inputs) == 0 {
		return nil
	}
	return &record.Latency{Inputs: len(inputs), Usual: median(inputs), Longest: slices.Max(inputs)}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func tenth(v float64) float64 { return math.Round(10*v) / 10 }

// Barriers are what keeps people out of a page, in all its documents; nil when nobody
// could look.
func Barriers(ctx context.Context, p *browser.Page) []record.Barrier {
	var all []record.Barrier
	for _, f := range frames(p) {
		var found []record.Barrier
		if err := f.EvaluateIsolated(ctx, barriersScript, &found); err != nil {
			continue
		}
		if all == nil {
			all = []record.Barrier{}
		}
		for _, b := range found {
			if i := slices.IndexFunc(all, func(had record.Barrier) bool { return had.Kind == b.Kind }); i >= 0 {
				all[i].Count += b.Count
				continue
			}
			if b.Count > 0 && len(all) < 20 {
				b.Examples = b.Examples[:min(len(b.Examples), 3)] // a page may have changed what we run in it
				all = append(all, b)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b record.Barrier) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// Phone gives the page the window of a phone, which it keeps, and says how it fits, with
// a picture. It is the last thing to do with a page.
func Phone(ctx context.Context, p *browser.Page) (*record.Phone, []byte, error) {
	params := map[string]any{
		"width": phoneWidth, "height": phoneHeight, "screenWidth": phoneWidth, "screenHeight": phoneHeight, "deviceScaleFactor": 1, "mobile": true,
	}
	if err := p.Session().Call(ctx, "Emulation.setDeviceMetricsOverride", params, nil); err != nil {
		return nil, nil, fmt.Errorf("make the window that of a phone: %w", err)
	}
	out := &record.Phone{Width: phoneWidth, Height: phoneHeight}
	if err := p.MainFrame().EvaluateIsolated(ctx, phoneScript, out); err != nil {
		return nil, nil, fmt.Errorf("see how the page fits a phone: %w", err)
	}
	png, err := p.Screenshot(ctx, nil)
	if err != nil {
		return out, nil, fmt.Errorf("take a picture of it: %w", err)
	}
	return out, png, nil
}

// Touch says with what a page can be used, by the events that it listens to.
func Touch(listens []string) string {
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(listens, func(event string) bool {
			return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(event, prefix) })
		})
	}
	switch {
	case has("touch", "pointer"):
		return record.TouchTouch
	case has("mouse", "click", "dblclick"):
		return record.TouchMouse
	case has("key"):
		return record.TouchKeys
	}
	return ""
}

func frames(p *browser.Page) []*browser.Frame {
	all := p.Frames()
	return all[:min(len(all), maxFrames)]
}
