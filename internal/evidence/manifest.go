package evidence

import (
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

// Manifest says what one attempt at a run left behind for good, and what was
// lost. Names are relative to the attempt's folder (see AttemptName).
type Manifest struct {
	Version int     `json:"version"`
	Run     string  `json:"run"`
	Attempt int     `json:"attempt"`
	Files   []Entry `json:"files"`
	Lost    []Loss  `json:"lost,omitempty"`

	// SHA256 of the manifest as it is stored, empty when it is not. Whoever
	// remembers it can tell this manifest from every other.
	SHA256 string `json:"-"`
}

// Entry is a file that is kept for good.
type Entry struct {
	File
	// Pending is the hash of a newer version that was about to be put.
	Pending string `json:"pending,omitempty"`
}

// Loss is evidence that could not be kept.
type Loss struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

const (
	manifestVersion = 2
	manifestName    = "manifest.json"
	attemptPrefix   = "attempt-"
	// maxManifest is far more than a run can fill.
	maxManifest = 16 << 20
)

// AttemptName is the name within the run of what an attempt calls name. Every
// attempt has a folder of its own: a worker that was thought dead and comes
// back cannot touch what its successor wrote, whenever it wakes up.
func AttemptName(attempt int, name string) string {
	return attemptPrefix + strconv.Itoa(attempt) + "/" + name
}

// reserved tells names that only a Writer itself gives.
func reserved(name string) bool {
	return name == manifestName || strings.HasPrefix(name, attemptPrefix)
}

func (m *Manifest) add(e Entry) {
	m.drop(e.Name)
	m.Files = append(m.Files, e)
}

func (m *Manifest) drop(name string) {
	m.Files = slices.DeleteFunc(m.Files, func(e Entry) bool { return e.Name == name })
}

// Has reports whether a file is kept for good.
func (m *Manifest) Has(name string) bool {
	return slices.ContainsFunc(m.Files, func(e Entry) bool { return e.Name == name })
}

func (m *Manifest) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return append(data, '\n'), nil
}

// Attempts tells which attempts at a run left a manifest, in their order.
func Attempts(ctx context.Context, s Store, run string) ([]int, error) {
	files, err := s.List(ctx, run)
	if err != nil {
		return nil, err
	}
	var attempts []int
	for _, f := range files {
		folder, name, _ := strings.Cut(f.Name, "/")
		n, err := strconv.Atoi(strings.TrimPrefix(folder, attemptPrefix))
		if name == manifestName && err == nil && n > 0 && AttemptName(n, name) == f.Name {
			attempts = append(attempts, n)
		}
	}
	slices.Sort(attempts)
	return attempts, nil
}

// ReadManifest reads what an attempt at a run left. ErrNotFound says that it
// left no manifest.
func ReadManifest(ctx context.Context, s Store, run string, attempt int) (*Manifest, error) {
	r, err := s.Get(ctx, run, AttemptName(attempt, manifestName))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err != nil {
		return nil, fmt.Errorf("read the manifest of attempt %d at run %s: %w", attempt, run, err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read the manifest of attempt %d at run %s: %w", attempt, run, err)
	}
	if m.Version != manifestVersion || m.Run != run || m.Attempt != attempt {
		return nil, fmt.Errorf("the manifest of attempt %d at run %s is of version %d, attempt %d and run %s", attempt, run, m.Version, m.Attempt, clip(m.Run))
	}
	m.SHA256 = sumOf(data)
	return &m, nil
}

// Verify reads every file that the manifest of an attempt names and compares
// it. The manifest itself must have the given hash, unless that is empty. The
// error names all that are missing or differ.
func Verify(ctx context.Context, s Store, run string, attempt int, manifest string) error {
	m, err := ReadManifest(ctx, s, run, attempt)
	if err != nil {
		return err
	}
	var errs []error
	if manifest != "" && m.SHA256 != manifest {
		errs = append(errs, fmt.Errorf("the manifest of attempt %d at run %s is not the one that the run names: its hash is %.12s, not %.12s", attempt, run, m.SHA256, manifest))
	}
	for _, e := range m.Files {
		if err := verify(ctx, s, run, AttemptName(attempt, e.Name), e); err != nil {
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
		return fmt.Errorf("%s of run %s is not what was kept: %d bytes with hash %.12s, not %d with %.12s", name, run, size, sum, e.Size, e.SHA256)
	}
	return nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
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
