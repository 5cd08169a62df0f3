package evaluate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// facts are what the checks ask of a record.
type facts struct {
	rec *record.Record
	// answers are trials of the game's own controls that proved responsive.
	answers    []record.ControlResult
	recognised int // controls that code knows
	tried      int
	throwing   int
	onlyThrows int // controls that code knows and that threw again and again
	keyboard   record.Modality
	pointer    record.Modality
	broken     string // a script that is missing or cannot run
	storm      *record.ErrorGroup
	gone       bool
	// achieved is what a model's play brought about, if that shows that the game
	// answers; nil otherwise.
	achieved *record.Achieved
	// checks are those that the twins decided, nil where they could not.
	checks []record.Check
}

func gather(rec *record.Record) facts {
	f := facts{rec: rec}
	for _, c := range controlResults(rec) {
		f.tried++
		if c.Trial.Recognised || c.Trial.Reacted {
			f.recognised++
		}
		if c.Trial.Threw != "" {
			f.throwing++
			if c.Trial.Recognised && c.Trial.Windows >= 3 && !c.Control.Aside {
				f.onlyThrows++
			}
		}
		if c.Trial.Outcome != record.Responsive || c.Control.Aside {
			continue
		}
		f.answers = append(f.answers, c)
	}
	for _, c := range rec.Discover.Controls {
		if c.Type == record.ControlKey && len(c.Reaches) > 0 {
			f.recognised++ // its code was seen to run, whatever the trials showed
		}
	}
	for _, m := range rec.Health.Modalities {
		switch m.Name {
		case "keyboard":
			f.keyboard = m
		case "pointer":
			f.pointer = m
		}
	}
	f.achieved = achieved(f)
	f.broken = brokenScript(rec)
	f.storm = storm(rec)
	h := rec.Health
	f.gone = h.Crashed != nil || h.Hung != nil || h.Left != nil
	return f
}

// suspect names what went wrong while the game loaded and may be why nothing
// works: a file that it did not get, an error of its own code.
func suspect(rec *record.Record) string {
	var parts []string
	for _, l := range rec.Health.FailedLoads {
		if l.SameSite && !words.IsTracker(l.URL) && !strings.Contains(l.URL, "favicon") && l.Type != "Font" {
			parts = append(parts, fmt.Sprintf("%s could not be loaded (%s)", shortURL(l.URL), l.Why()))
			break
		}
	}
	for _, e := range rec.Health.Exceptions {
		if e.Own && e.ByInput < e.Count && e.First <= rec.Load.ReadyAfter {
			parts = append(parts, fmt.Sprintf("%s stopped with %q", shortURL(e.URL), strings.TrimPrefix(firstLine(e.Text), "Uncaught ")))
			break
		}
	}
	return strings.Join(parts, " and ")
}

// foregoing is the sentence about it that follows a reason, if there is one.
func foregoing(rec *record.Record) string {
	if s := suspect(rec); s != "" {
		return " Before that " + s + "."
	}
	return ""
}

// inert: something went wrong while the game loaded, and nothing on the screen ever
// changed since, whatever was done. That code ran for an input does not matter then.
func (f facts) inert() bool {
	rec := f.rec
	if !rec.Explore.Exhausted || rec.Explore.Start.Started || rec.Health.MovesAlone() || suspect(rec) == "" {
		return false
	}
	changed := func(s record.HealthSample) bool { return s.Changed > 0 }
	visible := func(t record.Trial) bool { return t.Visible }
	return len(rec.Health.Samples) > 0 && !slices.ContainsFunc(rec.Health.Samples, changed) && !slices.ContainsFunc(rec.Explore.Trials, visible)
}

func (f facts) answered() string {
	if len(f.answers) == 0 && f.achieved != nil {
		return fmt.Sprintf("%d of %d turns of play", f.achieved.Effects, f.achieved.Turns)
	}
	if len(f.answers) == 0 {
		return "nothing"
	}
	var names []string
	for i, a := range f.answers {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(f.answers)-3))
			break
		}
		names = append(names, a.Control.Description)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// brokenScript names the script without which the game cannot run: missing,
