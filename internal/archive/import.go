package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

var (
	// ErrExists is what an archive of a run gets that is there already.
	ErrExists = errors.New("the run is there already")
	// ErrLeftOver: there is no such run, but there is evidence of it, of an import
	// that was interrupted or of another database.
	ErrLeftOver = errors.New("there is evidence of this run, but no such run")
	// ErrNewer is what an archive gets that a newer playtest wrote.
	ErrNewer = errors.New("the archive was written by a newer playtest")
	// ErrBad is what everything gets that is not an archive as Export writes it.
	ErrBad = errors.New("not a sound archive of a run")
)

// ImportOptions bound what an archive may hold. Zeros mean the defaults.
type ImportOptions struct {
	// MaxBytes of everything, unpacked: 4 GB.
	MaxBytes int64
	// MaxFiles of evidence: 10,000.
	MaxFiles int
	// Replace removes evidence that an interrupted import left (see ErrLeftOver).
	Replace bool
}

const (
	maxBytes = 4 << 30
	maxFiles = 10_000
	// maxRows bounds the rows and the checksums, which are held in memory.
	maxRows = 128 << 20
	maxHead = 4 << 10
	// tidyLimit is for removing what a refused archive left.
	tidyLimit = 30 * time.Second
)

// Import adds a run from an archive and returns its id. The rows come last, in
// one step: without them the run is not there, and its evidence is removed.
func Import(ctx context.Context, r io.Reader, rows Rows, files evidence.Store, opts *ImportOptions) (run string, err error) {
	i := &importer{rows: rows, files: files}
	if opts != nil {
		i.opts = *opts
	}
	if i.opts.MaxBytes <= 0 {
		i.opts.MaxBytes = maxBytes
	}
	if i.opts.MaxFiles <= 0 {
		i.opts.MaxFiles = maxFiles
	}
	packed, err := gzip.NewReader(r)
	if err != nil {
		return "", fmt.Errorf("import: %w: %w", ErrBad, err)
	}
	i.tar = tar.NewReader(&bounded{packed, i.opts.MaxBytes})
	if err := i.run(ctx); err != nil {
		return "", fmt.Errorf("import: %w", errors.Join(err, i.undo(ctx)))
	}
	return i.id, nil
}

// bounded refuses to unpack more than it may.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: it unpacks to more than it may", ErrBad)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

type importer struct {
	opts    ImportOptions
	rows    Rows
	files   evidence.Store
	tar     *tar.Reader
	id      string
	started bool // evidence may have been put
	sums    []sum
}

func (i *importer) run(ctx context.Context) error {
	if err := i.head(ctx); err != nil {
		return err
	}
	lines, err := i.lines()
	if err != nil {
		return err
	}
	if err := i.evidence(ctx); err != nil {
		return err
	}
	return i.rows.Load(ctx, i.id, lines)
}

// next reads the head of the next entry, which must be a plain file.
func (i *importer) next() (*tar.Header, error) {
	h, err := i.tar.Next()
	if err == io.EOF {
		return nil, fmt.Errorf("%w: it ends too early", ErrBad)
	}
	if err != nil {
		return nil, bad(err)
	}
	if h.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("%w: %.80q is not a plain file", ErrBad, h.Name)
	}
	return h, nil
}

func bad(err error) error {
	if errors.Is(err, ErrBad) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBad, err)
}

// small reads an entry of known name into memory.
func (i *importer) small(name string, limit int64) ([]byte, error) {
	h, err := i.next()
	if err != nil {
		return nil, err
	}
	if h.Name != name {
		return nil, fmt.Errorf("%w: %.80q stands where %s belongs", ErrBad, h.Name, name)
	}
	return i.read(h, limit)
}

func (i *importer) read(h *tar.Header, limit int64) ([]byte, error) {
	if h.Size > limit {
		return nil, fmt.Errorf("%w: %s is too large", ErrBad, h.Name)
	}
	data, err := io.ReadAll(i.tar)
	if err != nil {
		return nil, bad(err)
	}
	hash := sha256.Sum256(data)
	i.sums = append(i.sums, sum{h.Name, int64(len(data)), hex.EncodeToString(hash[:])})
	return data, nil
}

