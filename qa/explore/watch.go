package explore

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"playtest"
	"playtest/browser"
	"playtest/browser/coverage"
	"playtest/browser/probe"
	"playtest/qa/cause"
	"playtest/qa/discover"
	"playtest/qa/game"
	"playtest/qa/load"
)

// watch notices when a game that drew stops drawing.
type watch struct {
	e      *Explorer
	ticks  int
	draws  int
	active time.Time // when frames or drawings last advanced
	lively bool      // it was seen to draw by itself
	advanc int       // how many looks in a row saw it advance
}

func newWatch(e *Explorer) *watch { return &watch{e: e, active: time.Now()} }

// halted is how long a game that drew may draw nothing before that is an event.
const halted = 2500 * time.Millisecond

func (w *watch) look(ctx context.Context) error {
	e := w.e
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return e.g.Alive(ctx)
	}
	if err := e.place(ctx); err != nil {
		return err
	}
	e.heap(ctx)
	ticks, draws := r.Ticks(), r.Drawn()
	if ticks != w.ticks || draws != w.draws {
		w.ticks, w.draws, w.active = ticks, draws, time.Now()
		if w.advanc++; w.advanc >= 4 {
			w.lively = true
		}
	}
	if lost := r.Sum(func(s *probe.State) int { return s.ContextsLost - s.ContextsRestored }); lost > 0 && e.g.Record.Health.ContextLost == nil {
		// Pages get a moment to restore a context.
		e.g.Pause(ctx, time.Second)
		if again, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true}); err == nil &&
			again.Sum(func(s *probe.State) int { return s.ContextsLost - s.ContextsRestored }) > 0 {
			e.g.Record.Health.ContextLost = e.g.Incident("the drawing context was lost and not restored")
		}
	}
	if w.lively && time.Since(w.active) > halted && e.g.Record.Health.Stopped == nil {
		return w.halt(ctx)
	}
	return nil
}

// halt decides whether a game that stopped drawing is over, waits, or is dead.
func (w *watch) halt(ctx context.Context) error {
	e := w.e
	when := e.g.Age() - time.Since(w.active)
	w.lively, w.advanc = false, 0
	if _, over, err := e.overText(ctx); err != nil || over {
		return err
	}
	if answered, err := e.answers(ctx); err != nil || answered {
		return err
	}
	if ok, err := e.restart(ctx); err != nil || ok {
		return err
	}
	if e.g.Page.Log().Counts().Dialogs > e.dialogs {
		e.dialogs = e.g.Page.Log().Counts().Dialogs
		return nil // it spoke before it stopped
	}
	if e.saysSomething(ctx) {
		return nil
	}
	e.g.Record.Health.Stopped = &playtest.Incident{At: when, What: fmt.Sprintf("the game stopped drawing %.1f seconds after it was opened and no input brought it back", when.Seconds())}
	return nil
}

// answers reports whether a control that worked still does.
func (e *Explorer) answers(ctx context.Context) (bool, error) {
	if len(e.idle) < 3 {
		if err := e.watchIdle(ctx, 3-len(e.idle)); err != nil {
			return false, err
		}
	}
	tried := 0
	for _, id := range e.order {
		r := e.results[id]
		if r == nil || r.trial.Outcome != playtest.Responsive || tried >= 3 {
			continue
		}
		inputs := e.inputsOf(r.control)
		if len(inputs) == 0 {
			continue
		}
		tried++
		var windows []cause.Window
		for i := range 2 {
			w, err := e.observe(ctx, inputs[i%len(inputs)])
			if err != nil {
				return false, err
			}
			windows = append(windows, w)
			if w.Changed() > 0 && (w.Redrawn || w.Mutations > 0) {
				return true, nil
			}
		}
		if eff := cause.Compare(windows, e.idle); eff.Visible {
			return true, nil
		}
	}
	return false, nil
}

// saysSomething: the last thing the game did was to show a text that was not there before.
func (e *Explorer) saysSomething(ctx context.Context) bool {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: 6000})
	if err != nil {
		return false
	}
	for _, t := range r.Texts() {
		if t.Age < 6000 && t.Count <= 4 && len(strings.Fields(t.Text)) >= 1 && !e.known[game.Shape(t.Text)] && len(game.Shape(t.Text)) > 3 {
			return true
		}
	}
	return false
}

