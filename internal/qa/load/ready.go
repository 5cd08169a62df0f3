package load

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// The readiness signals, in the order of reports.
const (
	signalCanvas      = "canvas exists"
	signalPainting    = "painting"
	signalNetwork     = "network idle"
	signalNoLoading   = "no loading text"
	signalInteractive = "document interactive"
	signalSettled     = "scripts settled"
	signalIndicators  = "custom indicators"
)

var signalNames = []string{signalCanvas, signalPainting, signalNetwork, signalNoLoading, signalInteractive, signalSettled, signalIndicators}

// needed is how many of the seven signals must hold.
const needed = 4

// waiter waits until a game is ready.
type waiter struct {
	g    *game.Game
	rec  *record.LoadRecord
	meta *metadata.Metadata

	held     map[string]string // signal -> detail
	since    map[string]time.Duration
	painted  bool
	looked   time.Time
	active   string // what the page had done at the last look
	activeAt time.Time
	quiet    time.Time
	started  time.Time

	fresh              int // characters of code that had run at the last stir
	freshAt, calmSince time.Time
}

// wait polls until the game is ready, nothing more happens, or time is up. Not
// becoming ready is a warning: what there is will be played.
func (w *waiter) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ReadyLimit)
	defer cancel()
	w.since = map[string]time.Duration{}
	w.activeAt, w.started = time.Now(), time.Now()
	silent := 0
	for !w.g.Reloads() {
		r, err := w.g.Read(ctx, nil)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			if silent++; silent >= 2 {
				if gone := w.g.Alive(ctx); gone != nil {
					w.finish(false)
					return gone
				}
			}
		} else {
			silent = 0
			if w.look(ctx, r) {
				w.finish(true)
				return nil
			}
			if w.stuck(r) || w.blank(r) || w.known() {
				break
			}
		}
		w.g.Pause(ctx, pollEvery)
		if ctx.Err() != nil {
			break
		}
	}
	w.finish(false)
	w.g.Emit(record.EventWarning, "the game did not become ready; playing what there is")
	return nil
}

// known reports whether waiting would bring nothing: the twins know the game, and
// nothing is on its way to the page.
func (w *waiter) known() bool {
	select {
	case <-w.g.Known:
		notePending(w.g)
		return len(w.rec.Pending) == 0
	default:
		return false
	}
}

const pollEvery = 80 * time.Millisecond

func (w *waiter) finish(ready bool) {
	w.rec.Ready, w.rec.ReadyAfter = ready, w.g.SinceLoad()
	notePending(w.g)
	w.rec.Signals = nil
	for _, name := range signalNames {
		detail, held := w.held[name]
		s := record.ReadySignal{Name: name, Held: held, Detail: detail}
		if held {
			s.After = w.since[name]
		}
		w.rec.Signals = append(w.rec.Signals, s)
	}
}

// notePending writes down what the page still waits for.
func notePending(g *game.Game) {
	rec := &g.Record.Load
	rec.Pending = nil
	for _, q := range g.Page.Log().Requests() {
		if underWay(q) && essential(q) && len(rec.Pending) < maxPending {
			rec.Pending = append(rec.Pending, q.Type+" "+q.URL)
		}
	}
}

const maxPending = 8

