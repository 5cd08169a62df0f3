package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Manifest says what one attempt at a run, or all of them, left behind for
// good, and what was lost.
type Manifest struct {
	Version int     `json:"version"`
	Run     string  `json:"run"`
	Attempt int     `json:"attempt"`
	Files   []Entry `json:"files"`
	Lost    []Loss  `json:"lost,omitempty"`
}

// Entry is a file that is kept for good.
type Entry struct {
	File
	// Attempt that left it. Lower than the manifest's when it is kept from an
	// earlier one.
	Attempt int `json:"attempt"`
	// Pending is the hash of a newer version that was about to be put.
	Pending string `json:"pending,omitempty"`
}

// Loss is evidence that could not be kept.
type Loss struct {
	Name    string `json:"name"`
	Why     string `json:"why"`
	Attempt int    `json:"attempt"`
}

const (
	manifestVersion = 1
	// maxManifest is far more than a run can fill.
	maxManifest = 16 << 20
)

// Each attempt writes a manifest of its own, so that a worker that was thought
// dead cannot undo what its successor wrote.
func manifestName(attempt int) string { return fmt.Sprintf("manifest-%d.json", attempt) }

func manifestAttempt(name string) (int, bool) {
	n, found := strings.CutPrefix(name, "manifest-")
	n, json := strings.CutSuffix(n, ".json")
	attempt, err := strconv.Atoi(n)
	return attempt, found && json && err == nil && attempt > 0
}

// earlierName is where a file of an earlier attempt is kept when a later one
// needs its name.
func earlierName(attempt int, name string) string {
	return fmt.Sprintf("attempt-%d/%s", attempt, name)
}

// reserved tells names that only a Writer itself gives.
func reserved(name string) bool {
	_, ok := manifestAttempt(name)
	return ok || strings.HasPrefix(name, "attempt-")
}

func (m *Manifest) add(e Entry) {
	m.drop(e.Name)
	m.Files = append(m.Files, e)
}

func (m *Manifest) drop(name string) {
	m.Files = slices.DeleteFunc(m.Files, func(e Entry) bool { return e.Name == name })
}

func (m *Manifest) find(name string) (Entry, bool) {
	i := slices.IndexFunc(m.Files, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return m.Files[i], true
}

func (m *Manifest) put(ctx context.Context, s Store) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	_, err = s.Put(ctx, m.Run, manifestName(m.Attempt), bytes.NewReader(append(data, '\n')))
	return err
}

// ReadManifest puts the manifests of all attempts at a run together. Of a name
// that several attempts used it tells the latest; what the earlier ones left
// there is listed as attempt-N/name. A run without a manifest is ErrNotFound.
func ReadManifest(ctx context.Context, s Store, run string) (*Manifest, error) {
	files, err := s.List(ctx, run)
	if err != nil {
		return nil, err
	}
	var attempts []int
	for _, f := range files {
		if n, ok := manifestAttempt(f.Name); ok {
			attempts = append(attempts, n)
		}
	}
	if len(attempts) == 0 {
		return nil, fmt.Errorf("the manifest of run %s: %w", run, ErrNotFound)
	}
	slices.Sort(attempts)
	all := &Manifest{Version: manifestVersion, Run: run}
	for _, n := range attempts {
		m, err := readManifest(ctx, s, run, n)
		if err != nil {
			return nil, err
		}
		for _, e := range m.Files {
			all.add(e)
		}
		all.Lost = append(all.Lost, m.Lost...)
		all.Attempt = n
	}
	slices.SortFunc(all.Files, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func readManifest(ctx context.Context, s Store, run string, attempt int) (*Manifest, error) {
	r, err := s.Get(ctx, run, manifestName(attempt))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var m Manifest
	if err := json.NewDecoder(io.LimitReader(r, maxManifest)).Decode(&m); err != nil {
		return nil, fmt.Errorf("read manifest %d of run %s: %w", attempt, run, err)
	}
	if m.Version != manifestVersion || m.Run != run {
		return nil, fmt.Errorf("manifest %d of run %s is of version %d and run %s", attempt, run, m.Version, clip(m.Run))
	}
	return &m, nil
}

// Verify reads every file that the manifests of a run name and compares it. The
// error names all that are missing or differ.
func Verify(ctx context.Context, s Store, run string) error {
	m, err := ReadManifest(ctx, s, run)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range m.Files {
		err := verify(ctx, s, run, e.Name, e)
		if err != nil && ctx.Err() == nil {
			// A later attempt may have taken the name and died before it said so.
			if verify(ctx, s, run, earlierName(e.Attempt, e.Name), e) == nil {
				err = nil
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func verify(ctx context.Context, s Store, run, name string, e Entry) error {
	size, sum, err := hashOf(ctx, s, run, name)
	if err != nil {
		return err
	}
	if (size != e.Size || sum != e.SHA256) && sum != e.Pending {
		return fmt.Errorf("%s of run %s is not what was kept: %d bytes with hash %.12s, not %d with %.12s", e.Name, run, size, sum, e.Size, e.SHA256)
	}
	return nil
}

func hashOf(ctx context.Context, s Store, run, name string) (int64, string, error) {
	r, err := s.Get(ctx, run, name)
	if err != nil {
		return 0, "", err
	}
	defer r.Close()
	size, sum, err := hash(&cancelled{ctx, r})
	if err != nil {
		return 0, "", fmt.Errorf("read %s: %w", name, err)
	}
	return size, sum, nil
}

func hash(r io.Reader) (size int64, sum string, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}
