package browser

import "sync"

// Sent is an input that was sent to a page, for whoever shows what is being done to it.
type Sent struct {
	// Number grows by one with each input of the page.
	Number int64
	// Key is the code of a key that was pressed, At where a button or a finger was.
	// Text that was typed has neither: it may be a secret.
	Key string
	At  *Point
}

// keptSent is how many inputs a page remembers.
const keptSent = 16

// sentLog remembers the newest inputs of a page.
type sentLog struct {
	mu    sync.Mutex
	count int64
	kept  []Sent
}

func (l *sentLog) add(s Sent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	s.Number = l.count
	if len(l.kept) == keptSent {
		l.kept = append(l.kept[:0], l.kept[1:]...)
	}
	l.kept = append(l.kept, s)
}

// Sent returns where the mouse is, and the newest inputs after the one with the given
// number, oldest first. Only the last few are remembered.
func (p *Page) Sent(after int64) (mouse Point, inputs []Sent) {
	p.mouse.mu.Lock()
	mouse = p.mouse.at
	p.mouse.mu.Unlock()
	p.sent.mu.Lock()
	defer p.sent.mu.Unlock()
	for _, s := range p.sent.kept {
		if s.Number > after {
			inputs = append(inputs, s)
		}
	}
	return mouse, inputs
}
