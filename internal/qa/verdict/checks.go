package verdict

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// loaded answers the first check.
func (f facts) loaded() record.Check {
	const name = record.GameLoaded
	rec := f.rec
	if rec.Load.Failure != nil {
		return notOpened(rec)
	}
	if rec.Load.URL == "" && rec.Load.Status == 0 {
		return unknown(name, "interrupted", "The page was not opened before the run ended.")
	}
	answers := f.evidence.rule != ""
	if rec.Environment.WebGL == "" && rec.Load.Kind == "webgl" && !answers {
		return unknown(name, "environment", "The game needs WebGL, which this machine does not offer.")
	}
	if reason := f.refusedByUs(); reason != "" && !answers {
		return unknown(name, "refused", reason)
	}
	searched := f.twins.Exhausted || !f.twins.Opened
	broken, still := f.brokenScript(), f.evidence.effects == 0 && !f.twins.Animated
	if f.on(RuleBlank) && !answers && f.evidence.effects == 0 && f.twins.Asked == 0 && (f.twins.Blank || rec.Load.Blank && !f.twins.Opened) {
		reason := "The page stays blank: no visible element and no painted pixel."
		if broken != "" {
			return disproven(name, "script_failed", reason[:len(reason)-1]+"; "+broken+".")
		}
		return disproven(name, "blank", reason)
	}
	if f.on(RuleScript) && !answers && broken != "" && still && searched {
		return disproven(name, "script_failed", upperFirst(broken)+", and the game does nothing without it.")
	}
	if f.on(RuleUnseen) && f.unseen() {
		return disproven(name, "unseen", "The game draws on a canvas that cannot be seen on any of its screens: it is hidden, has no size, or lies outside of the window.")
	}
	if f.on(RuleUnseen) && f.empty() {
		return disproven(name, "unseen", "The game answers to presses on a canvas that shows nothing but one flat colour.")
	}
	if !rec.Load.Ready && len(rec.Load.Pending) > 0 && still && rec.Health.ReloadLoop == nil {
		return disproven(name, "loading", fmt.Sprintf("The game was still loading after %.0f seconds: no answer to the request for %s.", rec.Load.ReadyAfter.Seconds(), base(rec.Load.Pending[0])))
	}
	if p := rec.Health.Pictures; p.Lost >= 3 && float64(p.Lost) >= 0.8*float64(p.Asked) {
		return disproven(name, "pictures_missing", fmt.Sprintf("%d of the %d pictures that the game asked for could not be loaded.", p.Lost, p.Asked))
	}
	c := proven(name, undisputed, fmt.Sprintf("The page opened (status %d) and shows a picture; it was ready after %.1f seconds.", rec.Load.Status, rec.Load.ReadyAfter.Seconds()))
	c.Measured = loadSignals(rec)
	return c
}