// blocked or not JavaScript.
func brokenScript(rec *record.Record) string {
	for _, l := range rec.Health.FailedLoads {
		if l.Type == "Script" && !words.IsTracker(l.URL) {
			return fmt.Sprintf("the script %s could not be loaded (%s)", shortURL(l.URL), l.Why())
		}
	}
	for _, e := range rec.Health.Exceptions {
		if words.IsSyntaxError(e.Text) {
			if missing := suspect(rec); strings.HasPrefix(e.URL, "blob:") && missing != "" {
				return missing // what was put together from it cannot be read
			}
			return fmt.Sprintf("the script %s cannot be read: %s", shortURL(e.URL), firstLine(e.Text))
		}
	}
	return ""
}

func shortURL(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	if b := path.Base(raw); b != "." && b != "/" {
		return b
	}
	return raw
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return cut(line, 160)
}

// storm finds an error of the game that comes again and again.
func storm(rec *record.Record) *record.ErrorGroup {
	for i := range rec.Health.Exceptions {
		e := &rec.Health.Exceptions[i]
		span := e.Last - e.First
		if e.Own && e.Count-e.ByInput >= 20 && span >= 2*time.Second && float64(e.Count)/span.Seconds() >= 3 {
			return e
		}
	}
	return nil
}

// loaded answers the first check.
func loaded(f facts) record.Check {
	rec := f.rec
	c := record.Check{Name: record.GameLoaded}
	no := func(cause, reason string) record.Check {
		c.State, c.Cause, c.Reason = record.Disproven, cause, reason
		return c
	}
	c.Measured = loadSignals(rec)
	if l := rec.Load.Failure; l != nil {
		if l.Kind == "refused" { // by us: that says nothing about the game
			c.State, c.Cause, c.Reason = record.Unknown, l.Kind, upperFirst(l.Message)+"."
			return c
		}
		if l.Kind == "dns" || l.Kind == "offline" {
			// A name that nobody knows and a machine without a network look alike.
			c.State, c.Cause = record.Unknown, "offline"
			c.Reason = "The page could not be opened: " + l.Message + ". This machine may have no network, or the address may be wrong."
			return c
		}
		return no(l.Kind, "The page could not be opened: "+l.Message+"."+checkAddress(l.Kind)+triedBefore(rec))
	}
	if rec.Load.Status == 0 && rec.Load.URL == "" {
		c.State, c.Cause, c.Reason = record.Unknown, "interrupted", "The page was not opened before the run ended."
		return c
	}
	if rec.Environment.WebGL == "" && rec.Load.Kind == "webgl" && len(f.answers) == 0 && f.achieved == nil {
		c.State, c.Cause, c.Reason = record.Unknown, "environment", "The game needs WebGL, which this machine does not offer."
		return c
	}
	seen := len(f.answers) > 0 || f.achieved != nil
	switch {
	case rec.Load.Blank && !seen && f.broken != "":
		return no("script_failed", "The page stays blank: "+f.broken+".")
	case rec.Load.RawTemplate != "" && !seen && f.broken != "":
		return no("script_failed", fmt.Sprintf("The page shows a template that nothing filled in (%q): %s.", clip(rec.Load.RawTemplate), f.broken))
	case rec.Health.Unseen != "" && f.achieved == nil:
		return no("unseen", "Nothing of the game can be seen: "+rec.Health.Unseen+".")
	case rec.Load.Blank && !seen:
		return no("blank", "The page stays blank: no visible element and no painted pixel.")
	case rec.Load.Covered != "" && !seen:
		return no("covered", fmt.Sprintf("Something lies over the whole page: %s.", rec.Load.Covered))
	case !seen && f.broken != "" && (f.recognised == 0 && !rec.Health.MovesAlone() || f.inert()):
		return no("script_failed", upperFirst(f.broken)+", and the game does nothing without it.")
	case !rec.Load.Ready && len(rec.Load.Pending) > 0 && !seen && rec.Health.ReloadLoop == nil:
		return no("loading", fmt.Sprintf("The game was still loading after %.0f seconds: no answer to the request for %s.", rec.Load.ReadyAfter.Seconds(), shortURL(rec.Load.Pending[0])))
	case rec.Load.LoadingText != "" && !seen && (f.recognised == 0 && !rec.Explore.Start.Started || f.inert()):
		return no("loading", fmt.Sprintf("The game was still loading after %.0f seconds (%q).", (rec.Load.ReadyAfter+rec.Explore.Played).Seconds(), rec.Load.LoadingText)+foregoing(rec))
	case f.gone && !rec.Load.Ready && !seen && f.rec.Health.Left == nil:
		c.State, c.Cause, c.Reason = record.Unknown, "gone", "The page broke down before it was ready."
		return c
	}
	if p := rec.Health.Pictures; p.Bare() {
		return no("pictures_missing", fmt.Sprintf("%d of the %d pictures that the game asked for could not be loaded, such as %s.", p.Lost, p.Asked, lostPicture(rec)))
	}
	c.State = record.Proven
	c.Reason = fmt.Sprintf("The page opened (status %d), it shows a picture and was ready after %.1f seconds.", rec.Load.Status, rec.Load.ReadyAfter.Seconds())
	if !rec.Load.Ready {
		c.Reason = fmt.Sprintf("The page opened (status %d) and shows a picture, though not every sign of readiness came.", rec.Load.Status)
	}
	return c
}

