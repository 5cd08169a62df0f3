package discover

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
)

// Likely are the keys that most games use, Unlikely the others that some do,
// Leaving those that leave a game for its menu and are better asked for last.
var (
	Likely = []string{
		"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space", "Enter", "KeyA", "KeyD", "KeyW", "KeyS", "KeyZ", "KeyX",
	}
	Unlikely = []string{
		"KeyC", "KeyQ", "KeyE", "KeyR", "KeyF", "ShiftLeft",
		"KeyJ", "KeyK", "KeyL", "KeyI", "KeyH", "KeyN", "KeyB", "KeyV", "KeyG", "KeyT", "KeyY", "KeyU", "KeyO",
		"Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "ControlLeft", "Backspace", "KeyM", "KeyP",
	}
	Leaving = []string{"Escape"}
)

// steering is how many of the likely keys, the first ones, steer most games.
const steering = 5

// Unbound are keys that no game binds: what runs for them runs for any key.
var Unbound = []string{"F8", "F9", "Insert", "ScrollLock"}

// Keys is what a scan of the keyboard found.
type Keys struct {
	// Recognised keys with the code that runs for them and for no unbound key.
	Recognised map[string]coverage.Sample
	// Order lists the recognised keys as they were tried.
	Order []string
	// Typing: code runs for every letter alike, as in a game of words.
	Typing bool
	// Any: code runs for keys that no game binds and not without a key, so
	// there is a handler that runs for every key.
	Any bool
	// Risky keys led away from the page.
	Risky []string
	Tried int
}

// sharedBy is how many keys may share a piece of code before it counts as code
// for any key: four arrows, their letters and a fire key do.
const sharedBy = 9

// arrows share code in most games, however few keys are asked for.
const arrows = 4

// HoldFor is how long a key is down in a scan, about two frames.
const HoldFor = 25 * time.Millisecond

// ScanKeys asks the game's code which keys it knows. Each key is pressed
// briefly; code that ran for it and for no unbound key, twice, is code that
// knows the key.
func ScanKeys(ctx context.Context, g *game.Game, keys []string) (Keys, error) {
	out := Keys{Recognised: map[string]coverage.Sample{}, Tried: len(keys)}
	hold := holdFor(ctx, g)
	first, risky, err := scan(ctx, g, keys, hold)
	out.Risky = risky
	if err != nil {
		return out, err
	}
	candidates := candidates(first)
	out.Typing, out.Any = typing(first), anyKey(first)
	if len(candidates) == 0 {
		return out, nil
	}
	var again []string
	for _, k := range keys {
		if candidates[k] != nil && !slices.Contains(out.Risky, k) {
			again = append(again, k)
		}
	}
	second, err := g.Scan(ctx, interleave(again, 3), hold)
	if err == nil && game.Left(second) {
		err = comeBack(ctx, g)
	}
	if err != nil {
		return out, err
	}
	unbound := background(second)
	for _, w := range second {
		c := candidates[w.Input]
		if c == nil {
			continue
		}
		if both := c.Intersect(w.Code).Subtract(unbound); !both.Empty() {
			out.Recognised[w.Input] = both
			out.Order = append(out.Order, w.Input)
		}
	}
	return out, nil
}

// holdFor is how long a key is down in this game's scan: two of its frames at least.
func holdFor(ctx context.Context, g *game.Game) time.Duration {
	r, err := g.Read(ctx, nil)
	if err != nil {
		return HoldFor
	}
	return min(max(HoldFor, 2*r.Rhythm()), 250*time.Millisecond)
}

// maxRisky is how many keys may lead away before the keyboard is left alone.
const maxRisky = 4

// scan presses the keys. Where one leads away from the game, the game is opened
// again and the others are pressed, all of them: what ran in the document that is
// gone cannot be compared with what runs in this one.
func scan(ctx context.Context, g *game.Game, keys []string, hold time.Duration) (windows []cause.Window, risky []string, err error) {
	for {
		windows, err = g.Scan(ctx, interleave(keys, 8), hold)
		if err != nil || !game.Left(windows) {
			return windows, risky, err
		}
		key := windows[len(windows)-1].Input
		if err := comeBack(ctx, g); err != nil {
			return nil, risky, err
		}
		if isUnbound(key) {
			return nil, risky, nil // any key leads away, or none was needed
		}
		risky = append(risky, key)
		keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
		if len(risky) == maxRisky {
			return nil, risky, nil
		}
	}
}