// controls answers the second check.
func (f facts) controls() record.Check {
	const name = record.ControlsResponsive
	rec, e := f.rec, f.evidence
	switch {
	case e.rule != "":
		how := "with the input it looks different from the same moment without it"
		if e.told {
			how = "what its dialogs say then depends on the answer"
		}
		c := proven(name, sure(e.rule), fmt.Sprintf("The game answers to %s: %s.", names(e.inputs), how))
		c.Measured = []record.Signal{{Name: e.rule, Holds: true, With: float64(e.effects), Detail: names(e.inputs)}}
		return c
	case f.on(RuleAchieved) && achieved(rec.Explore.Achieved) && e.throws == 0 && f.unheard() == "":
		a := rec.Explore.Achieved
		text := fmt.Sprintf("The game rests when it is left alone (%d looks); %d of %d turns of %s play changed it for good, to %d different screens.", a.Idle, a.Effects, a.Turns, a.By, a.States)
		return proven(name, sure(RuleAchieved), text)
	case rec.Load.Failure != nil:
		return unknown(name, "not_loaded", "There was no game to control.")
	case rec.Interrupted != "":
		return unknown(name, "interrupted", "The run ended before the controls were tried.")
	case rec.Health.Crashed != nil || rec.Health.Hung != nil || f.twins.Alive.Hung != "":
		return unknown(name, "gone", "The game broke down before its controls could be judged.")
	case rec.Twins == nil:
		return unknown(name, "earlier_version", "The record was made by an earlier version of playtest, which did not observe what this one judges by. Play the game again.")
	case !f.twins.Opened:
		return unknown(name, "environment", f.unopened())
	case rec.Environment.WebGL == "" && rec.Load.Kind == "webgl":
		return unknown(name, "environment", "The game needs WebGL, which this machine does not offer.")
	case f.refusedByUs() != "":
		return unknown(name, "refused", f.refusedByUs())
	case f.on(RuleThrows) && f.throws():
		return disproven(name, "throws", "Operating the game's controls ends in errors: "+firstLine(e.threw)+".")
	case f.on(RuleUnlike) && f.unlike():
		return unknown(name, "unlike", "What the page shows when it is left alone was not seen under the stepped clock, where the game stands still, so that nothing can be said about its controls.")
	case f.on(RuleDead) && e.effects == 0 && e.tried >= enoughTried && f.twins.Repeatable && f.twins.Asked == 0 && !f.answersUnseen() && !f.waits():
		return disproven(name, "dead_controls", noneAnswered(e.tried)+f.foregoing())
	case f.on(RuleUnheard) && f.unheard() != "":
		return disproven(name, "dead_controls", f.unheard())
	case !f.twins.Exhausted:
		return unknown(name, "not_finished", "Time ran out before everything was tried.")
	case !f.twins.Repeatable:
		return unknown(name, "not_repeatable", "The game looks different each time it is played, so that nothing can be compared.")
	case f.twins.WantsFile && e.effects == 0:
		return unknown(name, "unsupported_input", "The game asks for a file, which it was not given.")
	case e.effects == 0 && f.answersUnseen():
		return unknown(name, "not_started", fmt.Sprintf("The game's code answered %d of %d inputs, but nothing that it did could be seen.", e.handled, e.tried))
	case f.on(RuleDead) && e.effects == 0 && f.asked() && f.brokenScript() == "":
		return unknown(name, "not_answered", "The game asks for something to be written, and nothing that was tried was what it wants.")
	case e.effects == 0 && f.waits():
		return unknown(name, "not_started", fmt.Sprintf("The page listens for input (%s), but none of %d inputs had any effect: what it waits for was not found.", strings.Join(rec.Load.Listens, ", "), e.tried))
	case f.on(RuleDead) && e.effects == 0:
		return disproven(name, "dead_controls", noneAnswered(e.tried)+f.foregoing())
	}
	if e.partly {
		return unknown(name, "throws", fmt.Sprintf("Whatever the game answered to ended in an error: %s.", firstLine(e.threw)))
	}
	if cause := f.stoppedWay(); f.on(RuleUnplayed) && cause != "" && e.tried >= leastTried && (f.deaf() || e.effects == e.moves+e.hovers+e.switches+e.unhandled+e.dialogs+e.restarts) {
		return disproven(name, "dead_controls", fmt.Sprintf("The game can be started, but none of %d inputs plays it: %s.", e.tried, cause))
	}
	if f.on(RuleVanishes) && f.bare() {
		return disproven(name, "dead_controls", fmt.Sprintf("The game can be started, but then nothing is seen but one colour for %.0f seconds, whatever is pressed.", f.twins.Alive.Seconds))
	}
	return unknown(name, "not_started", fmt.Sprintf("The game can be started or switched (%s had an effect), but none of %s was seen to play it.", inputs(e.effects), inputs(e.tried))+f.foregoing())
}

// noneAnswered says that nothing had an effect.
func noneAnswered(tried int) string {
	if tried == 0 {
		return "Nothing was found on the page that could be pressed."
	}
	return inputs(tried) + " were tried and none had any effect."
}

// inputs is a number of them.
func inputs(n int) string {
	if n == 1 {
		return "1 input"
	}
	return fmt.Sprintf("%d inputs", n)
}

// bare reports whether what was played showed nothing at any time, though the page did
// before it was started.
func (f facts) bare() bool {
	a := f.twins.Alive
	return a.Blank && !f.twins.Blank && len(a.Looks) > 0 && !slices.ContainsFunc(a.Looks, func(l record.AliveLook) bool { return !l.Blank })
}

