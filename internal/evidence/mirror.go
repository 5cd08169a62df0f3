package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Mirror puts the files of a results folder into a writer, for runs that were
// kept in a folder first. Files that cannot be kept are in the error; the
// others are. What is not a plain file with a plain name is left out.
func Mirror(ctx context.Context, w *Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("keep the results: %w", err)
	}
	defer root.Close()
	var errs []error
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || CheckName(name) != nil || reserved(name) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		err = w.Stream(ctx, name, info.Size(), func() (io.ReadCloser, error) { return root.Open(name) })
		if err != nil {
			errs = append(errs, err)
		}
		return context.Cause(ctx)
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("keep the results: %w", err))
	}
	return errors.Join(errs...)
}
