package browser

import (
	"slices"
	"time"
)

// InputKind says what was done to a page.
type InputKind string

// Kinds of input. Text that is typed or inserted is one event without what was
// typed, which may be a password.
const (
	PointerMoved    InputKind = "move"
	PointerPressed  InputKind = "press"
	PointerReleased InputKind = "release"
	WheelTurned     InputKind = "wheel"
	KeyPressed      InputKind = "key down"
	KeyReleased     InputKind = "key up"
	TextTyped       InputKind = "text"
)

// InputEvent is an input at the moment it was sent to a page.
type InputEvent struct {
	Time time.Time
	Kind InputKind
	At   Point  // of the pointer or finger, in CSS pixels of the viewport
	Key  string // the code of a key, such as KeyA
}

// onInput is somebody who is told of inputs.
type onInput struct{ tell func(InputEvent) }

// OnInput calls tell for every input that is sent to the page, before the page has
// handled it, until stop. Tell is called from any goroutine and must not block.
func (p *Page) OnInput(tell func(InputEvent)) (stop func()) {
	o := &onInput{tell}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inputs = append(slices.Clone(p.inputs), o)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inputs = slices.DeleteFunc(slices.Clone(p.inputs), func(other *onInput) bool { return other == o })
	}
}

// sent tells whoever wants to know of an input.
func (p *Page) sent(kind InputKind, at Point, key string) {
	p.mu.Lock()
	all := p.inputs // replaced as a whole, never written to
	p.mu.Unlock()
	if len(all) == 0 {
		return
	}
	e := InputEvent{Time: time.Now(), Kind: kind, At: at, Key: key}
	for _, o := range all {
		o.tell(e)
	}
}