// unopened says why the game could not be played under the stepped clock.
func (f facts) unopened() string {
	if f.twins.Reason != "" {
		return "The game could not be played under the stepped clock: " + f.twins.Reason + "."
	}
	asked := 0
	for _, d := range f.rec.Health.Dialogs {
		asked += d.Count
	}
	if asked > 0 {
		return fmt.Sprintf("The page was not opened before time ran out. Meanwhile it opened %d dialogs, and was satisfied by none of the answers.", asked)
	}
	return "The page was not opened before time ran out."
}

// throws reports whether errors keep the controls from working: nothing else answers that
// the game's code has a part in, or everything that does ends in one.
func (f facts) throws() bool {
	e := f.evidence
	if e.partly && !(f.twins.Exhausted && f.stoppedScript() != "") {
		return false // others may answer, and an error at the end of a turn may do no harm
	}
	alone := e.effects == e.moves || e.effects == e.moves+e.unhandled && e.handled == 0
	return e.throws > 0 && alone || e.throws > mostlyThrows*e.effects || e.torn > 0 && e.torn == e.effects
}

// waits reports whether a game that lacks nothing, and that nothing has an effect on, may
// wait for an input that was not found: it listens for some, none was kept from it, and
// nothing that it shows as a button was dead when it was pressed.
func (f facts) waits() bool {
	ofForm := func(event string) bool { return event == "submit" || event == "change" } // what a form waits for was tried
	listens := slices.DeleteFunc(slices.Clone(f.rec.Load.Listens), ofForm)
	if !f.on(RuleWaits) || len(listens) == 0 || f.brokenScript() != "" || slices.ContainsFunc(f.rec.Health.FailedLoads, awaited) {
		return false
	}
	kept := func(m record.Modality) bool { return m.Stopped > 0 }
	button := func(o record.Observation) bool { return o.Offer == "element" && o.Input.Kind == record.InputClick }
	pressed := slices.ContainsFunc(listens, func(event string) bool { return slices.Contains(presses, event) })
	return !slices.ContainsFunc(f.twins.Modalities, kept) && !(pressed && slices.ContainsFunc(f.twins.Observations, button))
}

// presses are the events of something that is pressed.
var presses = []string{"click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"}

// answersUnseen reports whether a game that lacks nothing drew something else for an input,
// though no difference could be seen: its controls are not dead.
func (f facts) answersUnseen() bool { return f.evidence.handled > 0 && f.brokenScript() == "" }

// unlike reports whether nothing moved and nothing had an effect in the twins, and the live
// page came to another screen by itself: the game does not run under the stepped clock.
func (f facts) unlike() bool {
	const another = 0.45 // of the picture
	return f.evidence.effects == 0 && !f.twins.Animated && f.twins.Unlike > another
}

// asked reports whether there was a field to write into, or a question before the first
// input: a game may be played in the dialogs that it opens.
func (f facts) asked() bool {
	return f.twins.Asked > 0 || slices.ContainsFunc(f.twins.Observations, func(o record.Observation) bool {
		// What is shown is typed without a field, too.
		return o.Offer == "field" && o.Input.Text != "" && o.Input.Kind != record.InputCopy
	})
}

// achieved reports whether what a model's play brought about shows that the game answers:
// it rests when it is left alone, and turns of play led to several screens. A switch beside
// a game has two.
func achieved(a *record.Achieved) bool {
	const leastIdle, leastEffects, leastStates = 4, 3, 4
	return a != nil && !a.Moves && a.Idle >= leastIdle && a.Effects >= leastEffects && a.States >= leastStates
}

