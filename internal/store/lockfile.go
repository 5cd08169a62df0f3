package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrOwned: another process owns what was asked for.
var ErrOwned = errors.New("another process owns the database")

// lockFile holds a lock on a file until unlock is called or the process ends,
// however it ends. With wait it waits for its turn.
func lockFile(name string, wait bool) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrOwned
		}
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	return func() { f.Close() }, nil
}

// Own makes this process the only worker of a SQLite file until release is
// called or the process ends; ErrOwned says that there is one already. A
// Postgres database has as many workers as it likes: there it does nothing.
func (s *Store) Own() (release func(), err error) {
	if s.pool != nil {
		return func() {}, nil
	}
	return lockFile(s.path+".worker", false)
}
