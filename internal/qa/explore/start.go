package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// gesture is something that may start a game.
type gesture struct {
	input game.Input
	tier  string
	// strong: the screen itself asks for it.
	strong bool
	hit    bool
	score  float64
	// byCode: nothing asks for it, so what merely changes the picture proves nothing.
	byCode bool
	// door is a button that says nothing about starting. Had it begun the game
	// it would be gone afterwards.
	door *record.Control
	// button is one that does say so. That it is gone afterwards is proof enough.
	button *record.Control
}

func (s gesture) key() string { return s.tier + " " + s.input.String() }

// beginning is how much never-run code proves a start by itself. A handler
// that runs for the first time and does nothing more is less.
const beginning = 400

// maxSteps bounds the menus between loading and playing.
const maxSteps = 6

// start follows what the screen asks for, one gesture at a time with a look
// after each, until the screen asks for nothing more.
func (e *Explorer) start(ctx context.Context) error {
	if err := e.woken(ctx); err != nil {
		return err
	}
	if err := e.startAsAsked(ctx); err != nil {
		return err
	}
	if began, err := e.startByChoice(ctx); err != nil {
		return err
	} else if began {
		return e.start(ctx) // another menu may follow
	}
	if !e.rec.Start.Needed && slices.Contains(e.g.Record.Load.Listens, "dblclick") {
		if err := e.startByDoubleClick(ctx); err != nil {
			return err
		}
	}
	if !e.rec.Start.Needed && !e.knowsPlay() {
		if err := e.startByDoor(ctx); err != nil {
			return err
		}
	}
	if began, err := e.startByLink(ctx); err != nil {
		return err
	} else if began {
		return e.start(ctx) // to what is there
	}
	if !e.rec.Start.Needed && e.g.Record.Load.Kind != "dom" && !e.knowsPlay() {
		if err := e.startByLabel(ctx); err != nil {
			return err
		}
	}
	if !e.rec.Start.Needed && !e.knowsPlay() {
		if err := e.startByPlace(ctx); err != nil {
			return err
		}
	}
	if !e.rec.Start.Needed {
		e.rec.Start.Auto = true
	}
	return e.watchIdle(ctx, leastLooks-len(e.idle))
}