// stable answers the third check.
func (f facts) stable() record.Check {
	const name = record.GameStable
	rec, h, a := f.rec, f.rec.Health, f.twins.Alive
	if f.on(RuleIncidents) {
		for _, in := range []struct {
			cause    string
			incident *record.Incident
		}{
			{"crashed", h.Crashed}, {"hung", h.Hung}, {"left", h.Left}, {"reload_loop", h.ReloadLoop}, {"context_lost", h.ContextLost},
		} {
			if in.incident != nil {
				return disproven(name, in.cause, upperFirst(in.incident.What)+".")
			}
		}
		switch {
		case a.Hung != "":
			return disproven(name, "hung", "The game does not come back from one of its frames: it hangs.")
		case a.Reloads >= manyReloads:
			return disproven(name, "reload_loop", fmt.Sprintf("The page loads itself again and again: %d times while nothing was pressed.", a.Reloads))
		case f.evidence.relapses > 0 && f.evidence.restarts == f.evidence.effects:
			return disproven(name, "reload_loop", "Whatever is pressed, the page is loaded again, so that nobody gets past its beginning.")
		case a.Left != "":
			return disproven(name, "left", "The page goes to "+base(a.Left)+" by itself.")
		}
	}
	if s := f.storm(); s != nil && f.on(RuleStorm) {
		return disproven(name, "exceptions", fmt.Sprintf("An error comes again and again, %d times in %.0f seconds: %s.", s.Count, (s.Last-s.First).Seconds(), firstLine(s.Text)))
	}
	if f.on(RuleStorm) && a.Seconds > 0 && stormy(float64(a.Exceptions)/a.Seconds, f.plays()) {
		return disproven(name, "exceptions", fmt.Sprintf("The game threw %d errors in %.0f seconds of play: %s.", a.Exceptions, a.Seconds, firstLine(a.Threw)))
	}
	if rec.Load.Failure != nil || rec.Load.URL == "" {
		return unknown(name, "not_loaded", "There was no game to watch.")
	}
	if f.evidence.rule != "" {
		switch {
		case f.vanished() && a.Unexplained:
			return unknown(name, "not_finished", "After a while of play nothing could be seen any more, and time ran out before it was known why.")
		case f.vanished():
			return disproven(name, "vanished", "After a while of play nothing can be seen any more.")
		case f.on(RuleWithheld) && a.Withheld && !a.Responds:
			return disproven(name, "withheld", fmt.Sprintf("After %.0f seconds of play the game is not given its inputs any more: another listener keeps them from it.", a.DeadAt))
		case f.dies() && a.Unexplained:
			return unknown(name, "not_finished", fmt.Sprintf("After %.0f seconds of play the controls that had worked made no difference any more, and time ran out before it was known why.", a.DeadAt))
		case f.dies() && a.Runs && f.on(RuleRuns):
			return unknown(name, "still_runs", fmt.Sprintf("After %.0f seconds of play the controls that had worked made no difference any more and nothing new was shown, while the game's code went on as before: whether its round had ended is not known.", a.DeadAt))
		case f.on(RuleDies) && f.dies():
			return disproven(name, "stopped", fmt.Sprintf("After %.0f seconds of play the controls that had worked make no difference any more, and nothing new is shown.", a.DeadAt))
		case a.Seconds == 0:
			return unknown(name, "not_watched", "The game was not watched for long enough.")
		}
	}
	if f.on(RuleClock) && f.races() {
		return disproven(name, "ends_at_once", "The clock that the game reads runs many times too fast, so that a round is over before a person could act.")
	}
	if f.on(RuleClock) && f.clockStands() && (f.evidence.rule == "" || unmoved(a)) {
		return disproven(name, "stopped", "The clock that the game reads stands still (performance.now never goes on), and so does the game, whatever is pressed.")
	}
	if f.on(RuleStops) && f.evidence.rule == "" && f.twins.Exhausted && f.moving() && stands(a) && !a.Decided && (f.evidence.effects > 0 || !f.answersUnseen()) {
		return disproven(name, "stopped", fmt.Sprintf("The game moved at first and then stood still: nothing was drawn for %.0f seconds, whatever was pressed.", a.Seconds))
	}
	if max(f.twins.GameSeconds, a.Seconds, rec.Explore.Played.Seconds()) < leastWatched {
		return unknown(name, "not_watched", "The game was not watched for long enough.")
	}
	reason := fmt.Sprintf("It was played for %.0f seconds of game time, with no crash, hang or end of its controls.", max(a.Seconds, rec.Explore.Played.Seconds()))
	if a.Stops != "" {
		reason += fmt.Sprintf(" One button was left out then: after %s nothing is drawn any more.", a.Stops)
	}
	c := proven(name, undisputed, reason)
	if h.FPS > 0 {
		c.Measured = append(c.Measured, record.Signal{Name: "frames per second", With: h.FPS, Holds: true})
	}
	return c
}