// lastLook asks at the end whether the game is still there.
func (e *Explorer) lastLook(ctx context.Context, w *watch) error {
	if err := e.g.Alive(ctx); err != nil {
		return err
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	if w.lively && time.Since(w.active) > 600*time.Millisecond {
		e.g.Pause(ctx, halted-time.Since(w.active)+100*time.Millisecond)
		return w.look(ctx)
	}
	return nil
}

// modalities sums up how keyboard and pointer fared over the whole run.
func (e *Explorer) modalities(ctx context.Context) {
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		els = &probe.Elements{}
	}
	for _, m := range []struct {
		name  string
		types []string
	}{
		{"keyboard", []string{"keydown", "keyup", "keypress"}},
		{"pointer", []string{"mousedown", "mouseup", "click", "pointerdown", "pointerup", "mousemove", "pointermove", "dblclick", "touchstart", "touchend", "dragstart"}},
	} {
		mod := playtest.Modality{Name: m.name, Ran: r.Reads(m.types...)+r.Prevented(m.types...) > 0}
		for i, f := range r.Frames {
			// Only what arrived where someone listens can be held against the game.
			for _, t := range m.types {
				if !listens(f, t) && !(i == 0 && handled(els, t)) {
					continue
				}
				mod.Listens = true
				mod.Delivered += f.Delivered[t]
				mod.Stopped += f.Stopped[t]
			}
		}
		for _, res := range e.all() {
			isKey := res.control.Type == playtest.ControlKey || res.control.Type == playtest.ControlTyping
			if isKey != (m.name == "keyboard") {
				continue
			}
			mod.Sent += len(res.windows)
			mod.Ran = mod.Ran || res.trial.Recognised
			if res.trial.Threw != "" {
				mod.Throws++
			}
		}
		for _, a := range e.rec.Start.Attempts {
			if a.Effect && strings.Contains(a.Gesture, "click") == (m.name == "pointer") {
				mod.Ran = true
			}
		}
		if !mod.Listens {
			mod.Delivered = r.Delivered(m.types...)
			mod.Stopped = r.Sum(func(s *probe.State) int { return sum(s.Stopped, m.types) })
			mod.Wanted = !r.Listens(m.types...) && e.wants(ctx, m.name)
		}
		e.g.Record.Health.Modalities = append(e.g.Record.Health.Modalities, mod)
	}
}

// listens reports whether something in the frame hears every event of the
// type. A listener on a button hears only what hits the button.
func listens(f *probe.State, event string) bool {
	for _, l := range f.Listeners {
		if l.Type != event {
			continue
		}
		for _, all := range []string{"window", "document", "body", "html", "canvas"} {
			if strings.HasPrefix(l.Target, all) {
				return true
			}
		}
	}
	return false
}

func handled(els *probe.Elements, event string) bool {
	for _, h := range els.Handlers {
		if strings.HasPrefix(h, event+"|") {
			return true
		}
	}
	return false
}

func sum(m map[string]int, types []string) int {
	n := 0
	for _, t := range types {
		n += m[t]
	}
	return n
}

// wants reports whether the game's own code, in a part that ran, asks for a
// kind of input for which nothing is registered.
func (e *Explorer) wants(ctx context.Context, modality string) bool {
	if e.g.Code == nil || e.responsive() {
		return false
	}
	pattern := discover.AsksForKeys
	if modality == "pointer" {
		pattern = discover.AsksForPointer
	}
	seen := e.g.Seen()
	for _, src := range coverage.Sources(ctx, e.g.Page, 4<<20) {
		if coverage.IsLibrary(src.URL) {
			continue
		}
		for _, at := range pattern.FindAllStringIndex(src.Text, 20) {
			if sc := seen[src.Script]; sc != nil && sc.Ran.Contains(src.Offset(at[0])) {
				return true
			}
		}
	}
	return false
}

// unseen finds out at the end why nothing of a running game can be seen.
func (e *Explorer) unseen(ctx context.Context) {
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return
	}
	h := &e.g.Record.Health
	drawn, shown, hidden := 0, 0, ""
	var largest probe.Canvas
	for _, c := range r.Canvases() {
		drawn++
		if c.Shown && c.W >= 8 && c.H >= 8 && c.Width > 0 && c.Height > 0 {
			shown++
			if c.W*c.H > largest.W*largest.H {
				largest = c
			}
			continue
		}
		if c.Width*c.Height >= 200*150 || c.Width == 0 || c.Height == 0 || c.W < 8 {
			hidden = fmt.Sprintf("%dx%d", c.Width, c.Height)
		}
	}
	draws := r.Drawn()
	switch {
	case drawn > 0 && shown == 0 && hidden != "":
		h.Unseen = fmt.Sprintf("the game's canvas (%s pixels) is hidden or has no size on the page", hidden)
	case shown > 0 && largest.W*largest.H > 0.08*e.g.Viewport.Width*e.g.Viewport.Height:
		rect := e.g.Clamp(playtest.Rect{X: largest.X, Y: largest.Y, Width: largest.W, Height: largest.H})
		if rect.Width > 20 && rect.Height > 20 {
			if uniform, _ := e.g.PictureOf(ctx, rect).Uniform(); uniform {
				els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(rect.Center()))
				if err == nil && els.Top != nil && els.Top.Tag != "canvas" && els.Top.Tag != "html" && els.Top.Tag != "body" && covers(els.Top.Box, rect) {
					h.Unseen = fmt.Sprintf("%s lies over the whole game", els.Top.Selector)
				} else if draws > 0 {
					h.Unseen = fmt.Sprintf("the canvas shows one flat colour although %d drawing calls were made", draws)
				} else {
					h.Unseen = "the canvas shows one flat colour: nothing was drawn on it"
				}
			}
		}
	}
}

