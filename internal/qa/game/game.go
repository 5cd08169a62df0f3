// Package game is a game under observation: its page together with the
// instruments that watch it, and the windows in which an input is tried and
// everything is measured.
package game

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// Pictures takes the pictures of the evidence. A picture that cannot be kept
// is a gap in the evidence, never a fault of the game.
type Pictures interface {
	// Picture stores a PNG and returns its path relative to the results.
	Picture(name string, png []byte) (path string, err error)
}

// Options for Open.
type Options struct {
	Pictures Pictures
	// Emit is told of progress. It must not block.
	Emit func(record.Event)
	// NewContext opens a fresh context in the same browser.
	NewContext func(context.Context) (*browser.Context, error)
}

// Game is a game under observation. One goroutine plays it.
type Game struct {
	Page   *browser.Page
	Probe  *probe.Probe
	Code   *coverage.Recorder
	Record *record.Record

	// Rect is where the game lies in the viewport, Viewport the whole of it. Field
	// is where a pointer is meant to be, which may be less: a small canvas.
	Rect, Field record.Rect
	Viewport    record.Rect
	// Focus is the frame that was given the keyboard, as the page lists its
	// frames; 0 is the page itself.
	Focus int
	// Cleared are the inputs that cleared something off the page since it was loaded,
	// or may have: clicks on dialogs, a key that no game binds.
	Cleared []Timed
	// Woken is the key that began the game though no game binds it; nil when none did.
	Woken *Woken
	// Phase and Doing name what is under way, for actions and incidents.
	Phase, Doing string
	// Known is closed when the twins have found out what there is to find out: then
	// nobody needs to wait for a page that does not become ready. It may be nil.
	Known <-chan struct{}

	opts        Options
	navigated   time.Time
	loaded      time.Time // when the page was last loaded
	navigations int
	pictures    int
	troubles    troubles
	lastShot    time.Time

	mu   sync.Mutex
	seen coverage.Sample // all code that ran so far, to tell what is new
	// fresh counts characters of the game's own code when they first ran.
	fresh int

	latency time.Duration
	// weighed is when the page's memory was last looked at, weighedPage whose it was.
	weighed     time.Time
	weighedPage string
	clicked     time.Time
	pointer     *record.Point // where it was last pressed
	// sent are inputs by their names, so that one that worked can be made again.
	sent map[string]Input
}

// Open prepares a page of the context with its instruments. Nothing is
// navigated yet.
func Open(ctx context.Context, c *browser.Context, rec *record.Record, opts Options) (*Game, error) {
	p := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{p.Script()}})
	if err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	g := &Game{
		Page: page, Probe: p, Record: rec, opts: opts,
		Viewport: record.Rect{Width: float64(rec.Environment.Width), Height: float64(rec.Environment.Height)},
		seen:     coverage.Sample{}, sent: map[string]Input{},
	}
	g.Rect, g.Field = g.Viewport, g.Viewport
	if g.Code, err = coverage.Start(ctx, page); err != nil {
		// Without coverage the other instruments decide.
		g.Code = nil
	}
	return g, nil
}

// Navigate opens the game's address.
func (g *Game) Navigate(ctx context.Context, url string) (*browser.Response, error) {
	g.navigated = time.Now()
	return g.open(ctx, url)
}

func (g *Game) open(ctx context.Context, url string) (*browser.Response, error) {
	g.loaded, g.Cleared = time.Now(), nil
	g.navigations++
	resp, err := g.Page.Navigate(ctx, url, nil)
	if err == nil {
		// A game that goes back where it can is then judged where it went.
		_ = g.Page.ForgetHistory(ctx)
	}
	return resp, err
}

// Navigations is how often we opened the game's address ourselves.
func (g *Game) Navigations() int { return g.navigations }

// Age is the time since the navigation.
func (g *Game) Age() time.Duration { return time.Since(g.navigated) }

// SinceLoad is the time since the page was last loaded by us.
func (g *Game) SinceLoad() time.Duration { return time.Since(g.loaded) }

// Timed is an input with the age of the page when it was made.
type Timed struct {
	Input Input
	At    time.Duration
}

// Woken is what began a game that waited for any key.
type Woken struct {
	Timed
	Proof string
}

// Navigated is when the game's address was opened.
func (g *Game) Navigated() time.Time { return g.navigated }