// look evaluates the seven signals and reports whether the game is there.
func (w *waiter) look(ctx context.Context, r *probe.Reading) bool {
	w.held = map[string]string{}
	hold := func(name, detail string) {
		w.held[name] = detail
		if _, ok := w.since[name]; !ok {
			w.since[name] = w.g.SinceLoad()
		}
	}
	log := w.g.Page.Log()
	doc := documentOf(r)

	canvases := 0
	for _, c := range r.Canvases() {
		if c.Shown && c.W*c.H > 0 {
			canvases++
		}
	}
	waitsForCanvas := canvases == 0 && r.Sum(func(s *probe.State) int { return s.Contexts["failed:webgl"] }) > 0
	if canvases > 0 {
		hold(signalCanvas, fmt.Sprintf("%d", canvases))
	} else if doc == "complete" && !waitsForCanvas {
		hold(signalCanvas, "none needed")
	}
	if doc == "interactive" || doc == "complete" {
		hold(signalInteractive, doc)
	}
	if log.InFlight() > 0 {
		w.quiet = time.Time{}
	} else if w.quiet.IsZero() {
		w.quiet = time.Now()
	}
	if !w.quiet.IsZero() && time.Since(w.quiet) > networkIdle {
		hold(signalNetwork, "")
	}
	if settled(r) {
		hold(signalSettled, "")
	}
	els, err := w.g.Probe.Elements(ctx, w.g.Page, centre(w.g))
	if err != nil {
		els = &probe.Elements{}
	}
	w.rec.LoadingText = sayingLoading(r, els)
	if w.rec.LoadingText == "" {
		hold(signalNoLoading, "")
	}
	if w.indicators(ctx, r) {
		hold(signalIndicators, "")
	}
	if !w.painted && time.Since(w.looked) > 200*time.Millisecond && doc != "loading" {
		w.looked = time.Now()
		if p := w.g.PictureOf(ctx, w.g.Shown()); p != nil {
			uniform, _ := p.Uniform()
			w.painted = !uniform
		}
	}
	if w.painted {
		hold(signalPainting, "")
	}
	return len(w.held) >= needed && w.there(ctx, els)
}

// there decides from the signals that hold, when enough of them do, whether the game
// can be played.
func (w *waiter) there(ctx context.Context, els *probe.Elements) bool {
	_, interactive := w.held[signalInteractive]
	_, settledNow := w.held[signalSettled]
	_, network := w.held[signalNetwork]
	_, indicated := w.held[signalIndicators]
	if w.meta != nil && len(w.meta.LoadingIndicators) > 0 && !indicated {
		return false
	}
	if !interactive || !w.painted {
		return false
	}
	// Some pages keep the word on the screen for ever. When nothing is being
	// loaded any more, it is a text like others.
	if w.rec.LoadingText != "" && (!network || time.Since(w.started) < loadingPatience) {
		return false
	}
	if els.Lid != nil && !words.SaysStart(els.Lid.Text) && time.Since(w.started) < lidPatience {
		return false
	}
	// A request that never ends, such as a stream, must not hold up a game that is there.
	late := time.Since(w.started) > 6*time.Second
	return (network || late) && (settledNow || late) && w.calm(ctx)
}

// calm reports that the game has not run code of its own for the first time
// for a moment: it has come to the end of loading and shows its first screen.
func (w *waiter) calm(ctx context.Context) bool {
	if w.g.Code == nil {
		return true
	}
	w.g.Take(ctx)
	if n := w.g.Fresh(); n-w.fresh > stirring {
		w.fresh, w.freshAt = n, time.Now()
	}
	if w.calmSince.IsZero() {
		w.calmSince = time.Now()
	}
	return time.Since(w.freshAt) > calmFor || time.Since(w.calmSince) > calmLimit
}

const (
	// stirring is how many characters of new code are worth waiting for more.
	stirring  = 60
	calmFor   = 450 * time.Millisecond
	calmLimit = 5 * time.Second
)

// blankPatience is how long a page may show nothing while nothing loads: longer
// than most splash screens stay dark.
const blankPatience = 12 * time.Second

// hiddenPatience is how long a page may show nothing of what it paints: longer
// than most fade in.
const hiddenPatience = 6 * time.Second

// loadingPatience is how long a loading text is believed while nothing loads.
const loadingPatience = 8 * time.Second

// lidPatience is how long a splash screen may hide a game that is ready below it.
const lidPatience = 8 * time.Second

const networkIdle = 150 * time.Millisecond

func documentOf(r *probe.Reading) string {
	if len(r.Frames) == 0 {
		return "loading"
	}
	return r.Frames[0].ReadyState
}

// rest is for how many milliseconds no long task must have ended: the browser tells of one
// after the next has begun, so that while long tasks follow each other the last that is known
// is one of them old.
const rest = 250

// settled: no long task in the last moments.
func settled(r *probe.Reading) bool {
	for _, f := range r.Frames {
		if f.LongTasks > 0 && f.Now-f.LastLongTask < rest {
			return false
		}
	}
	return len(r.Frames) > 0
}

