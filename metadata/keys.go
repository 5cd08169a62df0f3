package metadata

import (
	"regexp"
	"strconv"
	"strings"
)

// Inputs that are no keys but that metadata names where keys are expected.
const (
	// InputPointer is the mouse or a finger.
	InputPointer = "pointer"
	// InputGamepad is hardware that cannot be played here.
	InputGamepad = "gamepad"
	// InputAnyKey is a game that takes whatever key is pressed.
	InputAnyKey = "any key"
)

var (
	arrowCodes = []string{"ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"}
	wasdCodes  = []string{"KeyW", "KeyA", "KeyS", "KeyD"}
)

// keyGroups are names for several keys at once, in the spelling of fold.
var keyGroups = map[string][]string{
	"wasd": wasdCodes, "wsad": wasdCodes,
	"arrows": arrowCodes, "arrow": arrowCodes, "arrowkeys": arrowCodes, "arrowkey": arrowCodes,
	"cursorkeys": arrowCodes, "cursors": arrowCodes, "directionkeys": arrowCodes, "directionalkeys": arrowCodes,
	"ijkl":            {"KeyI", "KeyJ", "KeyK", "KeyL"},
	"hjkl":            {"KeyH", "KeyJ", "KeyK", "KeyL"},
	"zqsd":            {"KeyZ", "KeyQ", "KeyS", "KeyD"},
	"updownleftright": arrowCodes,
	"leftright":       {"ArrowLeft", "ArrowRight"},
	"updown":          {"ArrowUp", "ArrowDown"},
	"leftrightarrows": {"ArrowLeft", "ArrowRight"}, "leftrightarrowkeys": {"ArrowLeft", "ArrowRight"},
	"updownarrows": {"ArrowUp", "ArrowDown"}, "updownarrowkeys": {"ArrowUp", "ArrowDown"},
	"numberkeys": digitCodes("Digit"), "numbers": digitCodes("Digit"), "digits": digitCodes("Digit"),
	"09": digitCodes("Digit"), "19": digitCodes("Digit")[1:],
	"letters": letterCodes(), "letterkeys": letterCodes(), "az": letterCodes(), "alphabet": letterCodes(),
}

// keyNames are names of one key, in the spelling of fold. Letters, digits and
// function keys are added by init.
var keyNames = map[string]string{
	"space": "Space", "spacebar": "Space", "spacekey": "Space",
	"enter": "Enter", "return": "Enter", "enterkey": "Enter",
	"esc": "Escape", "escape": "Escape",
	"tab": "Tab", "backspace": "Backspace", "del": "Delete", "delete": "Delete", "ins": "Insert", "insert": "Insert",
	"home": "Home", "end": "End", "pageup": "PageUp", "pagedown": "PageDown",
	"shift": "ShiftLeft", "shiftleft": "ShiftLeft", "leftshift": "ShiftLeft", "shiftright": "ShiftRight", "rightshift": "ShiftRight",
	"ctrl": "ControlLeft", "control": "ControlLeft", "controlleft": "ControlLeft", "leftcontrol": "ControlLeft", "leftctrl": "ControlLeft",
	"controlright": "ControlRight", "rightcontrol": "ControlRight", "rightctrl": "ControlRight",
	"alt": "AltLeft", "altleft": "AltLeft", "leftalt": "AltLeft", "altright": "AltRight", "rightalt": "AltRight", "option": "AltLeft",
	"meta": "MetaLeft", "metaleft": "MetaLeft", "metaright": "MetaRight", "cmd": "MetaLeft", "command": "MetaLeft",
	"capslock": "CapsLock", "pause": "Pause", "printscreen": "PrintScreen", "scrolllock": "ScrollLock", "contextmenu": "ContextMenu",

	"up": "ArrowUp", "arrowup": "ArrowUp", "uparrow": "ArrowUp", "uparrowkey": "ArrowUp", "cursorup": "ArrowUp", "dpadup": "ArrowUp", "uiup": "ArrowUp",
	"down": "ArrowDown", "arrowdown": "ArrowDown", "downarrow": "ArrowDown", "downarrowkey": "ArrowDown", "cursordown": "ArrowDown", "dpaddown": "ArrowDown", "uidown": "ArrowDown",
	"left": "ArrowLeft", "arrowleft": "ArrowLeft", "leftarrow": "ArrowLeft", "leftarrowkey": "ArrowLeft", "cursorleft": "ArrowLeft", "dpadleft": "ArrowLeft", "uileft": "ArrowLeft",
	"right": "ArrowRight", "arrowright": "ArrowRight", "rightarrow": "ArrowRight", "rightarrowkey": "ArrowRight", "cursorright": "ArrowRight", "dpadright": "ArrowRight", "uiright": "ArrowRight",
	"uiaccept": "Enter", "uicancel": "Escape", "uiselect": "Space",

	"comma": "Comma", "period": "Period", "dot": "Period", "slash": "Slash", "semicolon": "Semicolon", "quote": "Quote",
	"bracketleft": "BracketLeft", "bracketright": "BracketRight", "backslash": "Backslash", "minus": "Minus", "equal": "Equal", "backquote": "Backquote",
	"numpadadd": "NumpadAdd", "numpadsubtract": "NumpadSubtract", "numpadmultiply": "NumpadMultiply",
	"numpaddivide": "NumpadDivide", "numpaddecimal": "NumpadDecimal", "numpadenter": "NumpadEnter",
}

