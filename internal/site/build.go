package site

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what is looked through when a build is opened.
const (
	maxFiles = 50_000
	maxDepth = 12
)

// Build is a game's files, open for reading. Close it when done.
type Build struct {
	files fs.FS
	entry string // the page to play, such as "index.html" or "web/index.html"
	where string // the absolute path that was opened
	close func() error
}

// NoPageError says that a build has no page that could be played, or several
// and none of them first.
type NoPageError struct {
	Path string
	// Pages are the pages it has, when there is more than one.
	Pages []string
}

func (e *NoPageError) Error() string {
	if len(e.Pages) == 0 {
		return fmt.Sprintf("%s holds no HTML page", e.Path)
	}
	shown := e.Pages[:min(len(e.Pages), 5)]
	return fmt.Sprintf("%s holds no index.html but %d other pages: %s", e.Path, len(e.Pages), strings.Join(shown, ", "))
}

// IsLocal reports whether an argument names something on this machine rather
// than an address.
func IsLocal(arg string) bool {
	if arg == "" || strings.Contains(arg, "://") {
		return false
	}
	_, err := os.Stat(arg)
	return err == nil
}

// Open opens a folder, a zip file or one HTML page, whose folder is served then.
func Open(name string) (*Build, error) {
	where, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open the build: %w", err)
	}
	info, err := os.Stat(where)
	if err != nil {
		return nil, fmt.Errorf("open the build: %w", err)
	}
	switch {
	case info.IsDir():
		return openFolder(where, "")
	case isPage(where):
		return openFolder(filepath.Dir(where), filepath.Base(where))
	}
	return openZip(where)
}

func openFolder(dir, entry string) (*Build, error) {
	// A root follows no link that leads out of it.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the build: %w", err)
	}
	b := &Build{files: root.FS(), entry: entry, where: filepath.Join(dir, entry), close: root.Close}
	return b.ready()
}

func openZip(name string) (*Build, error) {
	z, err := zip.OpenReader(name)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s is neither a folder, an HTML page nor a zip file", name)
	}
	if err != nil {
		return nil, fmt.Errorf("open the build %s: %w", name, err)
	}
	if len(z.File) > maxFiles {
		return nil, errors.Join(fmt.Errorf("%s holds more than %d files", name, maxFiles), z.Close())
	}
	b := &Build{files: z, where: name, close: z.Close}
	return b.ready()
}

func (b *Build) ready() (*Build, error) {
	if b.entry == "" {
		entry, err := findEntry(b.files, b.where)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.entry = entry
	}
	return b, nil
}

// Close closes the folder or the zip file.
func (b *Build) Close() error { return b.close() }

// Entry is the page to play, relative to the root of the build.
func (b *Build) Entry() string { return b.entry }

// findEntry is the index.html nearest to the root, or the only page there is.
// The game may lie in a folder of the build, as in most zip files; then that is
// not its root: pages refer to files beside them, and some to files above.
func findEntry(files fs.FS, where string) (string, error) {
	var pages []string
	seen := 0
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot be served either
		}
		if seen++; seen > maxFiles {
			return fs.SkipAll
		}
		if d.IsDir() {
			if hidden(name) || d.Name() == "node_modules" || d.Name() == "__MACOSX" || strings.Count(name, "/") >= maxDepth {
				return fs.SkipDir
			}
			return nil
		}
		if isPage(name) && !hidden(name) {
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look through %s: %w", where, err)
	}
	slices.SortStableFunc(pages, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	var index []string
	for _, p := range pages {
		if stem(p) == "index" {
			index = append(index, p)
		}
	}
	nearest := func(of []string) bool {
		return len(of) == 1 || len(of) > 1 && strings.Count(of[0], "/") < strings.Count(of[1], "/")
	}
	switch {
	case nearest(index):
		return index[0], nil
	case len(index) == 0 && nearest(pages):
		return pages[0], nil
	}
	return "", &NoPageError{Path: where, Pages: pages}
}

func isPage(name string) bool {
	ext := strings.ToLower(path.Ext(filepath.ToSlash(name)))
	return ext == ".html" || ext == ".htm"
}

func stem(name string) string {
	return strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
}

// hidden reports whether a part of the path begins with a dot: the history and
// the secrets of a project lie there, and no host publishes them.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".well-known" {
			return true
		}
	}
	return false
}

// needsIsolation reports whether a script of the build asks for shared memory.
// One that cannot be read, because it is compressed with brotli, counts as if it did.
func (b *Build) needsIsolation() bool {
	const maxScript, maxScripts = 8 << 20, 400
	found, read := false, 0
	_ = fs.WalkDir(b.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || found || read >= maxScripts {
			if err != nil {
				return nil
			}
			return fs.SkipAll
		}
		if d.IsDir() {
			if hidden(name) || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		plain, coding := splitCoding(name)
		switch strings.ToLower(path.Ext(plain)) {
		case ".html", ".htm", ".js", ".mjs":
		default:
			return nil
		}
		read++
		if coding == codingBrotli {
			found = true
			return nil
		}
		f, err := b.files.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		var in io.Reader = f
		if coding == codingGzip {
			if in, err = gunzip(f); err != nil {
				return nil
			}
		}
		text, _ := io.ReadAll(io.LimitReader(in, maxScript)) // what could be read of it has to do
		found = mentionsSharedMemory(text)
		return nil
	})
	return found
}
