package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"
)

// Folder is a store in a folder: one folder a run, in it the files by name, to
// be looked at with any program. What begins with a dot is the store's own.
type Folder struct {
	root *os.Root
}

const (
	// writing holds files that are not complete yet. They are renamed to where
	// they belong, so a reader never sees half of one.
	writing = ".writing"
	// trash holds runs on their way out.
	trash = ".trash"
	// leftFor is the age from which a file in writing belongs to nobody.
	leftFor = 24 * time.Hour
)

// OpenFolder opens the folder, makes it where it is missing, and removes what
// a crash left unfinished in it.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open the evidence folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the evidence folder: %w", err)
	}
	f := &Folder{root}
	for _, own := range []string{writing, trash} {
		if err := root.MkdirAll(own, 0o755); err != nil {
			return nil, errors.Join(fmt.Errorf("open the evidence folder: %w", err), root.Close())
		}
	}
	if err := f.sweep(); err != nil {
		return nil, errors.Join(fmt.Errorf("tidy the evidence folder: %w", err), root.Close())
	}
	return f, nil
}

// sweep ends deletions that were interrupted and drops files whose writer died.
func (f *Folder) sweep() error {
	err := f.each(trash, func(name string, _ fs.FileInfo) error { return f.root.RemoveAll(path.Join(trash, name)) })
	return errors.Join(err, f.each(writing, func(name string, info fs.FileInfo) error {
		if time.Since(info.ModTime()) < leftFor {
			return nil // another process may be at it
		}
		return gone(f.root.Remove(path.Join(writing, name)))
	}))
}

func (f *Folder) each(dir string, do func(string, fs.FileInfo) error) error {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	for _, e := range entries {
		info, statErr := e.Info()
		if statErr != nil {
			err = errors.Join(err, gone(statErr))
			continue
		}
		err = errors.Join(err, do(e.Name(), info))
	}
	return err
}

// gone forgives that something was removed by another process.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Put writes beside, syncs, and renames.
func (f *Folder) Put(ctx context.Context, run, name string, r io.Reader) (File, error) {
	if err := check(run, name); err != nil {
		return File{}, err
	}
	temp := path.Join(writing, randomName())
	file, err := f.write(ctx, temp, r)
	if err == nil {
		err = f.settle(temp, path.Join(run, name))
	}
	if err != nil {
		return File{}, errors.Join(fmt.Errorf("keep %s: %w", name, err), gone(f.root.Remove(temp)))
	}
	file.Name = name
	return file, nil
}

func (f *Folder) write(ctx context.Context, temp string, r io.Reader) (File, error) {
	out, err := f.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return File{}, err
	}
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(out, hash), &cancelled{ctx, r})
	if err == nil && syncing {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return File{Size: size, SHA256: hex.EncodeToString(hash.Sum(nil)), Modified: time.Now()}, err
}

// settle moves a written file to its place and sees to it that the folders
// that lead there outlive a crash, too.
func (f *Folder) settle(temp, target string) error {
	dir := path.Dir(target)
	_, err := f.root.Stat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	if made {
		err = f.root.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if err := f.root.Rename(temp, target); err != nil {
		return err
	}
	for ; ; dir = path.Dir(dir) {
		if err := f.sync(dir); err != nil {
			return err
		}
		if !made || dir == "." {
			return nil
		}
	}
}

func (f *Folder) sync(dir string) error {
	if !syncing {
		return nil
	}
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// cancelled ends reading when its context ends.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// Get opens a file.
func (f *Folder) Get(_ context.Context, run, name string) (io.ReadCloser, error) {
	if err := check(run, name); err != nil {
		return nil, err
	}
	in, err := f.root.Open(path.Join(run, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s of run %s: %w", name, run, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		in.Close()
		return nil, fmt.Errorf("%s of run %s: %w", name, run, ErrNotFound)
	}
	return in, nil
}

// List walks the folder of a run.
func (f *Folder) List(ctx context.Context, run string) ([]File, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	var files []File
	err := fs.WalkDir(f.root.FS(), run, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := strings.TrimPrefix(p, run+"/")
		if !d.Type().IsRegular() || CheckName(name) != nil {
			return nil // not put here by us
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		files = append(files, File{Name: name, Size: info.Size(), Modified: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the evidence of run %s: %w", run, err)
	}
	sortByName(files)
	return files, nil
}

// Delete moves the run out of sight at once and then removes it. What a crash
// leaves of it is removed by the next OpenFolder.
func (f *Folder) Delete(_ context.Context, run string) error {
	if err := CheckRun(run); err != nil {
		return err
	}
	out := path.Join(trash, run+"."+randomName())
	err := f.root.Rename(run, out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = f.root.RemoveAll(out)
	}
	if err != nil {
		return fmt.Errorf("delete the evidence of run %s: %w", run, err)
	}
	return nil
}

// Runs reads the folder in portions.
func (f *Folder) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		dir, err := f.root.Open(".")
		if err != nil {
			yield("", fmt.Errorf("list the runs with evidence: %w", err))
			return
		}
		defer dir.Close()
		for {
			entries, err := dir.ReadDir(1000)
			for _, e := range entries {
				if e.IsDir() && plain(e.Name()) && !yield(e.Name(), nil) {
					return
				}
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield("", fmt.Errorf("list the runs with evidence: %w", err))
				return
			}
		}
	}
}

// Link has nothing to offer: a folder has no address.
func (f *Folder) Link(_ context.Context, run, name string, _ time.Duration) (string, error) {
	if err := check(run, name); err != nil {
		return "", err
	}
	return "", ErrNoLink
}