// vanished reports whether nothing can be seen any more, and not because the game's own code
// cleared its picture when it came to an end.
func (f facts) vanished() bool {
	a := f.twins.Alive
	return f.on(RuleVanishes) && (a.Blank || a.Gone) && !a.Responds && !a.Apart && !a.Decided
}

// dies reports whether the controls stopped working though the game had not come to an end.
func (f facts) dies() bool {
	a := f.twins.Alive
	return a.DeadAt > 0 && !a.Ended && !a.EndedByPlay() && !a.Rests() && (f.evidence.rule == RuleProgress || f.evidence.rule != RuleStory && f.moving() && still(a))
}

// leastWatched is for how many seconds a game must have been watched at least.
const leastWatched = 2

// leastStretches is in how many stretches of time a clock is compared at least.
const leastStretches = 3

// races reports whether the clock that the game reads runs many times too fast.
func (f facts) races() bool {
	p := f.twins.Pace
	return p.Raced >= leastStretches && 2*p.Raced > p.Stretches
}

// clockStands reports whether the clock that the game reads stands still.
func (f facts) clockStands() bool {
	p := f.twins.Pace
	return p.Stretches >= leastStretches && p.Stood == p.Stretches
}

// unseen reports whether the game draws on a canvas that could not be seen on any screen,
// and nothing that it did changed much of what can be seen.
func (f facts) unseen() bool {
	hidden := 0
	for _, s := range f.twins.Screens {
		switch s.Canvas {
		case record.CanvasHidden:
			hidden++
		case record.CanvasShown, record.CanvasFlat:
			return false
		}
	}
	much := func(o record.Observation) bool { return o.Effect() && !o.Local() }
	return hidden > 0 && f.twins.Drawing >= leastDrawing && !f.twins.Animated && !slices.ContainsFunc(f.twins.Observations, much)
}

// empty reports whether the game answers to presses on a canvas that shows one flat colour
// wherever it does: what is pressed there was meant to be seen. What is drawn where it is
// pressed fills an empty sheet.
func (f facts) empty() bool {
	const leastPressed = 3
	canvas, pressed := map[int]string{}, 0
	for _, s := range f.twins.Screens {
		canvas[s.ID] = s.Canvas
	}
	for _, o := range f.twins.Observations {
		if o.Offer != "place" || !o.Trace {
			continue
		}
		if canvas[o.From] != record.CanvasFlat || o.Effect() && near(o.Area, o.Input) {
			return false
		}
		pressed++
	}
	return pressed >= leastPressed
}

// unheard says which inputs of a game that was at most started arrive in its page without
// its handlers, empty if none do.
func (f facts) unheard() string {
	e := f.evidence
	if e.effects > e.moves+e.hovers+e.switches+e.restarts+e.unhandled+f.leadsAnyway() {
		return ""
	}
	for _, m := range f.twins.Modalities {
		keyed := m.Name == "keyboard"
		answered := slices.ContainsFunc(f.twins.Observations, func(o record.Observation) bool {
			return (o.Effect() || o.Trace) && !o.Unhandled && o.Input.Keyed() == keyed
		})
		switch {
		case answered || !m.Dead():
		case keyed:
			return fmt.Sprintf("%d key events arrived in the page, but the key handlers that the game registered never ran.", m.Delivered)
		default:
			return fmt.Sprintf("%d pointer events arrived in the page, but the pointer handlers that the game registered never ran.", m.Delivered)
		}
	}
	return ""
}

