package computer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/browser"
)

func TestChords(t *testing.T) {
	for text, want := range map[string]string{
		"Return":               "Return",
		"ctrl+s":               "ctrl s",
		"ctrl+S":               "ctrl KeyS",
		"CTRL+SHIFT+T":         "CTRL SHIFT KeyT",
		"A":                    "ShiftLeft A",
		"shift+A":              "shift A",
		"?":                    "ShiftLeft ?",
		"+":                    "ShiftLeft +",
		"ctrl++":               "ctrl ShiftLeft +",
		"plus":                 "ShiftLeft +",
		"Page_Down":            "Page_Down",
		"KP_5":                 "Numpad5",
		"KP_Enter":             "NumpadEnter",
		"super":                "super",
		"Super_L":              "MetaLeft",
		"arrow_up":             "ArrowUp",
		"left_arrow":           "ArrowLeft",
		"ENTER":                "ENTER",
		"F5":                   "F5",
		"space":                "space",
		" ":                    "",
		"":                     "",
		"hyper+x":              "",
		"ctrl + alt + Delete":  "ctrl alt Delete",
		"control+ISO_Level3_X": "",
	} {
		got, err := computer.Chord(text)
		if joined := strings.Join(got, " "); joined != want && !sameKeys(got, strings.Fields(want)) || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	chords, err := computer.Chords("Up Up ctrl+a")
	if err != nil || len(chords) != 3 || !slices.Equal(chords[2], []string{"ctrl", "a"}) {
		t.Errorf("chords are %q, %v", chords, err)
	}
}

// sameKeys reports whether two lists name the same keys.
func sameKeys(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool {
		x, ok := browser.LookupKey(a)
		y, ok2 := browser.LookupKey(b)
		return ok && ok2 && x == y
	})
}

// Whatever a model writes, the keys that come of it are keys of the keyboard.
func FuzzChord(f *testing.F) {
	for _, seed := range []string{"ctrl+s", "++", "A", "KP_1", "", "ctrl+", "Page_Down Up", "é", "a+b+c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		chords, err := computer.Chords(text)
		if err != nil {
			return
		}
		for _, chord := range chords {
			for _, key := range chord {
				if _, ok := browser.LookupKey(key); !ok {
					t.Errorf("%q makes %q, which is no key", text, key)
				}
			}
		}
	})
}
