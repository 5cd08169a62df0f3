package cdp

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Policy says what a full queue does with an event.
type Policy int

const (
	// DropOldest forgets the oldest droppable event, for floods such as console
	// messages where the newest matter.
	DropOldest Policy = iota
	// MustDeliver never drops. A consumer that lets the queue fill up all the
	// same loses the whole queue with ErrOverflow instead of one event unnoticed.
	MustDeliver
)

// Event is one protocol event as it came.
type Event struct {
	SessionID string
	Method    string
	Params    jsonv2.Value
}

// Limits bound a queue. Zero fields take the defaults.
type Limits struct {
	Droppable      int // droppable events, 4096
	DroppableBytes int // and their bytes, 16 MiB
	Sure           int // must-deliver events, 131072
	SureBytes      int // and their bytes, 64 MiB
}

// Queue holds events for one consumer in the order in which they came.
type Queue struct {
	limits Limits

	mu        sync.Mutex
	seq       uint64
	droppable fifo
	sure      fifo
	dropped   int
	err       error

	ready chan struct{}
}

// NewQueue returns an empty queue, with the default limits if they are nil.
func NewQueue(limits *Limits) *Queue {
	l := Limits{Droppable: 4096, DroppableBytes: 16 << 20, Sure: 131072, SureBytes: 64 << 20}
	if limits != nil {
		l.Droppable = or(limits.Droppable, l.Droppable)
		l.DroppableBytes = or(limits.DroppableBytes, l.DroppableBytes)
		l.Sure = or(limits.Sure, l.Sure)
		l.SureBytes = or(limits.SureBytes, l.SureBytes)
	}
	return &Queue{limits: l, ready: make(chan struct{}, 1)}
}

func or(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}

// push adds an event without ever blocking.
func (q *Queue) push(e Event, p Policy) {
	q.mu.Lock()
	if q.err != nil {
		q.mu.Unlock()
		return
	}
	q.seq++
	item := queued{seq: q.seq, event: e}
	if p == MustDeliver {
		q.sure.push(item)
		if q.sure.len() > q.limits.Sure || q.sure.bytes > q.limits.SureBytes {
			q.err = ErrOverflow
			q.sure, q.droppable = fifo{}, fifo{}
		}
	} else {
		q.droppable.push(item)
		// The newest stays even when it alone is over the limit.
		for q.droppable.len() > 1 && (q.droppable.len() > q.limits.Droppable || q.droppable.bytes > q.limits.DroppableBytes) {
			q.droppable.pop()
			q.dropped++
		}
	}
	q.mu.Unlock()
	q.signal()
}

func (q *Queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// Next returns the next event, waiting for one if there is none. After Close it
// returns what is left and then the reason.
func (q *Queue) Next(ctx context.Context) (Event, error) {
	for {
		q.mu.Lock()
		if q.sure.len() > 0 && (q.droppable.len() == 0 || q.sure.head().seq < q.droppable.head().seq) {
			e := q.sure.pop()
			q.mu.Unlock()
			return e, nil
		}
		if q.droppable.len() > 0 {
			e := q.droppable.pop()
			q.mu.Unlock()
			return e, nil
		}
		err := q.err
		q.mu.Unlock()
		if err != nil {
			return Event{}, err
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return Event{}, context.Cause(ctx)
		}
	}
}

// Dropped is how many events were forgotten so far.
func (q *Queue) Dropped() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// Close makes the queue take nothing more. The first reason stays.
func (q *Queue) Close(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	q.mu.Unlock()
	q.signal()
}

type queued struct {
	seq   uint64
	event Event
}

// fifo is a slice used as a queue that gives its memory back.
type fifo struct {
	items []queued
	first int
	bytes int
}

func (f *fifo) len() int      { return len(f.items) - f.first }
func (f *fifo) head() *queued { return &f.items[f.first] }

func (f *fifo) push(item queued) {
	f.items = append(f.items, item)
	f.bytes += len(item.event.Params)
}

func (f *fifo) pop() Event {
	e := f.items[f.first].event
	f.items[f.first] = queued{}
	f.first++
	f.bytes -= len(e.Params)
	if f.first == len(f.items) {
		f.items, f.first = f.items[:0], 0
		if cap(f.items) > 1024 {
			f.items = nil
		}
	} else if f.first > 1024 && f.first > len(f.items)/2 {
		f.items = append([]queued(nil), f.items[f.first:]...)
		f.first = 0
	}
	return e
}