func covers(b probe.Box, r playtest.Rect) bool {
	return b.X <= r.X+2 && b.Y <= r.Y+2 && b.X+b.W >= r.X+r.Width-2 && b.Y+b.H >= r.Y+r.Height-2
}

// place notices that the page went somewhere else. It returns ErrGone when the
// game left its site by itself.
func (e *Explorer) place(ctx context.Context) error {
	e.reloads()
	now := e.g.Page.URL()
	if now == "" || now == e.url || sameSite(e.url, now) {
		e.url = now
		return nil
	}
	if time.Since(e.g.LastClick()) < 1500*time.Millisecond && e.links[host(now)] {
		// A click on a link is ours; a player would come back.
		e.g.Decide("come back", "a click led to "+now, 0.5)
		if err := e.g.Reload(ctx); err != nil {
			return e.g.Alive(ctx)
		}
		return load.Wait(ctx, e.g)
	}
	if e.g.Record.Health.Left == nil {
		e.g.Record.Health.Left = e.g.Incident("the page went to another site by itself: %s", now)
	}
	return game.ErrGone
}

// reloads notices that the page loads itself again and again.
func (e *Explorer) reloads() {
	main := e.g.Page.MainFrame()
	if main == nil {
		return
	}
	var loads []time.Time
	for _, n := range e.g.Page.Log().Navigations() {
		if !n.SameDocument && n.FrameID == main.ID() {
			loads = append(loads, n.Time)
		}
	}
	h := &e.g.Record.Health
	n := len(loads)
	// Games that begin a round by loading their page live longer than this.
	const loops, life = 5, 2 * time.Second
	if n-e.g.Navigations() < loops || n <= loops || h.ReloadLoop != nil {
		return
	}
	if span := loads[n-1].Sub(loads[n-1-loops]); span < loops*life {
		h.ReloadLoop = e.g.Incident("the page loads itself again and again, %d times in %.0f seconds", loops, span.Seconds())
	}
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func sameSite(a, b string) bool {
	ua, err1 := url.Parse(a)
	ub, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && ua.Hostname() == ub.Hostname()
}

// heap notes the memory in use, about once a second.
func (e *Explorer) heap(ctx context.Context) {
	if time.Since(e.heapAt) < time.Second {
		return
	}
	e.heapAt = time.Now()
	var mb float64
	expr := "performance.memory ? performance.memory.usedJSHeapSize / 1048576 : 0\n//# sourceURL=playtest:heap"
	if err := e.g.Page.Evaluate(ctx, expr, &mb); err == nil && mb > 0 {
		e.g.Record.Health.Heap = append(e.g.Record.Health.Heap, math.Round(mb*10)/10)
	}
}

// silence returns the last look at which a game that ran was seen to run, when
// it has been silent in all looks since: no frame, no drawing, whatever was sent.
func (e *Explorer) silence() *playtest.HealthSample {
	s := e.g.Record.Health.Samples
	const looks, frames = 5, 60
	if len(s) < looks+1 {
		return nil
	}
	last := s[len(s)-1]
	acted := 0
	first := len(s) - 1
	for first > 0 && s[first-1].Frames == last.Frames && s[first-1].Draws == last.Draws && s[first-1].Mutations == last.Mutations {
		first--
		if s[first].Acting {
			acted++
		}
	}
	if len(s)-first < looks || acted < 3 || last.Frames < frames || first == 0 {
		return nil
	}
	return &s[first]
}

// silent writes down that a game which ran has stopped for good: it had begun,
// its code still knows the inputs, but it draws nothing any more.
func (e *Explorer) silent() {
	h := &e.g.Record.Health
	at := e.silence()
	if at == nil || e.responsive() || h.Stopped != nil || e.stuckOver != "" {
		return
	}
	knows := e.rec.Start.Started
	for _, r := range e.all() {
		knows = knows || r.trial.Recognised
	}
	if knows {
		h.Stopped = &playtest.Incident{At: at.At, What: fmt.Sprintf("the game stopped drawing %.1f seconds after it was opened and no input brought it back", at.At.Seconds())}
	}
}

// frozen: the game's code knows its inputs and it draws, but nothing that it
// draws ever changed, in any window.
func (e *Explorer) frozen(ctx context.Context) {
	h := &e.g.Record.Health
	if e.responsive() || h.Stopped != nil || e.g.Record.Load.Kind == "dom" {
		return
	}
	// A game that ever moved is in a state we do not understand, not frozen.
	for _, s := range h.Samples {
		if s.Changed > 0 {
			return
		}
	}
	knows := false
	for _, r := range e.all() {
		knows = knows || r.trial.Recognised || r.trial.Reacted
		for _, w := range r.windows {
			if w.Redrawn {
				return
			}
		}
	}
	if !knows || !e.still() {
		return
	}
	a, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return
	}
	e.g.Pause(ctx, 300*time.Millisecond)
	b, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err == nil && b.Drawn() > a.Drawn() {
		h.Frozen = e.g.Incident("the game draws, but nothing that it draws ever changes, whatever is pressed")
	}
}
