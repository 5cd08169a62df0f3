package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
	"time"
)

var (
	// ErrFull is what a file gets for which the buffer has no room: the store
	// is slower than the run, or down.
	ErrFull = errors.New("the store of the evidence does not keep up")
	// ErrClosed is what a file gets after Close.
	ErrClosed = errors.New("the evidence is closed")
)

// WriterOptions tune a Writer. The zero value is fine.
type WriterOptions struct {
	// Attempt at the run, 1 if zero. No two attempts may have the same number:
	// it names their folder.
	Attempt int
	// Fence is asked before every write to the store. Its error says that the run
	// is somebody else's by now: the writer ends, and writes nothing any more. Nil
	// lets everything through. Called from the Writer's goroutine.
	Fence func(ctx context.Context) error
	// Buffer is how many bytes may wait for the store, 64 MB if zero.
	Buffer int64
	// Patience is how long a file may wait for room in the buffer, a quarter of
	// a second if zero. Once it was in vain nothing waits until there is room.
	Patience time.Duration
	// Secrets are values that must not be kept.
	Secrets []string
	// Acknowledged is told of every file that is kept for good. Called from the
	// Writer's goroutine.
	Acknowledged func(Entry)
	// Note is told, for a person, when the store stops taking files, when it
	// goes on, and what is lost. Called from the Writer's goroutine and from
	// those who write.
	Note func(text string)
}

const (
	defaultBuffer   = 64 << 20
	defaultPatience = 250 * time.Millisecond
	// maxWaiting bounds the number of files in the buffer.
	maxWaiting = 1024
	// maxText is the largest text that is looked through for secrets.
	maxText = 64 << 20
	// batch is how many files are acknowledged by one manifest while more wait.
	batch = 16
	// chances are how often a file may fail while others are taken.
	chances = 5
	// One try at a file: a request that hangs must not take the others with it.
	// A large file gets as long as it needs at a slow megabyte a second.
	tryLimit = 30 * time.Second
	slowest  = 1 << 20

	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	// lastWords is for the manifest after the time to close is over.
	lastWords = 2 * time.Second
)

// Writer takes the files of one run and puts them into a store from a goroutine
// of its own, in the order they came. What waits is bounded; a store that is
// slow or down costs evidence, never the run.
type Writer struct {
	store  Store
	run    string
	opts   WriterOptions
	redact *Redactor

	ctx    context.Context // ends when Close has waited long enough
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	waiting  []*item
	buffered int64
	full     bool          // waiting for room was in vain, and there was none since
	closing  bool          // nothing new is taken
	changed  chan struct{} // closed at every change of the above
	lost     []Loss
	refusal  error // what the store said last, nil while it takes files

	// The goroutine's own.
	manifest *Manifest // the last that was stored; nil until it is known whether there is one
	unsaid   []Entry   // put, and in no stored manifest yet
	taken    int       // files the store took
	fenced   error     // why nothing may be written any more
}

// item is a file on its way.
type item struct {
	name  string
	size  int64 // in the buffer
	limit time.Duration
	open  func() (io.ReadCloser, error)
	done  chan error // of a caller who waits, or nil
	tries int
	since int  // taken, when it failed first
	busy  bool // being put
	left  bool // the caller waits no more
}

// NewWriter starts a writer for a run. It must be closed.
func NewWriter(store Store, run string, opts *WriterOptions) (*Writer, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	w := &Writer{store: store, run: run, done: make(chan struct{}), changed: make(chan struct{})}
	if opts != nil {
		w.opts = *opts
	}
	w.opts.Attempt = max(1, w.opts.Attempt)
	if w.opts.Buffer <= 0 {
		w.opts.Buffer = defaultBuffer
	}
	if w.opts.Patience <= 0 {
		w.opts.Patience = defaultPatience
	}
	w.redact = NewRedactor(w.opts.Secrets)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	go w.work()
	return w, nil
}

// Picture takes a picture and returns its path within the attempt. The data
// must not be changed afterwards.
func (w *Writer) Picture(name string, png []byte) (string, error) {
	name = segmentOf(name)
	if path.Ext(name) == "" {
		name += ".png"
	}
	name = "screenshots/" + name
	return name, w.take(name, png)
}

// File takes a log or another text. Secrets are taken out of it. The data must
// not be changed afterwards.
func (w *Writer) File(name string, data []byte) error {
	return w.take(segmentOf(name), data)
}

