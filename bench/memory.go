package bench

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/playtest-dev/playtest/games/fault"
)

// WitnessFunc looks whether a fault can be seen in a game. It fits Bench.Witness.
type WitnessFunc func(ctx context.Context, e Entrant, f fault.Fault, seed int64) (observable bool, how string, err error)

// Memory keeps what a witness said in a file, so that it is asked again only when the game or the fault has changed.
// Its method Witness fits Bench.Witness.
type Memory struct {
	ask  WitnessFunc
	mu   sync.Mutex
	file *os.File
	said map[string]statement
}

// statement is one line of the file.
type statement struct {
	Key        string `json:"key"` // game/fault@seed and a hash of both
	Observable bool   `json:"observable"`
	How        string `json:"how"`
}

// OpenMemory opens the file. Lines that make no sense are asked about again.
func OpenMemory(name string, ask WitnessFunc) (*Memory, error) {
	m := &Memory{ask: ask, said: map[string]statement{}}
	old, err := os.Open(name)
	switch {
	case err == nil:
		lines := bufio.NewScanner(old)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var s statement
			if json.Unmarshal(lines.Bytes(), &s) == nil && s.Key != "" {
				m.said[s.Key] = s
			}
		}
		if err := errors.Join(lines.Err(), old.Close()); err != nil {
			return nil, fmt.Errorf("read what was witnessed before: %w", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read what was witnessed before: %w", err)
	}
	if m.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, fmt.Errorf("keep what is witnessed: %w", err)
	}
	return m, nil
}

// Close closes the file.
func (m *Memory) Close() error { return m.file.Close() }

// Witness answers from memory, or asks and remembers.
func (m *Memory) Witness(ctx context.Context, e Entrant, f fault.Fault, seed int64) (observable bool, how string, err error) {
	key, err := identity(e, f, seed)
	if err != nil {
		return false, "", err
	}
	m.mu.Lock()
	s, ok := m.said[key]
	m.mu.Unlock()
	if ok {
		return s.Observable, s.How, nil
	}
	s.Key = key
	if s.Observable, s.How, err = m.ask(ctx, e, f, seed); err != nil {
		return false, "", err
	}
	line, err := json.Marshal(s)
	if err != nil {
		return false, "", fmt.Errorf("keep what is witnessed: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said[key] = s
	// The line break comes first too: the line before may have been cut off.
	if _, err := m.file.WriteString("\n" + string(line) + "\n"); err != nil {
		return false, "", fmt.Errorf("keep what is witnessed: %w", err)
	}
	return s.Observable, s.How, nil
}

// identity changes with the fault, the game's files and its description. A game that is served elsewhere is believed to
// stay the same.
func identity(e Entrant, f fault.Fault, seed int64) (string, error) {
	h := sha256.New()
	about, err := json.Marshal([]any{f.Script, f.Describe, f.Shows, e.Start, e.Controls, e.Ends})
	if err != nil {
		return "", fmt.Errorf("tell %s apart: %w", e.Name, err)
	}
	h.Write(about)
	if e.Files != nil {
		err := fs.WalkDir(e.Files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(e.Files, path)
			fmt.Fprintf(h, "%s %d\n", path, len(data))
			h.Write(data)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read the files of %s: %w", e.Name, err)
		}
	}
	return fmt.Sprintf("%s/%s %s", e.Name, fault.ID(f.Name, seed), hex.EncodeToString(h.Sum(nil))[:16]), nil
}
