package computer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
)

const (
	// touch is how long a button or a key is down. Games that poll miss
	// anything shorter.
	touch = 100 * time.Millisecond
	// arrival is how long a navigation may take.
	arrival = 20 * time.Second
)

// hand carries actions out.
type hand struct {
	screen *screen
	tree   *tree
	bounds *bounds.Bounds
	// at is where the pointer is, in the window's own space.
	at   browser.Point
	keys []string // left down by KeyDown
	down []string // buttons left down by Down
}

// did is what an action has to tell besides what the page looks like.
type did struct {
	text    string
	foreign bool         // the text is the page's
	picture *model.Image // instead of the whole page
}

// do carries one action out. Its errors are in words for the model, except
// those of a page that is gone.
func (h *hand) do(ctx context.Context, a *Action) (did, error) {
	p := h.screen.page
	switch a.Kind {
	case Screenshot, Nothing:
		return did{}, nil
	case Wait:
		return did{}, pause(ctx, a.For)
	case Type:
		return did{}, p.Keyboard().Type(ctx, a.Text)
	case Press:
		return did{}, h.press(ctx, *a)
	case Hold:
		return did{}, h.hold(ctx, *a)
	case KeyDown, KeyUp:
		return did{}, h.key(ctx, *a)
	case Navigate:
		return did{}, h.navigate(ctx, a.URL)
	case Back:
		return did{}, h.travel(ctx, -1)
	case Forward:
		return did{}, h.travel(ctx, 1)
	case Reload:
		return did{}, p.Reload(ctx)
	case Read, ReadText, Find:
		text, err := h.tree.tell(ctx, a)
		return did{text: text, foreign: true}, err
	case Fill, ScrollTo:
		return did{}, h.element(ctx, a)
	}
	return h.point(ctx, a)
}

// element does something to an element that has no place.
func (h *hand) element(ctx context.Context, a *Action) error {
	e, err := h.tree.element(ctx, a)
	if err != nil {
		return err
	}
	defer e.Release()
	if a.Kind == ScrollTo {
		return e.Call(ctx, "function () { this.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'}) }", nil)
	}
	return fillField(ctx, e, a.Text)
}

// point carries out what has to do with places.
func (h *hand) point(ctx context.Context, a *Action) (out did, err error) {
	viewport, err := h.screen.viewport(ctx)
	if err != nil {
		return out, err
	}
	at, err := h.where(ctx, a, viewport)
	if err != nil {
		return out, err
	}
	var path []browser.Point
	for _, each := range a.Path {
		to, err := h.place(&each, viewport)
		if err != nil {
			return out, err
		}
		path = append(path, to)
	}
	if len(path) < 2 && (a.Kind == Drag || a.Kind == Zoom) {
		return out, errors.New("two places are needed")
	}
	switch a.Kind {
	case Cursor:
		here := viewport.At(h.at.X, h.at.Y).In(h.screen.space())
		return did{text: fmt.Sprintf("X=%.0f,Y=%.0f", here.X, here.Y)}, nil
	case Zoom:
		out.picture, err = h.screen.zoom(ctx, a.Path[0], a.Path[1], viewport)
		return out, err
	}
	return out, h.holding(ctx, a.Keys, func() error {
		mouse := h.screen.page.Mouse()
		h.at = at
		switch a.Kind {
		case Move:
			return mouse.Move(ctx, at.X, at.Y)
		case Click:
			return mouse.Click(ctx, at.X, at.Y, &browser.ClickOptions{Button: a.Button, Count: a.Times, Hold: touch})
		case Down:
			h.down = append(h.down, a.Button)
			if err := mouse.Move(ctx, at.X, at.Y); err != nil {
				return err
			}
			return mouse.Down(ctx, &browser.MouseOptions{Button: a.Button})
		case Up:
			h.down = slices.DeleteFunc(h.down, func(b string) bool { return b == a.Button })
			if err := mouse.Move(ctx, at.X, at.Y); err != nil {
				return err
			}
			return mouse.Up(ctx, &browser.MouseOptions{Button: a.Button})
		case Drag:
			h.at = path[len(path)-1]
			return mouse.Drag(ctx, path, &browser.DragOptions{Hold: touch / 2})
		case Scroll:
			if a.By == nil {
				return errors.New("how far to scroll is missing")
			}
			by := a.By.In(viewport)
			return mouse.Wheel(ctx, at.X, at.Y, by.X, by.Y)
		}
		return fmt.Errorf("there is no action called %q", a.Kind)
	})
}

