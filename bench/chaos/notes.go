package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// notes is a file that all workers add lines to. A line is one write, so it is
// there as a whole or not at all, whenever the writer is killed.
type notes struct{ f *os.File }

// The kinds of notes.
const (
	noteExploring  = "exploring"  // RUN LEASE: a game is about to be played
	noteExplored   = "explored"   // RUN LEASE: its complete record is stored
	noteEvaluating = "evaluating" // RUN LEASE: a record is about to be judged
	notePutting    = "putting"    // RUN NAME HASH: evidence is about to be put
	noteKept       = "kept"       // RUN NAME HASH ATTEMPT: evidence is acknowledged
)

func openNotes(name string) (*notes, error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &notes{f}, nil
}

func (n *notes) note(kind, run string, rest ...any) {
	if _, err := fmt.Fprintln(n.f, strings.TrimSpace(kind+" "+run+" "+fmt.Sprintln(rest...))); err != nil {
		panic(err) // without notes the experiment says nothing
	}
}

// readNotes returns the notes by kind, each split into words.
func readNotes(name string) (map[string][][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string][][]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 {
			return nil, fmt.Errorf("a note that makes no sense: %q", lines.Text())
		}
		out[words[0]] = append(out[words[0]], words[1:])
	}
	return out, lines.Err()
}

// putter notes every version of a file before it is put.
type putter struct {
	evidence.Store
	notes *notes
}

func (p putter) Put(ctx context.Context, run, name string, r io.Reader) (evidence.File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return evidence.File{}, err
	}
	p.notes.note(notePutting, run, name, fmt.Sprintf("%x", sha256.Sum256(data)))
	return p.Store.Put(ctx, run, name, bytes.NewReader(data))
}