// checkAddress is the advice for a page that the server does not have, or that is no page.
func checkAddress(kind string) string {
	switch kind {
	case "status", "connection", "download", "redirects", "url", "tls":
		return " Check the game's address."
	}
	return ""
}

// triedBefore says how often the page was tried to be opened, if more than once, and
// what else went wrong then.
func triedBefore(rec *record.Record) string {
	n := len(rec.Load.Retries)
	var others []string
	other := func(why string) {
		if why != "" && (rec.Load.Failure == nil || why != rec.Load.Failure.Message) && !slices.Contains(others, why) {
			others = append(others, why)
		}
	}
	for _, t := range rec.Load.Retries {
		other(t.Failure)
	}
	for _, p := range rec.Phases {
		if p.Phase == record.PhaseLoad && p.Error != "" {
			n++
			other(p.Reason)
		}
	}
	if n < 2 {
		return ""
	}
	if len(others) > 0 {
		return fmt.Sprintf(" It was tried %d times; before that %s.", n, strings.Join(others, ", then "))
	}
	return fmt.Sprintf(" It was tried %d times.", n)
}

func lostPicture(rec *record.Record) string {
	for _, l := range rec.Health.FailedLoads {
		if l.Type == "Image" && l.SameSite {
			return fmt.Sprintf("%s (%s)", shortURL(l.URL), l.Why())
		}
	}
	return "the first"
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func loadSignals(rec *record.Record) []record.Signal {
	var out []record.Signal
	for _, s := range rec.Load.Signals {
		sig := record.Signal{Name: s.Name, Holds: s.Held, Detail: s.Detail}
		if s.Held {
			sig.With = 1
		}
		out = append(out, sig)
	}
	return out
}

// controls answers the second check.
func controls(f facts) record.Check {
	rec := f.rec
	c := record.Check{Name: record.ControlsResponsive}
	answer := func(state record.CheckState, cause, reason string) record.Check {
		c.State, c.Cause, c.Reason = state, cause, reason
		if state == record.Disproven && strings.HasPrefix(cause, "dead") {
			c.Reason += foregoing(rec)
		}
		return c
	}
	for _, a := range controlResults(rec) {
		if a.Trial.After != "" {
			c.Evidence = append(c.Evidence, a.Trial.Before, a.Trial.After)
		}
	}
	if best := first(f); best != nil {
		c.Measured = best.Trial.Signals
	}
	deadKeys := f.keyboard.Dead()
	if len(f.answers) > 0 {
		if deadKeys && !plays(f) {
			return answer(record.Disproven, "dead_controls", "Keys arrive in the page, but the game's key handlers never run; only its page can be clicked.")
		}
		if deadKeys && !f.keyed() && startedByPointer(rec) {
			return answer(record.Disproven, "dead_controls", "Keys arrive in the page, but the game's key handlers never run; the pointer starts the game and may do no more than begin another round.")
		}
		if f.onlyHovers() && f.pointer.Unpressed() {
			return answer(record.Disproven, "dead_controls", fmt.Sprintf("The game follows the pointer, but of %d events of pressing it a listener above the game's own kept %d from them.", f.pointer.Presses, f.pointer.StoppedPresses))
		}
		if s := rec.Explore.Start; s.Dead != "" && !s.Started && f.onlyHovers() {
			return answer(record.Unknown, "dead_start", fmt.Sprintf("The start %q does nothing; only the pointer's moves are followed, which title screens do, too.", clip(s.Dead)))
		}
		return answer(record.Proven, "", fmt.Sprintf("The game answers to %s.", f.answered()))
	}
	if f.achieved != nil {
		return answer(record.Proven, "", f.playedBy())
	}
	switch {
	case rec.Load.Failure != nil:
		return answer(record.Unknown, "not_loaded", "There was no game to control.")
	case rec.Interrupted != "":
		return answer(record.Unknown, "interrupted", "The run ended before the controls were tried.")
	case f.gone:
		return answer(record.Unknown, "gone", "The game broke down before its controls could be judged.")
	case f.throwing > 0 && (f.throwing*2 >= f.tried || f.onlyThrows >= f.recognised && f.onlyThrows > 0):
		return answer(record.Disproven, "throws", "Operating the game's controls ends in errors: "+firstLine(firstThrow(rec))+".")
	case deadKeys && f.pointer.Listens && !f.pointer.Ran:
		return answer(record.Disproven, "dead_controls", "Keys and clicks arrive in the page, but the game's handlers never run.")
	case deadKeys:
		return answer(record.Disproven, "dead_controls", fmt.Sprintf("%d key events arrived in the page, but the key handlers that the game registered never ran.", f.keyboard.Delivered))
	case f.pointer.Dead():
		return answer(record.Disproven, "dead_controls", fmt.Sprintf("%d pointer events arrived in the page, but the pointer handlers that the game registered never ran.", f.pointer.Delivered))
	case rec.Explore.Start.Dead != "" && !rec.Explore.Start.Started:
		return answer(record.Disproven, "dead_start", fmt.Sprintf("The start %q does nothing, and nothing else starts the game.", clip(rec.Explore.Start.Dead)))
	case rec.Health.Frozen != nil:
		return answer(record.Disproven, "frozen", "The game's code knows the input, but nothing that it draws ever changes.")
	case rec.Health.Stopped != nil || rec.Health.ContextLost != nil:
		return answer(record.Unknown, "gone", "The game stopped before its controls could be judged.")
	case len(rec.Discover.Unsupported) > 0 && !f.keyboard.Listens && !f.pointer.Listens:
		return answer(record.Unknown, "unsupported_input", "The game asks for "+strings.Join(rec.Discover.Unsupported, " and ")+", which this machine does not have.")
	case f.tried == 0 && !rec.Explore.Exhausted:
		return answer(record.Unknown, "not_tried", "No control was tried.")
	case f.recognised > 0:
		return answer(record.Unknown, "not_started", "The game's code knows some inputs, but nothing was seen to change: it may be waiting for a start that was not found.")
	case rec.Explore.Start.Started || f.keyboard.Ran || f.pointer.Ran:
		// Something did happen; what it takes to play was not found.
		return answer(record.Unknown, "not_started", "The game answered to its start or its handlers ran, but no control was found to work.")
	case rec.Explore.Exhausted && rec.Load.Ready && !rec.Discover.WASM:
		again := ""
		if rec.Explore.Reloads > 0 {
			again = ", before and after loading the page again"
		}
		return answer(record.Disproven, "dead_controls", "No key, click, double click or drag had any effect"+again+".")
	case rec.Explore.Exhausted && f.broken != "":
		return answer(record.Disproven, "dead_controls", "Nothing had any effect: "+f.broken+".")
	}
	return answer(record.Unknown, "not_started", "No input was found that the game answers to.")
}

func clip(s string) string {
	return cut(strings.Join(strings.Fields(s), " "), 60)
}

// cut shortens a text to n bytes, but not within a letter.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

func firstThrow(rec *record.Record) string {
	for _, t := range rec.Explore.Trials {
		if t.Threw != "" {
			return t.Threw
		}
	}
	return ""
}

// onlyHovers: nothing but a pointer that moves was answered.
func (f facts) onlyHovers() bool {
	return !slices.ContainsFunc(f.answers, func(a record.ControlResult) bool { return a.Control.Type != record.ControlHover })
}

// keyed: a key was answered.
func (f facts) keyed() bool {
	return slices.ContainsFunc(f.answers, func(a record.ControlResult) bool {
		return a.Control.Type == record.ControlKey || a.Control.Type == record.ControlTyping
	})
}

// startedByPointer: what began the game was a press of the pointer.
func startedByPointer(rec *record.Record) bool {
	return slices.ContainsFunc(rec.Explore.Start.Attempts, func(a record.StartAttempt) bool { return a.Effect && strings.Contains(a.Gesture, "click") })
}

// plays: one of the controls that answered operates the game itself.
func plays(f facts) bool {
	return slices.ContainsFunc(f.answers, func(a record.ControlResult) bool { return f.rec.Plays(a.Control) })
}

// first is the first control that answered, or else the first that was tried.
func first(f facts) *record.ControlResult {
	if len(f.answers) > 0 {
		return &f.answers[0]
	}
	all := controlResults(f.rec)
	if len(all) > 0 {
		return &all[0]
	}
	return nil
}

// stable answers the third check.
func stable(f facts) record.Check {
	rec := f.rec
	h := rec.Health
	c := record.Check{Name: record.GameStable}
	for _, in := range []struct {
		cause    string
		incident *record.Incident
	}{
		{"crashed", h.Crashed}, {"hung", h.Hung}, {"left", h.Left}, {"reload_loop", h.ReloadLoop}, {"context_lost", h.ContextLost},
		{"stopped", h.Stopped}, {"frozen", h.Frozen}, {"ends_at_once", h.Ends},
	} {
		if in.incident != nil {
			c.State, c.Cause, c.Reason = record.Disproven, in.cause, upperFirst(in.incident.What)+during(in.incident)+"."
			return c
		}
	}
	if f.storm != nil {
		c.State, c.Cause = record.Disproven, "exceptions"
		c.Reason = fmt.Sprintf("An error comes again and again, %d times in %.0f seconds: %s.", f.storm.Count, (f.storm.Last - f.storm.First).Seconds(), firstLine(f.storm.Text))
		return c
	}
	if rec.Load.Failure != nil || rec.Load.URL == "" {
		c.State, c.Cause, c.Reason = record.Unknown, "not_loaded", "There was no game to watch."
		return c
	}
	if rec.Explore.Played < 2*time.Second {
		c.State, c.Cause, c.Reason = record.Unknown, "interrupted", "The game was not watched for long enough."
		return c
	}
	c.State = record.Proven
	c.Reason = fmt.Sprintf("The page answered throughout %.0f seconds%s, with no crash, hang or end of drawing.", rec.Explore.Played.Seconds(), f.ofPlay())
	if h.FPS > 0 {
		c.Measured = append(c.Measured, record.Signal{Name: "frames per second", With: h.FPS, Holds: true})
	}
	c.Measured = append(c.Measured, record.Signal{Name: "looks", With: float64(len(h.Samples)), Holds: true})
	return c
}

func during(i *record.Incident) string {
	if i.During == "" || i.During == "idle" {
		return ""
	}
	return ", during " + i.During
}
