package qa

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/search"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/internal/qa/verdict"
	"github.com/playtest-dev/playtest/record"
)

const (
	// playFor is the game time that a game is played with its controls.
	playFor = 60 * time.Second
	// proposedLimit bounds a search that begins with what a model proposed, minuteLimit
	// what comes after a search.
	proposedLimit = 45 * time.Second
	minuteLimit   = 2 * time.Minute
	// confirmGap is how long the live page is given after each input, confirmHold how
	// long each is held.
	confirmGap, confirmHold = 150 * time.Millisecond, 60 * time.Millisecond
	// watchFor is how long the live page goes on after them.
	watchFor = 2 * time.Second
	// maxSaid bounds what the search has told that nobody listened to yet.
	maxSaid = 64
	// confirmSteps bounds how many inputs are made in the live page.
	confirmSteps = 8
)

// searchLimit bounds the search in the twins. What ends a search is that all was tried;
// the limit is for machines on which that takes too long. firstFor is how long what the
// metadata declares is tried once a control is proven. Only a test changes them.
var searchLimit, firstFor = 2 * time.Minute, search.FirstFor

// twins is the search in two stepped pages, beside the live one.
type twins struct {
	cancel context.CancelFunc
	proven chan []record.Step // how the search came to what it proved
	done   chan struct{}
	rec    *record.TwinRecord
	// said is what the search tells of its progress, until the run can tell it on.
	said  chan record.Event
	grown atomic.Pointer[record.Rect] // the window that the search found large enough for the page
	err   error                       // why the game could not be opened or stepped
	shots []shot
	looks []twin.Signature // of the screens that the search came to
}

// shot is a picture that the search wants kept, until the run can keep it: the
// search works beside the live page, and one goroutine at a time writes evidence.
type shot struct {
	name string
	img  *image.RGBA
}

// proof waits for how the search came to what it proved, and reports whether it proved
// anything.
func (t *twins) proof(ctx context.Context, tell func(record.Event)) ([]record.Step, bool) {
	for over := false; !over; {
		select {
		case prefix := <-t.proven:
			return prefix, true
		case e := <-t.said:
			tell(e)
		case <-t.done:
			over = true
		case <-ctx.Done():
			over = true
		}
	}
	select { // both may have come at once
	case prefix := <-t.proven:
		return prefix, true
	default:
		return nil, false
	}
}

// tell keeps an event until the run listens. When nobody does for long the newest are
// left out: the report has everything.
func (t *twins) tell(e record.Event) {
	select {
	case t.said <- e:
	default:
	}
}

func (t *twins) stop() {
	t.cancel()
	<-t.done
}

// search begins a search in the twins. It ends with its context or by itself.
func (p *playing) search(ctx context.Context, limit time.Duration) *twins {
	ctx, cancel := context.WithTimeout(ctx, limit+minuteLimit)
	t := &twins{cancel: cancel, done: make(chan struct{}), proven: make(chan []record.Step, 1), said: make(chan record.Event, maxSaid)}
	v := p.viewport
	// What the search asks of the verdict does not depend on the live page.
	asked := &record.Record{Environment: p.rec.Environment}
	opts := search.Options{
		Open: p.open, URL: p.rec.Target.URL, Viewport: record.Rect{Width: float64(v.width), Height: float64(v.height)},
		Small: p.opener(small), SmallViewport: record.Rect{Width: float64(small.width), Height: float64(small.height)},
		Large: func(size record.Rect) twin.Opener {
			t.grown.Store(&size)
			return p.opener(viewport{width: int(size.Width), height: int(size.Height)})
		},
		Lean: screen.ByWords, Limit: limit, PlayFor: max(playFor, p.rec.Target.Metadata.PlayFor(), p.rec.Target.Play),
		First: func() []record.Input { return *p.first.Load() }, FirstFor: firstFor,
		Proven:  func(prefix []record.Step) { t.proven <- prefix },
		Matters: func(found *record.TwinRecord) bool { return verdict.EndMatters(asked, found) },
		Enough:  func(found *record.TwinRecord) bool { return verdict.Enough(asked, found) },
		Emit: func(done, total int, text string) {
			t.tell(record.Event{Kind: record.EventProgress, Message: text, Done: done, Total: total})
		},
		Watched: p.opts.View.Picture,
		Looks:   func(looks []twin.Signature) { t.looks = looks },
		Observed: func(o record.Observation) {
			t.tell(record.Event{Kind: record.EventControl, Message: control(o).Answers()})
			if o.From != o.To {
				t.tell(record.Event{Kind: record.EventScreen, Message: o.Input.String(), Done: o.From, Total: o.To})
			}
		},
		Keep: func(name string, img *image.RGBA) string {
			t.shots = append(t.shots, shot{name, img})
			return fmt.Sprintf("%d", len(t.shots)-1)
		},
	}
	go func() {
		defer close(t.done)
		t.rec, t.err = search.Run(ctx, opts)
	}()
	return t
}

