package computer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// keyNames are names that vendors use and the browser's keyboard does not
// know: those of X11, of other automation libraries, and of plain English. Case
// and underscores do not count.
var keyNames = map[string]string{
	"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
	"uparrow": "ArrowUp", "downarrow": "ArrowDown", "leftarrow": "ArrowLeft", "rightarrow": "ArrowRight",
	"prior": "PageUp", "next": "PageDown", "linefeed": "Enter", "kpenter": "NumpadEnter",
	"controll": "ControlLeft", "controlr": "ControlRight", "ctrll": "ControlLeft", "ctrlr": "ControlRight",
	"shiftl": "ShiftLeft", "shiftr": "ShiftRight", "altl": "AltLeft", "altr": "AltRight", "isolevel3shift": "AltRight",
	"superl": "MetaLeft", "superr": "MetaRight", "metal": "MetaLeft", "metar": "MetaRight", "windows": "MetaLeft",
	"controlormeta": "ControlLeft", "menu": "ContextMenu", "apps": "ContextMenu", "print": "PrintScreen",
	"plus": "+", "minus": "-", "equal": "=", "equals": "=", "underscore": "_", "comma": ",", "period": ".", "dot": ".",
	"slash": "/", "backslash": `\`, "semicolon": ";", "colon": ":", "quote": "'", "apostrophe": "'", "quotedbl": `"`, "doublequote": `"`,
	"grave": "`", "backtick": "`", "asciitilde": "~", "tilde": "~", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}",
	"less": "<", "greater": ">", "question": "?", "exclam": "!", "at": "@", "numbersign": "#", "dollar": "$", "percent": "%",
	"asciicircum": "^", "ampersand": "&", "asterisk": "*", "star": "*", "parenleft": "(", "parenright": ")", "bar": "|", "pipe": "|",
	"kpadd": "NumpadAdd", "kpsubtract": "NumpadSubtract", "kpmultiply": "NumpadMultiply", "kpdivide": "NumpadDivide", "kpdecimal": "NumpadDecimal",
	"enter": "Enter", "tab": "Tab", "home": "Home", "end": "End", "capslock": "CapsLock", "numlock": "NumLock",
}

// Key is the browser's name for a key that a vendor names.
func Key(name string) (string, error) {
	if _, ok := browser.LookupKey(name); ok {
		return name, nil
	}
	plain := strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(name))
	if digit, ok := strings.CutPrefix(plain, "kp"); ok && len(digit) == 1 && digit >= "0" && digit <= "9" {
		return "Numpad" + digit, nil
	}
	if known, ok := keyNames[plain]; ok {
		return known, nil
	}
	if _, ok := browser.LookupKey(plain); ok && plain != "" {
		return plain, nil
	}
	return "", fmt.Errorf("there is no key called %q", clip(name, 40))
}

// Keys are the browser's names for keys that go down together. A capital or a
// sign that needs Shift brings it along, except in a command: ctrl+S is the key
// S with Control.
func Keys(names []string) ([]string, error) {
	var out []string
	var command, shifted bool
	for _, name := range names {
		key, err := Key(name)
		if err != nil {
			return nil, err
		}
		out = append(out, key)
		switch known, _ := browser.LookupKey(key); known.Key {
		case "Control", "Alt", "Meta":
			command = true
		case "Shift":
			shifted = true
		}
	}
	for i, key := range out {
		known, _ := browser.LookupKey(key)
		switch {
		case !known.Shift:
		case command && strings.HasPrefix(known.Code, "Key"):
			out[i] = known.Code
		case !shifted:
			out = slices.Insert(out, i, "ShiftLeft")
			return out, nil
		}
	}
	return out, nil
}

// Chord reads keys joined by a plus, such as ctrl+shift+t. The plus itself is
// a key where a name is missing: ctrl++.
func Chord(text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, fmt.Errorf("no key is named")
	}
	if rest, ok := strings.CutSuffix(text, "+"); ok {
		names := []string{"+"}
		if rest = strings.TrimSuffix(rest, "+"); rest != "" {
			names = append(strings.Split(rest, "+"), "+")
		}
		return Keys(names)
	}
	names := strings.Split(text, "+")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return Keys(names)
}

// Chords reads several chords one after the other, with spaces between them.
func Chords(text string) ([][]string, error) {
	fields := strings.Fields(text)
	if text == " " {
		fields = []string{"space"}
	}
	var out [][]string
	for _, field := range fields {
		chord, err := Chord(field)
		if err != nil {
			return nil, err
		}
		out = append(out, chord)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no key is named")
	}
	return out, nil
}
