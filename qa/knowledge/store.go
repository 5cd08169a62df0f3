package knowledge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// Store keeps entries. What an entry says is the book's matter: a store keeps
// JSON by id. The methods are safe for use by many goroutines.
type Store interface {
	// Knowledge returns everything, by id. The caller owns the map.
	Knowledge(ctx context.Context) (map[string][]byte, error)
	// PutKnowledge keeps an entry in place of the one with the same id.
	PutKnowledge(ctx context.Context, id string, data []byte) error
	// DeleteKnowledge removes an entry. One that is not there is no error.
	DeleteKnowledge(ctx context.Context, id string) error
}

// Ram is a store that lasts as long as the process.
type Ram struct {
	mu   sync.Mutex
	rows map[string][]byte
}

// Knowledge returns everything.
func (r *Ram) Knowledge(context.Context) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := maps.Clone(r.rows)
	if out == nil {
		out = map[string][]byte{}
	}
	return out, nil
}

// PutKnowledge keeps an entry.
func (r *Ram) PutKnowledge(_ context.Context, id string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == nil {
		r.rows = map[string][]byte{}
	}
	r.rows[id] = data
	return nil
}

// DeleteKnowledge removes an entry.
func (r *Ram) DeleteKnowledge(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rows, id)
	return nil
}

// File is a store in one JSON file that only its owner can read. It is read
// before every change and replaced in one piece, so that a reader never sees
// half of it; of two processes that change it at the same moment one may lose
// its change, which a later run makes again.
type File struct {
	Path string
	mu   sync.Mutex
}

// fileVersion is the version of the file's form.
const fileVersion = 1

type contents struct {
	Version int                        `json:"version"`
	Games   map[string]json.RawMessage `json:"games"`
}

// Knowledge reads the file. A file that is not there is empty.
func (f *File) Knowledge(context.Context) (map[string][]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.read()
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(c.Games))
	for id, data := range c.Games {
		out[id] = data
	}
	return out, nil
}

// PutKnowledge keeps an entry.
func (f *File) PutKnowledge(_ context.Context, id string, data []byte) error {
	return f.change(func(games map[string]json.RawMessage) { games[id] = data })
}

// DeleteKnowledge removes an entry.
func (f *File) DeleteKnowledge(_ context.Context, id string) error {
	return f.change(func(games map[string]json.RawMessage) { delete(games, id) })
}

func (f *File) change(how func(map[string]json.RawMessage)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.read()
	if err != nil {
		return err
	}
	how(c.Games)
	return f.write(c)
}

func (f *File) read() (contents, error) {
	c := contents{Version: fileVersion}
	data, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return c, err
	default:
		if err := json.Unmarshal(data, &c); err != nil {
			return c, fmt.Errorf("%s is damaged: %w", f.Path, err)
		}
	}
	if c.Version > fileVersion {
		return c, fmt.Errorf("%s was written by a newer playtest", f.Path)
	}
	if c.Games == nil {
		c.Games = map[string]json.RawMessage{}
	}
	return c, nil
}

func (f *File) write(c contents) error {
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(f.Path)+".*") // readable by its owner only
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), f.Path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // what is left is only in the way
	}
	return err
}
