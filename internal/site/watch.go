package site

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Changed returns when a build was changed and then left alone for two looks at
// it, so that nobody plays half of what a compiler is still writing. It looks
// once every so often; links are not followed.
func Changed(ctx context.Context, name string, every time.Duration) error {
	first := fingerprint(name)
	last := first
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := fingerprint(name)
		if now == last && now != first {
			return nil
		}
		last = now
	}
}

// fingerprint is a hash of the names, sizes and times of what lies at a path.
// What is missing has one, too: compilers remove a folder before they write it.
func fingerprint(name string) uint64 {
	hash, seen := fnv.New64a(), 0
	if isPage(name) {
		name = filepath.Dir(name)
	}
	_ = filepath.WalkDir(name, func(at string, d fs.DirEntry, err error) error {
		if seen++; seen > maxFiles {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if d.IsDir() && at != name && (d.Name() == "node_modules" || d.Name()[0] == '.') {
			return fs.SkipDir
		}
		var info os.FileInfo
		if info, err = d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintf(hash, "%s %d %d\n", at, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return hash.Sum64()
}
