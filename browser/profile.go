package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// profilePrefix marks our profile folders, so that the next launch recognises
// those of a process that was killed before it could tidy up.
const profilePrefix = "playtest-profile-"

// profile is a temporary user data folder. A lock that dies with our process
// tells whether somebody still uses it.
type profile struct {
	dir  string
	lock *os.File
}

func newProfile(as *account) (*profile, error) {
	sweepProfiles(os.TempDir())
	dir, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("creating profile folder: %w", err)
	}
	// Locked before it gets its name: a sweep never sees it unlocked.
	f, err := os.OpenFile(filepath.Join(dir, ".lock-new"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, ".lock"))
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		os.RemoveAll(dir)
		return nil, fmt.Errorf("locking profile folder: %w", err)
	}
	if err := as.own(dir); err != nil {
		f.Close()
		os.RemoveAll(dir)
		return nil, fmt.Errorf("giving the profile folder to %s: %w", as.name, err)
	}
	return &profile{dir: dir, lock: f}, nil
}

// maxSocket is how long the name of a Unix socket may be on every system, and
// singleton what Chromium adds to the temporary folder for its own.
const (
	maxSocket = 103
	singleton = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")
)

// temp is where Chromium puts its temporary files: the profile folder itself, so
// that they go with it, unless Chromium's socket would not fit there.
func (p *profile) temp() string {
	if len(p.dir)+singleton > maxSocket {
		return os.TempDir()
	}
	return p.dir
}

// remove deletes the folder. Children that are just dying may still write into
// it, so it tries for a while.
func (p *profile) remove() error {
	defer p.lock.Close()
	return removeAll(p.dir)
}

func removeAll(dir string) error {
	var err error
	for wait := 5 * time.Millisecond; wait < time.Second; wait *= 2 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("removing profile folder: %w", err)
}

// sweepProfiles removes the profile folders of processes that are gone.
func sweepProfiles(root string) {
	dirs, err := filepath.Glob(filepath.Join(root, profilePrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if stale(dir) {
			os.RemoveAll(dir)
		}
	}
}

func stale(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		// Either just being made or half removed: old means half removed.
		info, err := os.Stat(dir)
		return err == nil && time.Since(info.ModTime()) > time.Hour
	}
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
