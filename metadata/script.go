package metadata

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	scriptSigns = regexp.MustCompile(`=>|===|\bfunction\b|\bcase\s|\.addKeys?\(|addEventListener|\bconst\b|\blet\b|\bvar\b|\)\s*[;{]|keyCode|\bkeys\[`)

	scriptComment = regexp.MustCompile(`(?s)/\*.*?\*/|(?m)(?:^|\s)//[^\n]*`)
	scriptString  = regexp.MustCompile("\"((?:[^\"\\\\\n]|\\\\.){0,40})\"|'((?:[^'\\\\\n]|\\\\.){0,40})'|`([^`\\\\$\n]{0,40})`")
	// KeyCode.Space, Phaser...KeyCodes.LEFT, Keys.A, KEY_LEFT, K_SPACE, LEFT_ARROW
	scriptConstant = regexp.MustCompile(`\b(?:[Kk]ey(?:[Cc]odes?|s|board)?|KEYS?|[Kk]b|Input)\.((?:KEY_|VK_)?[A-Za-z][A-Za-z0-9_]{0,15})\b|\b(?:KEY|K|VK)_([A-Z0-9_]{1,12})\b|\b((?:LEFT|RIGHT|UP|DOWN)_ARROW)\b`)
	// keyCode == 37, which === 32, keyIsDown(65), keys[38], addKey(37)
	scriptNumber   = regexp.MustCompile(`(?i)\b(?:keycode|which|charcode)\s*(?:===?|!==?|[:=])\s*(\d{1,3})\b|\b(?:keyisdown|iskeydown|keydown|keypressed|isdown|addkey|ispressed)\(\s*(\d{1,3})\b|\bkeys?(?:down|pressed|map)?\[\s*(\d{1,3})\s*\]`)
	scriptCase     = regexp.MustCompile(`\bcase\s+(\d{1,3})\s*:`)
	usesKeyCode    = regexp.MustCompile(`(?i)keycode|\bwhich\b|charcode`)
	scriptProperty = regexp.MustCompile(`(?:^|[{,\s])(Arrow(?:Up|Down|Left|Right)|Key[A-Z]|Digit[0-9]|Space|Enter|Escape|Shift(?:Left|Right)|Control(?:Left|Right)|Numpad[0-9])\s*:`)
	cursorKeys     = regexp.MustCompile(`\bcreateCursorKeys\s*\(`)
	unityAxis      = regexp.MustCompile(`\bGetAxis(?:Raw)?\(\s*["'](Horizontal|Vertical)["']`)
	pointerEvent   = regexp.MustCompile(`(?i)["'](?:click|dblclick|mousedown|mouseup|mousemove|pointerdown|pointermove|pointerup|touchstart|touchmove|wheel|dragstart|drop)["']|\bon(?:click|mousedown|pointerdown|touchstart)\b|\bmouse(?:Clicked|Pressed|IsPressed)\b`)
	keyEventPrefix = regexp.MustCompile(`(?i)^key(?:down|up|press)[-_:. ]`)
)

// looksLikeScript tells a piece of code from prose where the author did not say.
func looksLikeScript(text string) bool { return scriptSigns.MatchString(text) }

// readScript finds the inputs that a piece of a game's own code binds. Keys
// that point in directions come first, as one phrase.
func readScript(code string) []phrase {
	code = scriptComment.ReplaceAllString(code, " ")
	var found []string
	var bare []string // 'left' may be a key or a name that the game gave one
	add := func(codes ...string) {
		for _, c := range codes {
			if !slices.Contains(found, c) {
				found = append(found, c)
			}
		}
	}

	for _, m := range scriptString.FindAllStringSubmatch(code, -1) {
		text := m[1] + m[2] + m[3]
		text = keyEventPrefix.ReplaceAllString(text, "") // Phaser: 'keydown-SPACE'
		switch f := fold(text); {
		case text == "":
		case f == "up" || f == "down" || f == "left" || f == "right":
			bare = append(bare, keyNames[f])
		default:
			codes, _ := readInput(text)
			add(codes...)
		}
	}
	for _, m := range scriptConstant.FindAllStringSubmatch(code, -1) {
		name := strings.TrimPrefix(strings.TrimPrefix(m[1]+m[2]+m[3], "KEY_"), "VK_")
		codes, _ := readInput(name)
		add(codes...)
	}
	for _, m := range scriptProperty.FindAllStringSubmatch(code, -1) {
		codes, _ := readInput(m[1])
		add(codes...)
	}
	numbers := scriptNumber.FindAllStringSubmatch(code, -1)
	if usesKeyCode.MatchString(code) {
		numbers = append(numbers, scriptCase.FindAllStringSubmatch(code, -1)...)
	}
	for _, m := range numbers {
		if n, err := strconv.Atoi(strings.Join(m[1:], "")); err == nil && legacyCodes[n] != "" {
			add(legacyCodes[n])
		}
	}
	if cursorKeys.MatchString(code) {
		add(arrowCodes...)
	}
	for _, m := range unityAxis.FindAllStringSubmatch(code, -1) {
		if m[1] == "Horizontal" {
			add("ArrowLeft", "ArrowRight", "KeyA", "KeyD")
		} else {
			add("ArrowUp", "ArrowDown", "KeyW", "KeyS")
		}
	}
	if !slices.ContainsFunc(found, func(c string) bool { return direction(c) != "" }) {
		add(bare...)
	}
	return scriptPhrases(found, pointerEvent.MatchString(code))
}

func scriptPhrases(found []string, pointer bool) []phrase {
	var moving, others []string
	for _, c := range found {
		if direction(c) != "" {
			moving = append(moving, c)
		} else {
			others = append(others, c)
		}
	}
	var out []phrase
	if axis, _ := isAxis(moving); axis {
		out = append(out, phrase{keys: moving, name: "movement"})
	} else {
		others = append(moving, others...)
	}
	for _, c := range others {
		out = append(out, phrase{keys: []string{c}})
	}
	if pointer {
		out = append(out, phrase{other: InputPointer})
	}
	return out
}