// Emit tells whoever watches the run.
func (g *Game) Emit(kind, format string, args ...any) {
	if g.opts.Emit == nil {
		return
	}
	g.opts.Emit(record.Event{Time: time.Now(), RunID: g.Record.RunID, Phase: g.Phase, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// Progress tells how far something got.
func (g *Game) Progress(done, total int, format string, args ...any) {
	if g.opts.Emit != nil {
		g.opts.Emit(record.Event{Time: time.Now(), RunID: g.Record.RunID, Phase: g.Phase, Kind: record.EventProgress, Message: fmt.Sprintf(format, args...), Done: done, Total: total})
	}
}

// Decide writes down why something is done.
func (g *Game) Decide(what, why string, confidence float64) {
	g.Decided(record.Decision{Time: time.Now(), What: what, Why: why, Confidence: confidence})
}

// Decided keeps a decision that somebody made, in the phase under way, and tells it.
func (g *Game) Decided(d record.Decision) {
	d.Phase = g.Phase
	if len(g.Record.Decisions) >= maxDecisions {
		return
	}
	g.Record.Decisions = append(g.Record.Decisions, d)
	g.Emit(record.EventDecision, "%s", told(strings.TrimSuffix(d.What+": "+d.Why, ": ")))
}

// Bounds on what a record holds, so that a long run stays readable.
const (
	maxDecisions = 500
	maxActions   = 2000
	maxSamples   = 600
)

func (g *Game) act(a record.Action, started time.Time, err error) {
	a.Time, a.Phase, a.Took, a.Success = started, g.Phase, time.Since(started), err == nil
	if err != nil {
		a.Error = err.Error()
	}
	if len(g.Record.Actions) < maxActions {
		g.Record.Actions = append(g.Record.Actions, a)
	}
	g.tellTroubles()
}

// ErrGone is returned when the page cannot be played any more: it crashed, it
// hangs or it was closed.
var ErrGone = errors.New("the page is gone")

// Alive returns ErrGone when the page crashed, closed or does not answer. It
// writes the incident down.
func (g *Game) Alive(ctx context.Context) error {
	h := &g.Record.Health
	if g.Page.Crashed() {
		if h.Crashed == nil {
			h.Crashed = g.incident("the page's process crashed")
		}
		return ErrGone
	}
	if g.Page.Closed() {
		if h.Left == nil {
			h.Left = g.incident("the page closed its own window")
		}
		return ErrGone
	}
	if h.Hung != nil {
		return ErrGone
	}
	if g.answers(ctx) {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if g.Page.Crashed() {
		return g.Alive(ctx)
	}
	g.hung()
	return ErrGone
}

// hung writes down that the page does not answer.
func (g *Game) hung() {
	g.Record.Health.Hung = g.incident(fmt.Sprintf("the page did not answer for %d seconds", int(hangLimit.Seconds())))
}

// answers reports whether the game answers, or has a reason not to.
func (g *Game) answers(ctx context.Context) bool {
	return !g.Page.Silent(ctx, hangEffort, func() bool { return g.threadsAnswer(ctx) || g.waitsForPaint(ctx) })
}

// threadsAnswer reports whether the page's main thread answers, and that of the frame
// the game lives in, which may be another.
func (g *Game) threadsAnswer(ctx context.Context) bool {
	if !g.Page.Responsive(ctx, hangLimit) {
		return false
	}
	frames := g.Page.Frames()
	if g.Focus <= 0 || g.Focus >= len(frames) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	err := frames[g.Focus].Evaluate(ctx, "1\n//# sourceURL=playtest:alive", nil)
	return !errors.Is(err, context.DeadlineExceeded) // a frame that went away is no hang
}

// waitsForPaint: no page of the browser does much, and what paints for them does. A
// scene may take that long to be painted without a graphics card, which is not the
// game's fault.
func (g *Game) waitsForPaint(ctx context.Context) bool {
	const (
		watched = 2 * time.Second
		much    = watched / 4
	)
	before, err := g.Page.Effort(ctx)
	if err != nil {
		return false
	}
	pause(ctx, watched)
	after, err := g.Page.Effort(ctx)
	if err != nil || after.Painting-before.Painting < much {
		return false
	}
	for id, spent := range after.Pages {
		if spent-before.Pages[id] > much {
			return false // it may be this one, and in a loop without end
		}
	}
	return true
}

// hangLimit is how long a main thread may be silent. Compiling a large game
// takes seconds on a slow machine; eight at a stretch is a hang.
const hangLimit = 8 * time.Second

// hangEffort is for how long a page must have worked that hangs.
const hangEffort = 5 * time.Second

func (g *Game) incident(what string) *record.Incident {
	return &record.Incident{At: g.Age(), What: what, During: g.Doing}
}

// Incident makes an incident of now.
func (g *Game) Incident(format string, args ...any) *record.Incident {
	return g.incident(fmt.Sprintf(format, args...))
}

// Take returns the code that ran since the last take and remembers it.
func (g *Game) Take(ctx context.Context) coverage.Sample {
	if g.Code == nil {
		return nil
	}
	s, err := g.Code.Take(ctx)
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := s.Own().Subtract(g.seen).Size(); n > 0 {
		g.fresh += n
		g.seen.Union(s)
	}
	return s
}

// Fresh is how many characters of the game's own code have run so far. It
// grows when the game does something it never did before.
func (g *Game) Fresh() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fresh
}

// Screenshot keeps a picture of the whole viewport.
func (g *Game) Screenshot(ctx context.Context, stage, name, note string) string {
	g.tellTroubles()
	if g.opts.Pictures == nil {
		return ""
	}
	png, err := g.Page.Screenshot(ctx, nil)
	if err != nil {
		g.Emit(record.EventWarning, "a picture could not be taken: %s", name)
		return ""
	}
	return g.Keep(stage, name, note, png)
}

// Keep stores a picture that was taken already.
func (g *Game) Keep(stage, name, note string, png []byte) string {
	if g.opts.Pictures == nil || g.pictures >= maxPictures && stage != record.StageFinalState {
		return ""
	}
	g.pictures++
	now := time.Now()
	path, err := g.opts.Pictures.Picture(fmt.Sprintf("%s-%s.png", now.UTC().Format("20060102T150405.000"), name), png)
	if err != nil {
		g.Emit(record.EventWarning, "a picture could not be kept: %v", err)
		return ""
	}
	g.lastShot = now
	g.Record.Screenshots = append(g.Record.Screenshots, record.Screenshot{Stage: stage, Path: path, Time: now, Note: note})
	g.Emit(record.EventScreenshot, "%s", path)
	return path
}

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// FileName turns the name of a control into a part of a file's name.
func FileName(s string) string {
	s = strings.Trim(unsafeName.ReplaceAllString(s, "-"), "-")
	if len(s) > 40 {
		s = s[:40]
	}
	return strings.ToLower(s)
}

// maxPictures bounds the disk a run may take: one every few seconds of the
// longest play, and as many for its controls.
const maxPictures = 120

// SinceShot is how long ago the last picture was kept.
func (g *Game) SinceShot() time.Duration { return time.Since(g.lastShot) }