func (i *importer) head(ctx context.Context) error {
	data, err := i.small(headName, maxHead)
	if err != nil {
		return err
	}
	var h head
	if err := json.Unmarshal(data, &h); err != nil || h.Format != format {
		return fmt.Errorf("%w: it does not say so", ErrBad)
	}
	if h.Version > Version {
		return fmt.Errorf("%w: version %d", ErrNewer, h.Version)
	}
	if h.Version < 1 {
		return fmt.Errorf("%w: version %d", ErrBad, h.Version)
	}
	if err := evidence.CheckRun(h.Run); err != nil {
		return bad(err)
	}
	there, err := i.rows.HasRun(ctx, h.Run)
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%s: %w", h.Run, ErrExists)
	}
	left, err := i.files.List(ctx, h.Run)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		if !i.opts.Replace {
			return fmt.Errorf("%s: %w", h.Run, ErrLeftOver)
		}
		if err := i.files.Delete(ctx, h.Run); err != nil {
			return err
		}
	}
	i.id = h.Run
	return nil
}

func (i *importer) lines() ([]store.Row, error) {
	data, err := i.small(rowsName, maxRows)
	if err != nil {
		return nil, err
	}
	var rows []store.Row
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var l line
		if err := dec.Decode(&l); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, bad(fmt.Errorf("a row cannot be read: %w", err))
		}
		rows = append(rows, store.Row(l))
	}
}

// evidence puts the files as they come and compares them at the end, when the
// checksums are known.
func (i *importer) evidence(ctx context.Context) error {
	seen := map[string]bool{}
	for {
		h, err := i.next()
		if err != nil {
			return err
		}
		if h.Name == sumsName {
			return i.compare(h)
		}
		name, ok := strings.CutPrefix(h.Name, evidencePrefix)
		if !ok || evidence.CheckName(name) != nil || seen[name] {
			return fmt.Errorf("%w: %.80q does not belong there", ErrBad, h.Name)
		}
		if seen[name] = true; len(seen) > i.opts.MaxFiles {
			return fmt.Errorf("%w: it has more than %d files", ErrBad, i.opts.MaxFiles)
		}
		i.started = true
		source := &telling{r: i.tar}
		f, err := i.files.Put(ctx, i.id, name, source)
		if source.err != nil {
			return bad(source.err)
		}
		if err != nil {
			return err
		}
		i.sums = append(i.sums, sum{h.Name, f.Size, f.SHA256})
	}
}

// telling remembers why reading failed, to tell a broken archive from a broken
// store.
type telling struct {
	r   io.Reader
	err error
}

func (t *telling) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}

// compare holds what was read against the checksums, which must be the end.
func (i *importer) compare(h *tar.Header) error {
	got := slices.Clone(i.sums)
	data, err := i.read(h, maxRows)
	if err != nil {
		return err
	}
	var want []sum
	if err := json.Unmarshal(data, &want); err != nil {
		return bad(err)
	}
	if len(want) != len(got) {
		return fmt.Errorf("%w: it has %d files, %d were written", ErrBad, len(got), len(want))
	}
	for n, w := range want {
		if got[n] != w {
			return fmt.Errorf("%w: %.80q is damaged", ErrBad, w.Name)
		}
	}
	if _, err := i.tar.Next(); err != io.EOF {
		return fmt.Errorf("%w: it goes on after its end", ErrBad)
	}
	return nil
}

// undo removes the evidence of an archive that was refused.
func (i *importer) undo(ctx context.Context) error {
	if !i.started {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyLimit)
	defer cancel()
	if err := i.files.Delete(ctx, i.id); err != nil {
		return fmt.Errorf("and what was put already could not be removed: %w", err)
	}
	return nil
}