// where is the place that an action is meant for: that of its element, which is
// brought into view, or its own.
func (h *hand) where(ctx context.Context, a *Action, viewport Space) (browser.Point, error) {
	if a.Ref == "" && len(a.Found) == 0 {
		return h.place(a.At, viewport)
	}
	e, err := h.tree.element(ctx, a)
	if err != nil {
		return browser.Point{}, err
	}
	defer e.Release()
	return e.Point(ctx)
}

// place is where the mouse goes for a point, or where it is for none.
func (h *hand) place(p *Point, viewport Space) (browser.Point, error) {
	if p == nil {
		return h.at, nil
	}
	if err := p.Check(); err != nil {
		return browser.Point{}, err
	}
	there := p.In(viewport)
	return browser.Point{X: there.X, Y: there.Y}, nil
}

// holding does something while keys are down.
func (h *hand) holding(ctx context.Context, keys []string, do func() error) (err error) {
	keyboard := h.screen.page.Keyboard()
	for _, key := range keys {
		if err := keyboard.Down(ctx, key); err != nil {
			return err
		}
		defer func() {
			if up := keyboard.Up(context.WithoutCancel(ctx), key); err == nil {
				err = up
			}
		}()
	}
	return do()
}

func (h *hand) press(ctx context.Context, a Action) error {
	for i := range max(a.Times, 1) {
		if i > 0 {
			if err := pause(ctx, touch/2); err != nil {
				return err
			}
		}
		if err := h.screen.page.Keyboard().Chord(ctx, a.Keys, touch); err != nil {
			return err
		}
	}
	return nil
}

func (h *hand) hold(ctx context.Context, a Action) error {
	keyboard := h.screen.page.Keyboard()
	if len(a.Keys) == 1 {
		return keyboard.HoldRepeat(ctx, a.Keys[0], a.For)
	}
	return keyboard.Chord(ctx, a.Keys, a.For)
}

// key presses or releases a key, and remembers which are left down.
func (h *hand) key(ctx context.Context, a Action) error {
	for _, key := range a.Keys {
		h.keys = slices.DeleteFunc(h.keys, func(k string) bool { return k == key })
		do := h.screen.page.Keyboard().Up
		if a.Kind == KeyDown {
			h.keys = append(h.keys, key)
			do = h.screen.page.Keyboard().Down
		}
		if err := do(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// letGo releases what a model left down. Whoever has the page next starts with
// empty hands.
func (h *hand) letGo(ctx context.Context) {
	for _, key := range h.keys {
		_ = h.screen.page.Keyboard().Up(ctx, key) // the page may be gone
	}
	for _, button := range h.down {
		_ = h.screen.page.Mouse().Up(ctx, &browser.MouseOptions{Button: button})
	}
	h.keys, h.down = nil, nil
}

func (h *hand) navigate(ctx context.Context, url string) error {
	if err := h.bounds.Allows(url); err != nil {
		h.bounds.Refuse(url)
		return err
	}
	_, err := h.screen.page.Navigate(ctx, url, &browser.NavigateOptions{Timeout: arrival})
	return err
}

// travel goes through the page's history.
func (h *hand) travel(ctx context.Context, by int64) error {
	session := h.screen.page.Session()
	history, err := protocol.Call(ctx, session, page.GetNavigationHistory, protocol.Empty{})
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	to := history.CurrentIndex + by
	if to < 0 || to >= int64(len(history.Entries)) {
		return errors.New("there is no page in that direction")
	}
	entry := history.Entries[to]
	if entry.URL == "about:blank" {
		return errors.New("there is no page in that direction")
	}
	if err := h.bounds.Allows(entry.URL); err != nil {
		h.bounds.Refuse(entry.URL)
		return err
	}
	_, err = protocol.Call(ctx, session, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID})
	if err != nil {
		return fmt.Errorf("go through the history: %w", err)
	}
	return nil
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