// take puts a file into the buffer, or notes that it is lost.
func (w *Writer) take(name string, data []byte) error {
	if reserved(name) {
		return fmt.Errorf("name %q: %w", name, ErrName)
	}
	it := &item{name: name, size: int64(len(data)), limit: tryLimit + time.Duration(len(data)/slowest)*time.Second}
	clean := sync.OnceValue(func() []byte { return w.redact.Redact(name, data) }) // in the writer's time, not in the run's
	it.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(clean())), nil }
	err := w.enqueue(it)
	if errors.Is(err, ErrFull) {
		w.lose(name, err)
	}
	return err
}

// enqueue waits for room for as long as the run can bear it.
func (w *Writer) enqueue(it *item) error {
	var timeout <-chan time.Time
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if w.closing {
			return fmt.Errorf("%s: %w", it.name, ErrClosed)
		}
		// What waits under the same name is out of date.
		i := slices.IndexFunc(w.waiting, func(o *item) bool { return o.name == it.name && !o.busy && o.done == nil && it.done == nil })
		freed := int64(0)
		if i >= 0 {
			freed = w.waiting[i].size
		}
		if w.buffered-freed+it.size <= w.opts.Buffer && (len(w.waiting) < maxWaiting || i >= 0) {
			w.buffered += it.size - freed
			if i >= 0 {
				w.waiting[i] = it
			} else {
				w.waiting = append(w.waiting, it)
			}
			w.signal()
			return nil
		}
		if w.full || it.size > w.opts.Buffer {
			return fmt.Errorf("%s: %w", it.name, ErrFull)
		}
		if timeout == nil {
			timer := time.NewTimer(w.opts.Patience)
			defer timer.Stop()
			timeout = timer.C
		}
		changed := w.changed
		w.mu.Unlock()
		expired := false
		select {
		case <-changed:
		case <-timeout:
			expired = true
		}
		w.mu.Lock()
		w.full = w.full || expired
	}
}

// signal wakes whoever waits for a change. The caller holds the lock.
func (w *Writer) signal() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// Stream puts a file that is too large for the buffer, a video for instance,
// and returns when the store has it. The file may be opened more than once.
// Text is still looked through for secrets, and too large a text refused.
func (w *Writer) Stream(ctx context.Context, name string, size int64, open func() (io.ReadCloser, error)) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if reserved(name) {
		return fmt.Errorf("name %q: %w", name, ErrName)
	}
	if !isText(name) {
		return w.stream(ctx, name, size, open)
	}
	if size > maxText {
		err := fmt.Errorf("%s: %d MB of text are too much to be looked through for secrets", name, size>>20)
		w.lose(name, err)
		return err
	}
	return w.stream(ctx, name, size, func() (io.ReadCloser, error) { return w.redacted(name, open) })
}

// stream puts a file as it is and waits until the store has it.
func (w *Writer) stream(ctx context.Context, name string, size int64, open func() (io.ReadCloser, error)) error {
	it := &item{name: name, done: make(chan error, 1), limit: tryLimit + time.Duration(size/slowest)*time.Second, open: open}
	if err := w.enqueue(it); err != nil {
		return err
	}
	select {
	case err := <-it.done:
		return err
	case <-ctx.Done():
		w.forget(it)
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
}

func (w *Writer) redacted(name string, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err == nil && len(data) > maxText {
		err = fmt.Errorf("%s has grown too much to be looked through for secrets", name)
	}
	return io.NopCloser(bytes.NewReader(w.redact.Redact(name, data))), err
}

// forget takes a file back out of the buffer. One that is being put gets this
// last try.
func (w *Writer) forget(it *item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	it.left = true
	w.waiting = slices.DeleteFunc(w.waiting, func(o *item) bool { return o == it && !o.busy })
	w.signal()
}

func (w *Writer) lose(name string, why error) {
	w.mu.Lock()
	w.lost = append(w.lost, Loss{Name: name, Why: why.Error()})
	w.mu.Unlock()
	w.note("%s is not kept: %v", name, why)
}

func (w *Writer) note(format string, args ...any) {
	if w.opts.Note != nil {
		w.opts.Note(fmt.Sprintf(format, args...))
	}
}

// Refusal is why the store takes nothing at the moment, or nil. It may be down, which
// passes, or not let us write, which does not.
func (w *Writer) Refusal() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusal
}

// refused remembers what the store said, and reports whether that is a change between
// taking files and not.
func (w *Writer) refused(err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := (err == nil) != (w.refusal == nil)
	w.refusal = err
	return changed
}

// Close waits until everything is kept, for as long as the context lasts; what
// is left then is lost. It tells what is kept for good. The error says that
// something is not.
func (w *Writer) Close(ctx context.Context) (*Manifest, error) {
	w.mu.Lock()
	w.closing = true
	w.signal()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-ctx.Done():
		w.cancel()
		<-w.done
	}
	w.cancel()
	return w.conclude()
}
