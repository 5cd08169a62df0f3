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
	// Number grows by one with each input of the page.
	Number int64
	Time   time.Time
	Kind   InputKind
	At     Point  // of the pointer or finger, in CSS pixels of the viewport
	Key    string // the code of a key, such as KeyA
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

// keptInputs is how many inputs a page remembers.
const keptInputs = 16

// Inputs are the newest presses, keys and texts that were sent to the page after the one
// with the given number, oldest first. Only the last few are remembered.
func (p *Page) Inputs(after int64) (inputs []InputEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.lately {
		if e.Number > after {
			inputs = append(inputs, e)
		}
	}
	return inputs
}

// sent remembers an input and tells whoever wants to know of it.
func (p *Page) sent(kind InputKind, at Point, key string) {
	p.mu.Lock()
	p.counted++
	e := InputEvent{Number: p.counted, Time: time.Now(), Kind: kind, At: at, Key: key}
	switch kind {
	case PointerPressed, KeyPressed, TextTyped:
		if len(p.lately) == keptInputs {
			p.lately = append(p.lately[:0], p.lately[1:]...)
		}
		p.lately = append(p.lately, e)
	}
	all := p.inputs // replaced as a whole, never written to
	p.mu.Unlock()
	for _, o := range all {
		o.tell(e)
	}
}
