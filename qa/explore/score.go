package explore

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"time"

	"playtest"
	"playtest/browser/coverage"
	"playtest/browser/probe"
)

// scoreboard watches the score that a game shows while it is played, and whether
// the code runs that counts it. Who never hits anything has no score to see change.
type scoreboard struct {
	e     *Explorer
	shown indicator
	// counts are the places in the code where a score grows.
	counts map[coverage.ScriptID][]int
	looked time.Time
	// after is how many looks saw the score since it was counted.
	counted bool
	after   int
}

var (
	// counting is a score that grows, in code that was not minified.
	counting = regexp.MustCompile(`(?i)\w*(?:score|points)\w*\s*(?:\+=|\+\+)|\+\+[\w.#]*(?:score|points)|\b(?:add|increase|increment|update)_?(?:score|points)\s*\(`)
	// bygone is a score that this round need not change.
	bygone = regexp.MustCompile(`(?i)best|hi(gh)?\b|hi-?score|record|goal|target|reach|need|total|max`)
)

func newScoreboard(ctx context.Context, e *Explorer) *scoreboard {
	b := &scoreboard{e: e, shown: indicator{SuccessIndicator: playtest.SuccessIndicator{Type: playtest.SuccessScoreChange}, first: map[string]string{}}}
	if e.g.Code == nil {
		return b
	}
	b.counts = map[coverage.ScriptID][]int{}
	for _, src := range e.g.Code.Sources(ctx, 4<<20) {
		for _, at := range counting.FindAllStringIndex(src.Text, 200) {
			b.counts[src.Script] = append(b.counts[src.Script], src.Offset(at[0]))
		}
	}
	return b
}

// look notes what ran since the last look, and what the score is now.
func (b *scoreboard) look(ctx context.Context, ran coverage.Sample) {
	if b.shown.met || len(b.counts) == 0 {
		return
	}
	for script, places := range b.counts {
		for _, at := range places {
			b.counted = b.counted || ran[script] != nil && ran[script].Ran.Contains(at)
		}
	}
	if time.Since(b.looked) < indicateEvery {
		return
	}
	b.looked = time.Now()
	r, err := b.e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return // the next look will tell
	}
	found := b.shown.found
	b.e.lookScore(ctx, &b.shown, element{}, r)
	if b.counted && b.shown.found > found {
		b.after++
	}
}

// stands is the score that stayed as it was, in several looks after it was counted.
func (b *scoreboard) stands() string {
	const looks = 4
	if b.shown.met || b.after < looks {
		return ""
	}
	for _, shape := range slices.Sorted(maps.Keys(b.shown.first)) {
		if text := b.shown.first[shape]; !bygone.MatchString(text) {
			return text
		}
	}
	return ""
}