// sayingLoading finds text that says the game still loads, painted or in the document.
func sayingLoading(r *probe.Reading, els *probe.Elements) string {
	for _, t := range r.Texts() {
		if words.SaysLoading(t.Text) {
			return t.Text
		}
	}
	for _, t := range els.Texts {
		if t.InView && words.SaysLoading(t.Text) {
			return t.Text
		}
	}
	return ""
}

// stuck reports that nothing has happened for so long that waiting is no use.
func (w *waiter) stuck(r *probe.Reading) bool {
	log := w.g.Page.Log()
	now := fmt.Sprint(log.Counts().Requests, log.InFlight(), r.Mutated(), r.Ticks() > 0, w.painted, len(w.held))
	if now != w.active {
		w.active, w.activeAt = now, time.Now()
		return false
	}
	if log.InFlight() > 0 && !unanswered(log.Requests()) {
		return false // something is still under way; the limit decides
	}
	return time.Since(w.activeAt) > stagnant
}

// unanswered reports that every request under way has waited too long for the
// first word of an answer.
func unanswered(list []browser.Request) bool {
	return !slices.ContainsFunc(list, func(q browser.Request) bool {
		return underWay(q) && (q.Status > 0 || time.Since(q.Start) < answerPatience)
	})
}

// underWay: the request is under way.
func underWay(q browser.Request) bool { return q.End.IsZero() && q.Failed == "" && !q.Start.IsZero() }

// essential: a game may not be able to go on without what was asked for.
func essential(q browser.Request) bool {
	return slices.Contains([]string{"Script", "Fetch", "XHR", "Image", "Document"}, q.Type) && !words.IsTracker(q.URL)
}

// answerPatience is how long a server may take to begin its answer.
const answerPatience = 25 * time.Second

// blank reports that a page which has all it asked for still shows nothing.
func (w *waiter) blank(r *probe.Reading) bool {
	patience, quiet := blankPatience, stagnant
	if len(r.Texts()) > 0 {
		patience, quiet = hiddenPatience, hiddenPatience/2 // it writes what nobody can read
	}
	idle := !w.quiet.IsZero() && time.Since(w.quiet) > quiet
	return !w.painted && idle && w.rec.LoadingText == "" && documentOf(r) == "complete" && time.Since(w.started) > patience
}

// indicators checks the metadata's loading indicators and reports whether all are met.
func (w *waiter) indicators(ctx context.Context, r *probe.Reading) bool {
	if w.meta == nil || len(w.meta.LoadingIndicators) == 0 {
		return true
	}
	w.rec.Indicators = nil
	all := true
	for _, in := range w.meta.LoadingIndicators {
		res := Indicator(ctx, w.g, r, in.Selector, in.Pattern)
		res.Kind, res.Type = "loading", in.Type
		if in.Description != "" {
			res.Text = in.Description
		}
		w.rec.Indicators = append(w.rec.Indicators, res)
		all = all && res.Met
	}
	return all
}

// Indicator asks whether something the metadata describes by a selector or a
// text is to be seen now, in the document or painted.
func Indicator(ctx context.Context, g *game.Game, r *probe.Reading, selector, pattern string) record.IndicatorResult {
	res := record.IndicatorResult{Text: strings.TrimSpace(selector + " " + pattern)}
	if selector != "" {
		res.Met, res.Detail = shown(ctx, g, selector), selector
	}
	if !res.Met && pattern != "" {
		res.Met, res.Detail = textShown(ctx, g, r, pattern), pattern
	}
	return res
}

func shown(ctx context.Context, g *game.Game, selector string) bool {
	for _, f := range g.Page.Frames() {
		var yes bool
		expr := fmt.Sprintf("(() => { const e = document.querySelector(%q); return !!e && e.checkVisibility() && e.getBoundingClientRect().width > 0 })()\n//# sourceURL=playtest:indicator", selector)
		if err := f.Evaluate(ctx, expr, &yes); err == nil && yes {
			return true
		}
	}
	return false
}

func textShown(ctx context.Context, g *game.Game, r *probe.Reading, pattern string) bool {
	match := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(pattern)) }
	for _, t := range r.Texts() {
		if match(t.Text) {
			return true
		}
	}
	els, err := g.Probe.Elements(ctx, g.Page, centre(g))
	if err != nil {
		return false
	}
	for _, t := range els.Texts {
		if match(t.Text) {
			return true
		}
	}
	return false
}