// keySymbols are keys written as the character they type.
var keySymbols = map[string]string{
	" ": "Space", "↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight",
	"▲": "ArrowUp", "▼": "ArrowDown", "◀": "ArrowLeft", "▶": "ArrowRight", "⏎": "Enter", "⇧": "ShiftLeft",
	",": "Comma", ".": "Period", "/": "Slash", ";": "Semicolon", "'": "Quote", "[": "BracketLeft", "]": "BracketRight",
	"\\": "Backslash", "-": "Minus", "=": "Equal", "`": "Backquote",
}

// otherInputs are names of inputs that are no keys, in the spelling of fold.
var otherInputs = map[string]string{
	"mouse": InputPointer, "click": InputPointer, "leftclick": InputPointer, "rightclick": InputPointer, "doubleclick": InputPointer,
	"mouseclick": InputPointer, "mousebutton": InputPointer, "leftmouse": InputPointer, "rightmouse": InputPointer,
	"leftmousebutton": InputPointer, "rightmousebutton": InputPointer, "middlemousebutton": InputPointer,
	"mouseleft": InputPointer, "mouseright": InputPointer, "mouse0": InputPointer, "mouse1": InputPointer, "mouse2": InputPointer,
	"lmb": InputPointer, "rmb": InputPointer, "mousemove": InputPointer, "mousedown": InputPointer, "mouseup": InputPointer,
	"mousewheel": InputPointer, "wheel": InputPointer, "scroll": InputPointer, "drag": InputPointer, "draganddrop": InputPointer,
	"pointer": InputPointer, "pointerdown": InputPointer, "pointerup": InputPointer, "pointermove": InputPointer,
	"tap": InputPointer, "touch": InputPointer, "swipe": InputPointer, "joystick": InputPointer, "virtualjoystick": InputPointer,
	"virtualdpad": InputPointer, "dpad": InputPointer, "touchscreen": InputPointer, "trackpad": InputPointer, "cursor": InputPointer,
	"gamepad": InputGamepad, "controller": InputGamepad, "gamepadbutton": InputGamepad, "leftstick": InputGamepad, "rightstick": InputGamepad,
	"anykey": InputAnyKey, "any": InputAnyKey, "anybutton": InputAnyKey,
}

// legacyCodes are the numbers of KeyboardEvent.keyCode that games compare with.
var legacyCodes = map[int]string{
	8: "Backspace", 9: "Tab", 13: "Enter", 16: "ShiftLeft", 17: "ControlLeft", 18: "AltLeft", 27: "Escape", 32: "Space",
	33: "PageUp", 34: "PageDown", 35: "End", 36: "Home", 37: "ArrowLeft", 38: "ArrowUp", 39: "ArrowRight", 40: "ArrowDown",
	45: "Insert", 46: "Delete", 186: "Semicolon", 187: "Equal", 188: "Comma", 189: "Minus", 190: "Period", 191: "Slash",
	192: "Backquote", 219: "BracketLeft", 220: "Backslash", 221: "BracketRight", 222: "Quote",
}

func init() {
	for c := 'a'; c <= 'z'; c++ {
		code := "Key" + strings.ToUpper(string(c))
		keyNames[string(c)], keyNames["key"+string(c)] = code, code
		legacyCodes[int(c-'a'+'A')] = code
	}
	for d := range 10 {
		n := strconv.Itoa(d)
		keyNames[n], keyNames["digit"+n], keyNames["key"+n] = "Digit"+n, "Digit"+n, "Digit"+n
		keyNames["numpad"+n] = "Numpad" + n
		legacyCodes['0'+d], legacyCodes[96+d] = "Digit"+n, "Numpad"+n
	}
	for f := 1; f <= 12; f++ {
		n := strconv.Itoa(f)
		keyNames["f"+n] = "F" + n
		legacyCodes[111+f] = "F" + n
	}
}

func digitCodes(prefix string) []string {
	out := make([]string, 10)
	for d := range out {
		out[d] = prefix + strconv.Itoa(d)
	}
	return out
}

func letterCodes() []string {
	out := make([]string, 0, 26)
	for c := 'A'; c <= 'Z'; c++ {
		out = append(out, "Key"+string(c))
	}
	return out
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// fold brings "Arrow-Left", "arrow left" and "ARROW_LEFT" to one spelling.
func fold(s string) string { return notWord.ReplaceAllString(strings.ToLower(s), "") }

// keyDecorations are words that people put around a key's name.
var keyDecorations = regexp.MustCompile(`(?i)^(?:the\s+)?(.+?)(?:\s+(?:key|keys|bar|button))?$`)

// readInput returns the codes that a name stands for, or the kind of input
// that it is when it is no key. Both are empty for a name nobody knows.
func readInput(name string) (codes []string, other string) {
	if code, ok := keySymbols[name]; ok {
		return []string{code}, ""
	}
	name = strings.TrimSpace(name)
	if code, ok := keySymbols[name]; ok {
		return []string{code}, ""
	}
	tries := []string{name}
	if m := keyDecorations.FindStringSubmatch(name); m != nil && m[1] != name {
		tries = append(tries, m[1])
	}
	for _, try := range tries {
		f := fold(try)
		if code, ok := keyNames[f]; ok {
			return []string{code}, ""
		}
		if group, ok := keyGroups[f]; ok {
			return group, ""
		}
		if other, ok := otherInputs[f]; ok {
			return nil, other
		}
	}
	return nil, ""
}

// direction is the way a key points, where it points anywhere.
func direction(code string) string {
	switch code {
	case "ArrowUp", "KeyW", "KeyI", "Numpad8":
		return "up"
	case "ArrowDown", "KeyS", "KeyK", "Numpad2":
		return "down"
	case "ArrowLeft", "KeyA", "KeyJ", "Numpad4":
		return "left"
	case "ArrowRight", "KeyD", "KeyL", "Numpad6":
		return "right"
	}
	return ""
}
