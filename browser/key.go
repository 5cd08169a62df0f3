package browser

import "strings"

// Key is a key of a US keyboard with all that a page can ask about it.
type Key struct {
	Key      string // KeyboardEvent.key
	Code     string // KeyboardEvent.code
	KeyCode  int    // KeyboardEvent.keyCode
	Text     string // what it types
	Location int    // 0 standard, 1 left, 2 right, 3 number pad
	Shift    bool   // needs Shift on a US keyboard
}

var modifierBits = map[string]int64{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

var (
	keysByCode  = make(map[string]Key)
	keysByKey   = make(map[string]Key)
	shiftedText = make(map[string]Key) // by code: what the key is with Shift
)

// aliases are other names people and models give to keys.
var aliases = map[string]string{
	"space": "Space", "spacebar": "Space", "esc": "Escape", "return": "Enter", "del": "Delete", "ins": "Insert",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"ctrl": "ControlLeft", "control": "ControlLeft", "shift": "ShiftLeft", "alt": "AltLeft", "option": "AltLeft",
	"meta": "MetaLeft", "cmd": "MetaLeft", "command": "MetaLeft", "win": "MetaLeft", "super": "MetaLeft",
	"pgup": "PageUp", "pgdn": "PageDown", "page_up": "PageUp", "page_down": "PageDown", "pagedn": "PageDown",
}

func init() {
	for c := 'a'; c <= 'z'; c++ {
		upper := strings.ToUpper(string(c))
		addKey(Key{Key: string(c), Code: "Key" + upper, KeyCode: int(upper[0]), Text: string(c)}, upper)
	}
	for i, shifted := range ")!@#$%^&*(" {
		digit := string(rune('0' + i))
		addKey(Key{Key: digit, Code: "Digit" + digit, KeyCode: '0' + i, Text: digit}, string(shifted))
	}
	for _, k := range []struct {
		code, plain, shifted string
		keyCode              int
	}{
		{"Minus", "-", "_", 189}, {"Equal", "=", "+", 187}, {"BracketLeft", "[", "{", 219}, {"BracketRight", "]", "}", 221},
		{"Backslash", `\`, "|", 220}, {"Semicolon", ";", ":", 186}, {"Quote", "'", `"`, 222}, {"Backquote", "`", "~", 192},
		{"Comma", ",", "<", 188}, {"Period", ".", ">", 190}, {"Slash", "/", "?", 191},
	} {
		addKey(Key{Key: k.plain, Code: k.code, KeyCode: k.keyCode, Text: k.plain}, k.shifted)
	}
	addKey(Key{Key: " ", Code: "Space", KeyCode: 32, Text: " "}, "")
	addKey(Key{Key: "Enter", Code: "Enter", KeyCode: 13, Text: "\r"}, "")
	for _, k := range []struct {
		name    string
		keyCode int
	}{
		{"Tab", 9}, {"Backspace", 8}, {"Escape", 27}, {"Delete", 46}, {"Insert", 45}, {"Home", 36}, {"End", 35},
		{"PageUp", 33}, {"PageDown", 34}, {"ArrowLeft", 37}, {"ArrowUp", 38}, {"ArrowRight", 39}, {"ArrowDown", 40},
		{"CapsLock", 20}, {"NumLock", 144}, {"ScrollLock", 145}, {"Pause", 19}, {"PrintScreen", 44}, {"ContextMenu", 93},
		{"F1", 112}, {"F2", 113}, {"F3", 114}, {"F4", 115}, {"F5", 116}, {"F6", 117}, {"F7", 118}, {"F8", 119},
		{"F9", 120}, {"F10", 121}, {"F11", 122}, {"F12", 123},
	} {
		addKey(Key{Key: k.name, Code: k.name, KeyCode: k.keyCode}, "")
	}
	for _, k := range []struct {
		name    string
		keyCode int
	}{{"Shift", 16}, {"Control", 17}, {"Alt", 18}, {"Meta", 91}} {
		addKey(Key{Key: k.name, Code: k.name + "Left", KeyCode: k.keyCode, Location: 1}, "")
		right := Key{Key: k.name, Code: k.name + "Right", KeyCode: k.keyCode, Location: 2}
		if k.name == "Meta" {
			right.KeyCode = 92
		}
		addKey(right, "")
	}
	for i := range 10 {
		digit := string(rune('0' + i))
		addKey(Key{Key: digit, Code: "Numpad" + digit, KeyCode: 96 + i, Text: digit, Location: 3}, "")
	}
	for _, k := range []Key{
		{Key: "*", Code: "NumpadMultiply", KeyCode: 106, Text: "*"}, {Key: "+", Code: "NumpadAdd", KeyCode: 107, Text: "+"},
		{Key: "-", Code: "NumpadSubtract", KeyCode: 109, Text: "-"}, {Key: ".", Code: "NumpadDecimal", KeyCode: 110, Text: "."},
		{Key: "/", Code: "NumpadDivide", KeyCode: 111, Text: "/"}, {Key: "Enter", Code: "NumpadEnter", KeyCode: 13, Text: "\r"},
	} {
		k.Location = 3
		addKey(k, "")
	}
}

// addKey takes a key in under its code and, unless another has it already,
// under its key value and the one with Shift.
func addKey(k Key, shifted string) {
	keysByCode[k.Code] = k
	if _, ok := keysByKey[k.Key]; !ok {
		keysByKey[k.Key] = k
	}
	if shifted != "" {
		s := k
		s.Key, s.Text, s.Shift = shifted, shifted, true
		shiftedText[k.Code] = s
		if _, ok := keysByKey[shifted]; !ok {
			keysByKey[shifted] = s
		}
	}
}

// LookupKey finds a key by its code ("KeyA", "Space"), its value ("a", "A",
// " ", "Enter") or a usual other name ("esc", "ctrl", "left"). Codes come first.
func LookupKey(name string) (Key, bool) {
	if k, ok := keysByCode[name]; ok {
		return k, true
	}
	if k, ok := keysByKey[name]; ok {
		return k, true
	}
	if len(name) > 1 {
		if alias, ok := aliases[strings.ToLower(name)]; ok {
			return keysByCode[alias], true
		}
		for code, k := range keysByCode {
			if strings.EqualFold(code, name) {
				return k, true
			}
		}
	}
	return Key{}, false
}