// comeBack opens the game again unless a key only loaded it afresh.
func comeBack(ctx context.Context, g *game.Game) error {
	if g.Page.URL() != g.Record.Load.URL {
		g.Decide("come back", "a key led to "+g.Page.URL(), 0.8)
		if err := g.Reload(ctx); err != nil {
			return err
		}
	}
	return load.Wait(ctx, g)
}

// interleave puts idling and unbound keys between the keys, one every n.
func interleave(keys []string, n int) []game.Input {
	why := "ask the code which keys it knows"
	var out []game.Input
	neg := 0
	negative := func() {
		out = append(out, unboundKey(neg))
		neg++
	}
	out = append(out, game.Input{Kind: game.Idle}, game.Input{Kind: game.Idle})
	negative()
	for i, k := range keys {
		if i%n == n/2 {
			negative()
		}
		out = append(out, game.Input{Kind: game.KeyPress, Key: k, Why: why})
	}
	negative()
	out = append(out, game.Input{Kind: game.Idle})
	return out
}

// unboundKey is the n-th input that nothing listens to.
func unboundKey(n int) game.Input {
	return game.Input{Kind: game.KeyPress, Key: Unbound[n%len(Unbound)], Why: "an input that nothing listens to, for comparison"}
}

func isUnbound(input string) bool { return input == "" || slices.Contains(Unbound, input) }

// background is the code that ran with no input or an unbound key.
func background(ws []cause.Window) coverage.Sample {
	out := coverage.Sample{}
	for _, w := range ws {
		if isUnbound(w.Input) {
			out.Union(w.Code)
		}
	}
	return out
}

// candidates are keys with code of their own, which few other keys share.
func candidates(ws []cause.Window) map[string]coverage.Sample {
	unbound := background(ws)
	own := map[string]coverage.Sample{}
	var specific []coverage.Sample
	for _, w := range ws {
		if isUnbound(w.Input) {
			continue
		}
		s := w.Code.Subtract(unbound)
		own[w.Input] = s
		specific = append(specific, s)
	}
	common := ranInMoreThan(specific, min(sharedBy, max(arrows, len(specific)*3/4)))
	common.Union(characters(ws))
	out := map[string]coverage.Sample{}
	for k, s := range own {
		if rest := s.Subtract(common); !rest.Empty() {
			out[k] = rest
		}
	}
	return out
}

// characters is the code that ran for every key which writes something. The
// browser sends an event of its own for these, and an engine may listen to it
// whether or not the game does.
func characters(ws []cause.Window) coverage.Sample {
	var written []coverage.Sample
	for _, w := range ws {
		if w.Input == "Space" || w.Input == "Enter" || isLetter(w.Input) {
			written = append(written, w.Code)
		}
	}
	if len(written) < leastLetters {
		return coverage.Sample{}
	}
	return ranInMoreThan(written, len(written)-1)
}

func isLetter(input string) bool { return len(input) == 4 && input[:3] == "Key" }

// leastLetters is how many keys must have been asked for before what they share
// means anything.
const leastLetters = 6

// anyKey: some code runs for most unbound keys and never while idle.
func anyKey(ws []cause.Window) bool {
	idle := coverage.Sample{}
	for _, w := range ws {
		if w.Input == "" {
			idle.Union(w.Code)
		}
	}
	var unbound []coverage.Sample
	for _, w := range ws {
		if slices.Contains(Unbound, w.Input) {
			unbound = append(unbound, w.Code.Subtract(idle))
		}
	}
	return !ranInMoreThan(unbound, len(unbound)/2).Empty()
}

// typing: some code of the game itself runs for nearly every letter and for no
// unbound key.
func typing(ws []cause.Window) bool {
	unbound := background(ws)
	var letters []coverage.Sample
	for _, w := range ws {
		if isLetter(w.Input) {
			letters = append(letters, w.Code.Own().Subtract(unbound))
		}
	}
	if len(letters) < leastLetters {
		return false
	}
	return !ranInMoreThan(letters, len(letters)*3/4).Empty()
}

// ranInMoreThan is the code that more than n of the samples ran.
func ranInMoreThan(samples []coverage.Sample, n int) coverage.Sample {
	out := coverage.Sample{}
	if n < 0 || len(samples) <= n {
		return out
	}
	ids := map[coverage.ScriptID]string{}
	for _, s := range samples {
		for id, sc := range s {
			ids[id] = sc.URL
		}
	}
	for id, url := range ids {
		var all []coverage.Spans
		for _, s := range samples {
			if sc := s[id]; sc != nil {
				all = append(all, sc.Ran)
			}
		}
		if ran := coverage.InMoreThan(all, n); len(ran) > 0 {
			out[id] = &coverage.Script{URL: url, Ran: ran}
		}
	}
	return out
}
