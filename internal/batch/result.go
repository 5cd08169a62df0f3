package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/playtest-dev/playtest/record"
)

// Result is how one game came out.
type Result struct {
	Name   string         `json:"name"`
	URL    string         `json:"url"`
	Status record.Verdict `json:"status"`
	// Summary is the report's, or why there is no report.
	Summary string `json:"summary"`
	// Score is the playability score, Issues counts those that are not minor.
	Score   int     `json:"playability_score"`
	Issues  int     `json:"issues"`
	Seconds float64 `json:"seconds"`
	// Folder holds the game's results, relative to the batch's; empty when it left none.
	Folder string `json:"folder,omitempty"`
	// Picture shows the game, relative to the batch's folder.
	Picture  string    `json:"picture,omitempty"`
	Finished time.Time `json:"finished"`
}

// Ledger is the file in which a batch remembers what is done, a line a game.
type Ledger struct {
	file *os.File
	done map[string]Result
}

// LedgerName is the file in the folder of a batch.
const LedgerName = "batch.jsonl"

// OpenLedger opens the ledger in a folder, which is made when it is not there,
// with what earlier attempts at the batch have done. A last line that was cut off
// is forgotten; any other line that cannot be read is an error.
func OpenLedger(dir string) (*Ledger, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open the batch's folder: %w", err)
	}
	name := filepath.Join(dir, LedgerName)
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what the batch has done: %w", err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	l := &Ledger{done: map[string]Result{}}
	lines := bufio.NewScanner(bytes.NewReader(whole))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		l.done[r.Name] = r
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the batch's ledger: %w", err)
	}
	if err := f.Truncate(int64(len(whole))); err != nil {
		return nil, errors.Join(fmt.Errorf("open the batch's ledger: %w", err), f.Close())
	}
	l.file = f
	return l, nil
}

// Done returns the result of a game that was played before, at the same address.
func (l *Ledger) Done(g Game) (Result, bool) {
	r, ok := l.done[g.Name]
	return r, ok && r.URL == g.URL
}

// Add remembers a result.
func (l *Ledger) Add(r Result) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the batch's ledger: %w", err)
	}
	l.done[r.Name] = r
	return nil
}

// Close closes the file.
func (l *Ledger) Close() error { return l.file.Close() }

// Folder is a game's name as the name of a folder: whatever was typed, it stays
// inside the batch and differs from that of another name.
func Folder(name string) string {
	var b strings.Builder
	same := true
	for _, r := range name {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
			same = false
		}
	}
	folder := b.String()
	if r := []rune(folder); len(r) > 60 {
		folder, same = string(r[:60]), false
	}
	if !same || folder == "" {
		hash := fnv.New32a()
		hash.Write([]byte(name))
		folder = fmt.Sprintf("%s-%08x", folder, hash.Sum32())
	}
	return folder
}