// leadsAnyway counts the effects that were not followed of inputs that lead to another screen, as of
// a start that was pressed in the game's first moments as well.
func (f facts) leadsAnyway() (n int) {
	leads := map[string]bool{}
	for _, o := range f.twins.Observations {
		if o.Stage == "search" && kind(o) == move {
			leads[o.Input.Label+o.Input.String()] = true
		}
	}
	for _, o := range f.twins.Observations {
		if o.Stage == "search" && kind(o) == once && len(o.Repeats) == 0 && o.Offer != "element" && leads[o.Input.Label+o.Input.String()] {
			n++
		}
	}
	return n
}

// enoughTried is how many inputs without any effect mean that nothing will have one. Of 254
// games that can be played all but two answered to one of the first 27 that were tried, and
// those to the 77th and the 147th.
const enoughTried = 250

// still reports whether nothing was drawn any more at the end. Cells of a board and
// controls that work now and then may have nothing left to do; where a game that moved
// by itself does not draw any more, either, it ended.
func still(a record.AliveRecord) bool {
	return len(a.Looks) > 0 && !a.Looks[len(a.Looks)-1].Drew
}

// leastDrawing is in how many frames a game that runs by itself has drawn before the first
// input.
const leastDrawing = 30

// moving reports whether the game ran by itself before the first input.
func (f facts) moving() bool { return f.twins.Animated || f.twins.Drawing >= leastDrawing }

// stands reports whether the game drew nothing in the minute, except what its first input
// brought.
func stands(a record.AliveRecord) bool {
	drew := func(l record.AliveLook) bool { return l.Drew }
	return unmoved(a) && !slices.ContainsFunc(a.Looks[1:], drew)
}

// unmoved reports whether the picture was the same at all looks at the minute.
func unmoved(a record.AliveRecord) bool {
	moved := func(l record.AliveLook) bool { return l.Moved }
	return len(a.Looks) > 1 && !slices.ContainsFunc(a.Looks[1:], moved)
}

// manyReloads is how often a page that loads itself again does so within seconds.
const manyReloads = 3

// mostlyThrows is how many times as many inputs end in an error as have an effect in a game
// whose controls are broken.
const mostlyThrows = 10

// leastTried is how many inputs must have been tried on a game that was only started.
const leastTried = 50

// storm finds an error that comes again and again without an input.
func (f facts) storm() *record.ErrorGroup {
	for i := range f.rec.Health.Exceptions {
		e := &f.rec.Health.Exceptions[i]
		if refused(e.Text) {
			continue
		}
		span := e.Last - e.First
		if e.Count-e.ByInput >= 20 && span >= 2*time.Second && stormy(float64(e.Count)/span.Seconds(), f.plays()) {
			return e
		}
	}
	return nil
}

// refused reports whether an error says that the browser wants a person to press something
// first, as before it plays sound. A person does.
func refused(text string) bool { return strings.Contains(text, "NotAllowedError") }

// plays reports whether the game was controlled and still answered after a minute, or had
// come to an end of its own.
func (f facts) plays() bool {
	a := f.twins.Alive
	return f.evidence.rule != "" && (a.Responds || a.Ended || a.EndedByPlay())
}

// stormy reports whether errors come so often, each second, that a game cannot be called
// stable: in about every frame, or less often if it was not seen to play on.
func stormy(rate float64, plays bool) bool {
	const everyFrame, oftenEnough = 20, 3
	return rate >= everyFrame || rate >= oftenEnough && !plays
}

func base(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	if b := path.Base(raw); b != "." && b != "/" {
		return b
	}
	return raw
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(s, "Uncaught "), "\n")
	if len(line) > 160 {
		line = strings.ToValidUTF8(line[:160], "") + "..."
	}
	return line
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// EndMatters reports whether it may be held against a game that its controls stopped
// working, so that it must be known why.
func EndMatters(rec *record.Record, twins *record.TwinRecord) bool {
	f := facts{rec: rec, twins: twins}
	f.evidence = f.proof()
	return f.dies() || twins.Alive.Blank || twins.Alive.Exceptions > 0
}

// Enough reports whether what was observed so far proves that the game can be controlled,
// or that nobody can play it.
func Enough(rec *record.Record, twins *record.TwinRecord) bool {
	f := facts{rec: rec, twins: twins}
	return f.proof().rule != "" || f.races() || twins.Alive.Reloads >= manyReloads
}
