package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// work is the Writer's goroutine: one file after the other, so that what was
// written last under a name is what stays. Whenever nothing waits, and now and
// then when much does, the manifest is stored.
func (w *Writer) work() {
	defer close(w.done)
	defer func() {
		if w.fenced != nil {
			w.shut()
		}
	}()
	pause := firstPause
	for w.ctx.Err() == nil {
		it, more := w.first()
		if it == nil && len(w.unsaid) == 0 {
			if !more {
				return
			}
			continue
		}
		err := w.prepare()
		if w.fenced != nil {
			return
		}
		if err == nil && (it == nil || len(w.unsaid) >= batch) {
			err = w.acknowledge(w.ctx, tryLimit)
		} else if err == nil {
			if err = w.put(it); err != nil {
				w.failed(it, err)
			}
		}
		if w.fenced != nil {
			return
		}
		if err == nil {
			if w.refused(nil) {
				w.note("the evidence is kept again")
			}
			pause = firstPause
			continue
		}
		if w.ctx.Err() == nil && w.refused(err) {
			w.note("the evidence waits for its store: %v", err)
		}
		select {
		case <-w.ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// first returns the file that has waited longest, which from then on cannot be
// replaced. When there is none it waits for a change, unless a manifest is due;
// more is false when none will come.
func (w *Writer) first() (it *item, more bool) {
	w.mu.Lock()
	if len(w.waiting) > 0 {
		defer w.mu.Unlock()
		w.waiting[0].busy = true
		return w.waiting[0], true
	}
	closing, changed := w.closing, w.changed
	w.mu.Unlock()
	if closing || len(w.unsaid) > 0 {
		return nil, !closing
	}
	select {
	case <-changed:
	case <-w.ctx.Done():
	}
	return nil, true
}

// prepare finds out whether a process that died did a part of this attempt.
func (w *Writer) prepare() error {
	if w.manifest != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(w.ctx, tryLimit)
	defer cancel()
	m, err := ReadManifest(ctx, w.store, w.run, w.opts.Attempt)
	switch {
	case errors.Is(err, ErrNotFound):
		m = &Manifest{Version: manifestVersion, Run: w.run, Attempt: w.opts.Attempt, Files: []Entry{}}
	case err != nil:
		return err
	}
	w.mu.Lock()
	w.lost = slices.Concat(m.Lost, w.lost)
	w.mu.Unlock()
	w.manifest = m
	return nil
}

// write is the one way to the store: under a name of this attempt, and only
// while the run is ours.
func (w *Writer) write(ctx context.Context, name string, r io.Reader) (File, error) {
	if w.opts.Fence != nil {
		if err := w.opts.Fence(ctx); err != nil {
			w.fenced = err
			return File{}, err
		}
	}
	f, err := w.store.Put(ctx, w.run, AttemptName(w.opts.Attempt, name), r)
	f.Name = name
	return f, err
}

// put puts one file.
func (w *Writer) put(it *item) error {
	same, err := w.announce(it)
	if err != nil {
		return err
	}
	if same {
		w.remove(it, nil)
		return nil
	}
	r, err := it.open()
	if err != nil {
		w.giveUp(it, err)
		return nil
	}
	ctx, cancel := context.WithTimeout(w.ctx, it.limit)
	defer cancel()
	f, err := w.write(ctx, it.name, r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	w.taken++
	w.unsaid = append(w.unsaid, Entry{File: f})
	w.remove(it, nil)
	return nil
}

// announce writes down the hash of a new version of a file that is acknowledged
// already, so that whatever is there after a crash can be told from damage. It
// reports whether the new version is the old one.
func (w *Writer) announce(it *item) (same bool, err error) {
	named := func(e Entry) bool { return e.Name == it.name }
	if !slices.ContainsFunc(w.manifest.Files, named) {
		return false, nil
	}
	if slices.ContainsFunc(w.unsaid, named) { // yet another version came between
		if err := w.acknowledge(w.ctx, tryLimit); err != nil {
			return false, err
		}
	}
	r, err := it.open()
	if err != nil {
		return false, nil // put will find out, too
	}
	defer r.Close()
	_, sum, err := hash(r)
	if err != nil {
		return false, err
	}
	e := &w.manifest.Files[slices.IndexFunc(w.manifest.Files, named)]
	if e.Pending == "" && e.SHA256 == sum {
		return true, nil
	}
	e.Pending = sum
	return false, w.acknowledge(w.ctx, tryLimit)
}

// giveUp loses a file by its own fault: another try would not help.
func (w *Writer) giveUp(it *item, err error) {
	w.lose(it.name, err)
	w.remove(it, err)
}

// remove takes a file out of the buffer and tells who waits for it.
func (w *Writer) remove(it *item, err error) {
	w.mu.Lock()
	w.waiting = slices.DeleteFunc(w.waiting, func(o *item) bool { return o == it })
	w.buffered -= it.size
	w.full = false
	w.signal()
	w.mu.Unlock()
	if it.done != nil {
		it.done <- err
	}
}

// failed sends a file to the end of the line. One that fails while the store
// takes others is given up, because the fault is its own.
func (w *Writer) failed(it *item, err error) {
	if it.tries == 0 {
		it.since = w.taken
	}
	it.tries++
	if it.tries >= chances && w.taken > it.since {
		w.giveUp(it, err)
		return
	}
	w.mu.Lock()
	it.busy = false
	at := slices.Index(w.waiting, it)
	newer := it.done == nil && slices.ContainsFunc(w.waiting[at+1:], func(o *item) bool { return o.name == it.name })
	if !newer && !it.left {
		w.waiting = append(slices.Delete(w.waiting, at, at+1), it)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	w.remove(it, err)
}

// acknowledge stores the manifest, after which the files in it count as kept.
func (w *Writer) acknowledge(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	next := *w.manifest
	next.Files = slices.Clone(w.manifest.Files)
	for _, e := range w.unsaid {
		next.add(e)
	}
	next.Lost = w.losses()
	data, err := next.encode()
	if err != nil {
		return err
	}
	if _, err := w.write(ctx, manifestName, bytes.NewReader(data)); err != nil {
		return err
	}
	next.SHA256 = sumOf(data)
	said := w.unsaid
	w.manifest, w.unsaid = &next, nil
	if w.opts.Acknowledged != nil {
		for _, e := range said {
			w.opts.Acknowledged(e)
		}
	}
	return nil
}

func (w *Writer) losses() []Loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lost)
}

// shut takes nothing more and gives up what waits, without a word to the store.
func (w *Writer) shut() {
	w.mu.Lock()
	w.closing = true
	w.signal()
	w.mu.Unlock()
	for _, it := range w.left() {
		w.remove(it, w.fenced)
	}
}

// conclude is Close after the goroutine has ended.
func (w *Writer) conclude() (*Manifest, error) {
	for _, it := range w.left() {
		err := errors.New("the store did not take it in time")
		w.lose(it.name, err)
		w.remove(it, err)
	}
	m := w.manifest
	if m == nil {
		// No file was ever taken.
		m = &Manifest{Version: manifestVersion, Run: w.run, Attempt: w.opts.Attempt, Files: []Entry{}}
	} else if w.fenced == nil && (len(w.unsaid) > 0 || len(w.losses()) != len(m.Lost)) {
		if err := w.acknowledge(context.Background(), lastWords); err != nil {
			for _, e := range w.unsaid {
				w.lose(e.Name, fmt.Errorf("the manifest could not be written: %w", err))
			}
			w.unsaid = nil
		}
		m = w.manifest
	}
	m.Lost = w.losses()
	if w.fenced != nil {
		return m, w.fenced
	}
	if len(m.Lost) == 0 {
		return m, nil
	}
	var names []string
	for _, l := range m.Lost {
		names = append(names, l.Name)
	}
	err := fmt.Errorf("%d files of the evidence are lost: %s", len(names), clip(strings.Join(names, ", ")))
	if refusal := w.Refusal(); refusal != nil {
		err = fmt.Errorf("%w: %w", err, refusal)
	}
	return m, err
}

func (w *Writer) left() []*item {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.waiting)
}