// small is the window for scenes that this machine hardly draws in the usual one.
var small = viewports[1]

// tell tells on what the search told.
func (r *run) tell(e record.Event) {
	if r.opts.Emit != nil {
		e.Time, e.RunID, e.Phase = time.Now(), r.rec.RunID, r.current
		r.opts.Emit(e)
	}
}

// keepShots stores the pictures of the search and puts their paths where their
// numbers were.
func (r *run) keepShots(g *game.Game, t *twins) {
	paths := make([]string, len(t.shots))
	looks := t.rec.Alive.Looks
	inputs := map[string]string{} // by the number of a picture
	for _, o := range t.rec.Observations {
		for _, n := range []string{o.Before, o.After} {
			if n != "" && inputs[n] == "" {
				inputs[n] = o.Input.String()
			}
		}
	}
	for i, s := range t.shots {
		var buf bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, s.img); err == nil {
			stage, note := record.StageAfterInteraction, shotNotes[s.name]
			if in := inputs[strconv.Itoa(i)]; in != "" && (s.name == "with" || s.name == "without") {
				note = "the game " + s.name + " " + in
			}
			if s.name == "playing" {
				stage = s.name
				if len(looks) > 0 { // each was taken for a look
					note += fmt.Sprintf(", at %.0f seconds of game time", looks[0].Seconds)
					looks = looks[1:]
				}
			}
			paths[i] = g.Keep(stage, "phase3-"+s.name, note, buf.Bytes())
		}
	}
	path := func(n string) string {
		var i int
		if _, err := fmt.Sscanf(n, "%d", &i); err != nil || i >= len(paths) {
			return ""
		}
		return paths[i]
	}
	for i := range t.rec.Observations {
		o := &t.rec.Observations[i]
		o.Before, o.After = path(o.Before), path(o.After)
	}
	t.rec.Alive.Picture = path(t.rec.Alive.Picture)
}

// shotNotes say what the pictures of the search show.
var shotNotes = map[string]string{
	"without": "the game without the input", "with": "the game with the input", "playing": "while playing", "end": "the game after a minute of play",
}

// unlike is the share of the picture in which what the live page shows differs from the screen
// of the twins that is most like it, zero if that cannot be said.
func (p *playing) unlike(ctx context.Context) float64 {
	window := p.twins.rec.Window
	live, err := p.g.Page.Image(ctx, &browser.ScreenshotOptions{Clip: &browser.Rect{Width: window.Width, Height: window.Height}, Scale: twin.PictureScale})
	if err != nil || len(p.twins.looks) == 0 || window.Width != float64(p.viewport.width) || window.Height != float64(p.viewport.height) {
		return 0
	}
	least, look := 1.0, twin.Sign(live)
	for _, l := range p.twins.looks {
		least = min(least, look.Apart(l))
	}
	return math.Round(100*least) / 100
}

// freeze stops the live page, or lets it go on. One that cannot be stopped only
// costs time.
func (r *run) freeze(ctx context.Context, g *game.Game, frozen bool) {
	if err := g.Page.Freeze(ctx, frozen); err != nil {
		r.opts.Log.Info("freeze the live page", "run", r.rec.RunID, "error", err)
	}
}

// confirm makes the inputs that the twins found in the live page, in real time, for
// the evidence, and to see whether it survives them.
func (r *run) confirm(ctx context.Context, g *game.Game, prefix []record.Step) {
	g.Phase = record.PhaseExplore
	started := time.Now()
	for _, step := range prefix[:min(len(prefix), confirmSteps)] {
		if ctx.Err() != nil || g.Do(ctx, liveInput(step.Input), confirmHold) != nil {
			break
		}
		g.Pause(ctx, confirmGap)
	}
	r.rec.Explore.Played += time.Since(started)
}

// liveInput is an input as the live page takes it.
func liveInput(in record.Input) game.Input {
	out := game.Input{Key: in.Key, At: in.At, Path: in.Path, Text: in.Text, Label: in.Label, Selector: in.Selector, Why: "it made a difference between the twins"}
	switch in.Kind {
	case record.InputKey:
		out.Kind = game.KeyPress
	case record.InputType, record.InputFill, record.InputCopy:
		out.Kind = game.Typing
	case record.InputDoubleClick:
		out.Kind = game.DoubleClick
	case record.InputDrag:
		out.Kind = game.Drag
	case record.InputHover:
		out.Kind = game.Hover
	case record.InputWheel:
		out.Kind = game.Wheel
	case record.InputClick, record.InputTap, record.InputChoose:
		out.Kind = game.Click
	default:
		out.Kind = game.Idle
	}
	return out
}
