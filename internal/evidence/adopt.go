package evidence

import (
	"context"
	"errors"
	"io"
)

// Adopt copies what an earlier attempt kept for good into this one, for a run
// that is judged from the record of a worker that died: the attempt that counts
// then has everything that its report names. A copy, and not a reference,
// because the earlier worker may come back and still write to its own folder.
// Nothing is adopted from an attempt that left no manifest.
func (w *Writer) Adopt(ctx context.Context, attempt int) error {
	m, err := ReadManifest(ctx, w.store, w.run, attempt)
	if errors.Is(err, ErrNotFound) || attempt == w.opts.Attempt {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range m.Files {
		open := func() (io.ReadCloser, error) { return w.store.Get(ctx, w.run, AttemptName(attempt, e.Name)) }
		// Secrets were taken out when it was written first.
		if err := w.stream(ctx, e.Name, e.Size, open); err != nil {
			return err
		}
	}
	return nil
}