// startAsAsked does what one screen after the other asks for, until one asks for
// nothing that works.
func (e *Explorer) startAsAsked(ctx context.Context) error {
	for range maxSteps {
		if e.rec.Start.Started {
			// Rounds may be so short that this one is over by now.
			if _, err := e.recover(ctx); err != nil {
				return err
			}
			if e.reloaded() {
				return nil // what it asks for now is what it was asked before
			}
		}
		if err := e.fillIn(ctx); err != nil {
			return err
		}
		worked, err := e.tryGestures(ctx)
		if err == nil && !worked {
			worked, err = e.goOn(ctx)
		}
		if err != nil || !worked {
			return err
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tryGestures makes the gestures that the screen suggests, until one works.
func (e *Explorer) tryGestures(ctx context.Context) (worked bool, err error) {
	list, err := e.gestures(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range list {
		if !s.strong || e.tried[s.key()] {
			continue
		}
		e.rec.Start.Needed = true
		if worked, err = e.tryStart(ctx, s); err != nil {
			return false, err
		}
		if !worked {
			continue
		}
		switch {
		case s.tier == tierChoice:
			e.forgetStarts() // it may have waited for a choice
		case words.IsContinue(s.input.Label):
			delete(e.tried, s.key()) // what is told may have more pages
		}
		return true, nil
	}
	return false, nil
}

// reloaded: the page has loaded itself since the game was started, as some do to end a round.
func (e *Explorer) reloaded() bool { return e.rec.Start.Started && e.g.OwnLoads() > e.loads }

// leastLooks is how often the game is looked at without input before anything
// that the screen does not ask for is tried.
const leastLooks = 2

// forgetStarts forgets which gestures were tried, apart from choices.
func (e *Explorer) forgetStarts() {
	for k := range e.tried {
		if !strings.HasPrefix(k, tierChoice+" ") {
			delete(e.tried, k)
		}
	}
}

// tierChoice are buttons that choose how to play.
const tierChoice = "choice"

// settle lets what an input set off come to rest, so that it is not taken for
// something the game does by itself: until nothing is drawn anew and the
// document stands still for a moment. Games that never rest are not waited for.
func (e *Explorer) settle(ctx context.Context) {
	const rest, limit = 120 * time.Millisecond, 700 * time.Millisecond
	until := time.Now().Add(limit)
	var last, since = "", time.Now()
	for time.Now().Before(until) && ctx.Err() == nil {
		r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
		if err != nil {
			return
		}
		now := fmt.Sprint(r.Mutated(), game.Drawing(r))
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > rest {
			return
		}
		e.g.Pause(ctx, 30*time.Millisecond)
	}
}

// tryStart makes one gesture and looks whether the page changed because of it.
func (e *Explorer) tryStart(ctx context.Context, s gesture) (bool, error) {
	started := time.Now()
	// On a screen that stands still one look is enough to try what it asks for, and
	// where only code counts no picture is compared.
	for len(e.idle) < leastLooks && !s.byCode && !(s.strong && e.still()) {
		if err := e.watchIdle(ctx, 1); err != nil {
			return false, err
		}
	}
	e.g.Approach(ctx, s.input)
	url, at := e.g.Page.URL(), e.g.SinceLoad()
	e.g.Take(ctx)
	fresh := e.g.Fresh()
	s.input.Why = "might start the game (" + s.tier + ")"
	w, err := e.observe(ctx, s.input)
	if err != nil {
		return false, err
	}
	// What changes after a single look, with hardly any new code, may only have blinked.
	telling := len(e.idle) >= leastLooks || e.g.Fresh()-fresh > newCode
	proof := ""
	if !s.byCode && telling {
		proof = e.change(w)
	}
	if n := e.g.Fresh() - fresh; proof == "" && n > beginning {
		proof = fmt.Sprintf("%d characters of the game's code ran for the first time", n)
	}
	if proof == "" && !s.byCode && (e.g.Fresh() > fresh || w.Reads > 0 || w.Changed() > 0) {
		// Fades and loading take their time: one more look.
		again, err := e.observe(ctx, game.Input{Kind: game.Idle})
		if err != nil {
			return false, err
		}
		if e.g.Fresh()-fresh > beginning {
			proof = "the game's code went on to something new"
		} else if p := e.change(again); p != "" && telling && e.still() {
			proof = p
		} else {
			e.addIdle(again)
			proof = e.change(w) // there is more to compare it with
		}
	}
	if proof != "" && s.door != nil && !e.vanished(ctx, *s.door) {
		proof = ""
	}
	if proof == "" && s.button != nil && w.Mutations > 0 && e.vanished(ctx, *s.button) {
		proof = "the button is gone"
	}
	e.startWindows = append(e.startWindows, w)
	e.tried[s.key()] = true
	e.rec.Start.Attempts = append(e.rec.Start.Attempts, record.StartAttempt{
		Gesture: s.input.String(), Tier: s.tier, Effect: proof != "", Proof: proof, Hit: s.hit, Took: time.Since(started), After: time.Since(e.readyAt),
	})
	if proof == "" {
		if _, before := e.made[s.input.String()]; !before {
			e.made[s.input.String()] = replay.Try{Input: s.input, Scroll: e.scroll, At: at}
		}
		if s.strong && s.hit && e.rec.Start.Dead == "" && saysHow(s.input) {
			e.rec.Start.Dead, e.deadStart = s.input.Label, s.input
		}
		return false, nil
	}
	if e.rec.Start.Dead == s.input.Label {
		e.rec.Start.Dead = ""
	}
	if now := e.g.Page.URL(); left(url, now) && game.SameSite(url, now) {
		// Our gesture led to another page, which is where the game is.
		e.g.Decide("follow to "+now, "it is where "+s.input.String()+" led", 0.6)
		e.url = now
		e.waitLoaded(ctx)
	}
	e.startCode = e.onlyIn(w)
	if s.tier == TierAgain {
		e.started(ctx, s.input, proof)
	} else {
		e.opened(ctx, replay.Try{Input: s.input, Scroll: e.scroll, At: e.g.SinceLoad()}, proof)
	}
	return true, nil
}

// saysHow: what is on the screen names this very input as the start.
func saysHow(in game.Input) bool {
	if in.Kind == game.KeyPress {
		key, ok := words.NamedKey(in.Label)
		return ok && key == in.Key
	}
	return in.Kind == game.Click && words.IsStart(in.Label)
}

func left(before, after string) bool {
	a, _, _ := strings.Cut(before, "#")
	b, _, _ := strings.Cut(after, "#")
	return a != b
}

func (e *Explorer) waitLoaded(ctx context.Context) {
	until := time.Now().Add(8 * time.Second)
	for time.Now().Before(until) && ctx.Err() == nil {
		e.g.Pause(ctx, 150*time.Millisecond)
		r, err := e.g.Read(ctx, nil)
		if err == nil && len(r.Frames) > 0 && r.Frames[0].ReadyState == "complete" && e.g.Page.Log().InFlight() == 0 {
			return
		}
	}
}

// opened notes that an input led from a fresh page into the game.
func (e *Explorer) opened(ctx context.Context, t replay.Try, proof string) {
	e.startedBy = append(e.startedBy, t)
	e.replays = min(e.replays, maxReplays-1) // those before were of something else
	e.started(ctx, t.Input, proof)
}

// started notes that an input began a round.
func (e *Explorer) started(ctx context.Context, in game.Input, proof string) {
	e.begunBy, e.made = in, map[string]replay.Try{}
	e.rec.Start.Started, e.beganAt = true, time.Now()
	e.begun, e.loads = len(e.g.Record.Health.Samples), e.g.OwnLoads()
	e.beside(ctx)
	e.g.Decide("start by "+in.String(), proof, 0.8)
	e.g.Screenshot(ctx, record.StageAfterInteraction, "phase3-after-start", "after "+in.String())
}
