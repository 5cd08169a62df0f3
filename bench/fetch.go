package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds what a package may grow to when it is unpacked.
const maxUnpacked = 1 << 30

// Missing are the labelled games of a round (all if zero) that do not lie in a folder.
func Missing(labels []Label, folder string, round int) []Label {
	var out []Label
	_, names := FromFolder(labels, folder, round)
	for _, name := range names {
		for _, l := range labels {
			if l.Name == name {
				out = append(out, l)
			}
		}
	}
	return out
}

// FetchPackage lays the npm package of a label out in a folder of its name. Nothing of
// the package is run.
func FetchPackage(ctx context.Context, l Label, folder string) error {
	scratch, err := os.MkdirTemp("", "playtest-fetch-")
	if err != nil {
		return fmt.Errorf("fetch %s: %w", l.Package, err)
	}
	defer os.RemoveAll(scratch)
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", l.Package)
	cmd.Dir = scratch
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("fetch %s: npm is not installed", l.Package)
		}
		return fmt.Errorf("fetch %s: npm pack: %w: %s", l.Package, err, strings.TrimSpace(said.String()))
	}
	archives, err := filepath.Glob(filepath.Join(scratch, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("fetch %s: npm pack left no archive", l.Package)
	}
	archive, err := os.Open(archives[0])
	if err != nil {
		return fmt.Errorf("fetch %s: %w", l.Package, err)
	}
	defer archive.Close()
	target := filepath.Join(folder, l.Name)
	if err := unpack(archive, l.Root, target); err != nil {
		return fmt.Errorf("fetch %s: %w", l.Package, err)
	}
	if _, err := os.Stat(filepath.Join(target, filepath.FromSlash(l.Page))); err != nil {
		return fmt.Errorf("fetch %s: it has no %s", l.Package, path.Join(l.Root, l.Page))
	}
	return nil
}

// unpack writes what lies below root in an npm archive into a folder. npm puts
// everything below a folder of its own, which is left out.
func unpack(r io.Reader, root, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	within, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer within.Close()
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	left := int64(maxUnpacked)
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
		_, name, _ := strings.Cut(path.Clean(h.Name), "/")
		if root != "" {
			var below bool
			if name, below = strings.CutPrefix(name, strings.Trim(root, "/")+"/"); !below {
				continue
			}
		}
		if h.Typeflag != tar.TypeReg || name == "" {
			continue
		}
		if left -= h.Size; left < 0 {
			return fmt.Errorf("unpack: more than %d bytes", int64(maxUnpacked))
		}
		if err := write(within, name, files); err != nil {
			return fmt.Errorf("unpack %s: %w", name, err)
		}
	}
}

// write writes a file below a folder, which no name leads out of.
func write(within *os.Root, name string, from io.Reader) error {
	if dir := path.Dir(name); dir != "." {
		if err := within.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := within.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
