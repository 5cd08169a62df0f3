// Package evidence keeps what runs leave behind: pictures, logs, archives of
// the network, video, records and reports. They lie in a folder or in an
// S3-compatible bucket, behind one small interface; a Writer on top of it takes
// the files of one run at the moment they exist, without making the run wait.
//
//	run ── Picture, File ──> Writer ── redact ── buffer ── one goroutine ──> Store: Folder, S3
//	                            ├─ attempt-1/console.log, attempt-1/screenshots/start.png, ...
//	                            └─ attempt-1/manifest.json: names and hashes of what is kept for good
//
// Each attempt at a run has a folder of its own, which only its worker writes
// to. Which attempt counts is not told here but where the run's end is stored.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"time"
)

var (
	// ErrNotFound is what Get says about a file that is not there.
	ErrNotFound = errors.New("no such evidence")
	// ErrNoLink is what a store says that has no addresses of its own: its
	// files are served through Get.
	ErrNoLink = errors.New("this store has no links")
	// ErrName is what a name gets that is not made of plain segments.
	ErrName = errors.New("not a name for evidence")
)

// File is a file of a run.
type File struct {
	// Name is relative to the run, with slashes: screenshots/start.png.
	Name string `json:"name"`
	Size int64  `json:"size"`
	// SHA256 in hexadecimal. Known when a file is put, empty in a listing.
	SHA256 string `json:"sha256,omitempty"`
	// Modified is when the store took the file.
	Modified time.Time `json:"modified,omitzero"`
}

// Store keeps files by run and name. Both are checked before anything else is
// done with them (see CheckRun, CheckName). All methods may be called from many
// goroutines and from many machines.
type Store interface {
	// Put keeps what the reader holds, without holding all of it in memory.
	// When it returns nil the file is complete and outlives a crash; until then
	// readers see what was there before.
	Put(ctx context.Context, run, name string, r io.Reader) (File, error)
	// Get opens a file, or returns ErrNotFound.
	Get(ctx context.Context, run, name string) (io.ReadCloser, error)
	// List tells the files of a run by name. A run that left none has none.
	List(ctx context.Context, run string) ([]File, error)
	// Delete removes all files of a run. It may be repeated.
	Delete(ctx context.Context, run string) error
	// Runs tells the runs that have files, in no order.
	Runs(ctx context.Context) iter.Seq2[string, error]
	// Link makes an address under which anyone can read the file for a while,
	// or returns ErrNoLink.
	Link(ctx context.Context, run, name string, valid time.Duration) (string, error)
	// Close lets go of the store. What was put stays.
	Close() error
}

var (
	_ Store = (*Folder)(nil)
	_ Store = (*Bucket)(nil)
)

// Options of Open.
type Options struct {
	// Credentials for a bucket. Nil takes them from where S3 clients look: the
	// environment, the shared credentials file, the machine's role.
	Credentials *Credentials
}

// Credentials are the keys to a bucket.
type Credentials struct {
	AccessKey, SecretKey, SessionToken string
}

// Open opens a store by its address: the path of a folder, file:///folder, or
//
//	s3://bucket/prefix?endpoint=https://host:9000&region=eu-central-1
//
// where prefix, endpoint (Amazon's when missing) and region are optional. A
// bucket is not asked for anything yet: see Check.
func Open(location string, opts *Options) (Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if location == "" {
		return nil, errors.New("the place for the evidence is empty")
	}
	scheme, _, found := strings.Cut(location, "://")
	if !found {
		return OpenFolder(location)
	}
	switch scheme {
	case "s3":
		place, err := parseBucket(location)
		if err != nil {
			return nil, err
		}
		return openBucket(place, opts.Credentials)
	case "file":
		u, err := url.Parse(location)
		if err != nil || u.Host != "" || u.Path == "" || u.RawQuery != "" {
			return nil, fmt.Errorf("the place for the evidence is not a folder: file:///path is")
		}
		return OpenFolder(u.Path)
	}
	return nil, fmt.Errorf("the place for the evidence begins with %q: a folder or s3://bucket/prefix can be used", scheme+"://")
}

// checkRun is where Check leaves its file.
const checkRun = "playtest-check"

// Check puts a small file and removes it again, to learn before a run whether
// its evidence will be kept.
func Check(ctx context.Context, s Store) error {
	if _, err := s.Put(ctx, checkRun, "check.txt", strings.NewReader("playtest was here\n")); err != nil {
		return fmt.Errorf("evidence cannot be kept there: %w", err)
	}
	if err := s.Delete(ctx, checkRun); err != nil {
		return fmt.Errorf("evidence cannot be removed there: %w", err)
	}
	return nil
}
