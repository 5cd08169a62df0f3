package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// Result is one line of the file of results.
type Result struct {
	Instance
	// Excluded says why the instance does not count: the fault cannot be seen in this game.
	Excluded string `json:"excluded,omitempty"`
	// Seen is the sign by which the witness saw the fault. Empty where nobody looked.
	Seen    string  `json:"seen,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Build is the commit of the program that played.
	Build   string  `json:"build,omitempty"`
	Outcome Outcome `json:"outcome"`
}

// Right reports whether the verdict is right, and for a broken game on the right check.
func (r Result) Right() bool {
	return r.Outcome.Verdict == r.Want && (r.Want == record.Pass || r.RightCheck())
}

// RightCheck reports whether one of the accepted checks was disproven.
func (r Result) RightCheck() bool {
	if len(r.Checks) == 0 {
		return r.Outcome.Verdict == record.Fail
	}
	return slices.ContainsFunc(r.Checks, func(c record.CheckName) bool { return r.Outcome.Checks[c] == record.Disproven })
}

// Named reports whether the issues mention a blemish.
func (r Result) Named() bool {
	f, ok := fault.Get(r.Fault)
	if !ok {
		return false
	}
	text := strings.ToLower(strings.Join(r.Outcome.Issues, "\n"))
	return slices.ContainsFunc(f.Mentions, func(word string) bool { return strings.Contains(text, word) })
}

// File keeps results as they come, one JSON line each, so that an interrupted benchmark can go on.
type File struct {
	mu   sync.Mutex
	file *os.File
	done map[string]Result
}

// ErrBusy: another benchmark keeps its results in the same file.
var ErrBusy = errors.New("another benchmark is writing to it")

// OpenFile opens the results of an earlier benchmark, or begins new ones. A last line that was cut off by the
// interruption is dropped. Until it is closed nobody else can open the file.
func OpenFile(name string) (*File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keep results: %w", err)
	}
	f := &File{file: file, done: map[string]Result{}}
	if err := f.resume(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return f, nil
}

// resume reads what is there and goes on behind it.
func (f *File) resume() error {
	err := syscall.Flock(int(f.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("lock the results: %w", err)
	}
	data, err := io.ReadAll(f.file)
	if err != nil {
		return fmt.Errorf("read the results so far: %w", err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if err := readResults(bytes.NewReader(data[:whole]), func(r Result) { f.done[r.Key()] = r }); err != nil {
		return err
	}
	if err := f.file.Truncate(int64(whole)); err != nil {
		return fmt.Errorf("keep results: %w", err)
	}
	if _, err := f.file.Seek(int64(whole), io.SeekStart); err != nil {
		return fmt.Errorf("keep results: %w", err)
	}
	return nil
}

// readResults hands on one result after the other.
func readResults(r io.Reader, each func(Result)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		var result Result
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			return fmt.Errorf("line %d is no result: %w", n, err)
		}
		each(result)
	}
	return lines.Err()
}

// Done returns the result of an instance that was run already by the same build: a
// table comes from one build. What the witness excluded does not depend on it.
func (f *File) Done(i Instance, build string) (Result, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.done[i.Key()]
	return r, ok && (r.Build == build || r.Excluded != "")
}

// Add writes a result.
func (f *File) Add(r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the result of %s: %w", r.Key(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done[r.Key()] = r
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep the result of %s: %w", r.Key(), err)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
