package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed keys.md
var keysText string

const (
	// keyTap is how long a key is held: games that poll miss shorter ones.
	keyTap = 80 * time.Millisecond
	// keyGap is between two presses.
	keyGap  = 70 * time.Millisecond
	maxKeys = 100
)

type keysArgs struct {
	Keys []string `json:"keys" jsonschema:"keys to press one after the other, such as ArrowLeft, Space, a, Enter, Shift+ArrowUp"`
	Gap  int      `json:"gapMilliseconds,omitempty" jsonschema:"time between two presses, 70 if left out, at most 2000"`
}

func (k *Kit) keys() Tool {
	t := must("keys", keysText, func(ctx context.Context, in keysArgs) (*Outcome, error) {
		if len(in.Keys) == 0 || len(in.Keys) > maxKeys {
			return nil, fmt.Errorf("%d keys: give 1 to %d", len(in.Keys), maxKeys)
		}
		gap := keyGap
		if in.Gap > 0 {
			gap = min(time.Duration(in.Gap)*time.Millisecond, 2*time.Second)
		}
		chords := make([][]string, len(in.Keys))
		for i, name := range in.Keys {
			chord, err := chordOf(name)
			if err != nil {
				return nil, err
			}
			chords[i] = chord
		}
		for i, chord := range chords {
			if i > 0 {
				if err := pause(ctx, gap); err != nil {
					return nil, err
				}
			}
			if err := k.page().Keyboard().Chord(ctx, chord, keyTap); err != nil {
				return nil, err
			}
		}
		return Say("Pressed " + strings.Join(in.Keys, ", ") + "."), nil
	})
	t.Repeats = true
	t.Timeout = time.Minute
	return t
}

// chordOf takes "Shift+ArrowUp" apart. A plus alone is the plus key.
func chordOf(name string) ([]string, error) {
	if _, ok := browser.LookupKey(name); ok {
		return []string{name}, nil
	}
	var chord []string
	for part := range strings.SplitSeq(name, "+") {
		if part = strings.TrimSpace(part); part == "" {
			part = "+"
		}
		if _, ok := browser.LookupKey(part); !ok {
			return nil, fmt.Errorf("there is no key %q; keys have names such as ArrowLeft, Space, Enter, a", part)
		}
		chord = append(chord, part)
	}
	return chord, nil
}
