package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/internal/site"
)

// folder is a game on disk.
type folder struct {
	dir   string // with symbolic links followed
	entry string // the page to open, index.html unless another was named
}

// errNoFolders is what a server without roots says.
var errNoFolders = errors.New("this server plays no games from folders: its owner allows them with --root DIR. Serve the game and give its url instead")

// openFolder finds a folder, or a page in one, below the roots. A relative name
// is looked for in each of them.
func openFolder(roots []string, name string) (*folder, error) {
	if len(roots) == 0 {
		return nil, errNoFolders
	}
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = nil
		for _, root := range roots {
			candidates = append(candidates, filepath.Join(root, name))
		}
	}
	for _, c := range candidates {
		real, err := filepath.EvalSymlinks(c)
		if err != nil {
			continue
		}
		info, err := os.Stat(real)
		if err != nil || !slices.ContainsFunc(roots, func(root string) bool { return within(root, real) }) {
			continue
		}
		f := &folder{dir: real, entry: "index.html"}
		if !info.IsDir() {
			f.dir, f.entry = filepath.Split(real)
		}
		if ext := strings.ToLower(path.Ext(f.entry)); ext != ".html" && ext != ".htm" {
			return nil, fmt.Errorf("folder: %s is no folder and no HTML page", clip(name, 200))
		}
		if _, err := os.Stat(filepath.Join(f.dir, f.entry)); err != nil {
			return nil, fmt.Errorf("folder: %s has no index.html%s", clip(name, 200), pages(f.dir))
		}
		return f, nil
	}
	return nil, fmt.Errorf("folder: there is no %s below %s", clip(name, 200), strings.Join(roots, ", "))
}

// pages names the HTML pages of a folder, and of the folders that builds go to.
func pages(dir string) string {
	var found []string
	for _, below := range []string{".", "dist", "build", "public", "docs"} {
		matches, err := filepath.Glob(filepath.Join(dir, below, "*.html"))
		if err != nil {
			continue
		}
		for _, m := range matches {
			if rel, err := filepath.Rel(dir, m); err == nil && len(found) < 5 {
				found = append(found, rel)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; it has " + strings.Join(found, ", ")
}

func within(root, name string) bool {
	rel, err := filepath.Rel(root, name)
	return err == nil && filepath.IsLocal(rel)
}

// files is the folder for reading, nothing hidden and nothing outside of it.
func (f *folder) files() fs.FS { return visible{os.DirFS(f.dir)} }

// serve puts the folder on loopback until it is closed.
func (f *folder) serve(ctx context.Context) (*site.Server, error) {
	// A page stays open beyond the call that opened it.
	s, err := site.Serve(context.WithoutCancel(ctx), filepath.Join(f.dir, f.entry), nil)
	if err != nil {
		return nil, fmt.Errorf("serve the folder: %w", err)
	}
	return s, nil
}

// folderOf is the address of the folder that a page is in.
func folderOf(page string) string { return page[:strings.LastIndex(page, "/")+1] }

// visible leaves out hidden files: keys and histories lie there, never games.
type visible struct{ fs.FS }

func (v visible) Open(name string) (fs.File, error) {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	}
	return v.FS.Open(name)
}
