package metadata

import (
	"regexp"
	"slices"
	"strings"
)

// phrase is a piece of prose or code that names inputs.
type phrase struct {
	keys  []string
	other string // an input that is no key, see otherInputs
	name  string // what the inputs do, "jump"; may be empty
	hold  bool
	text  string // the clause it was read from
}

// mention is one place in a clause that names an input.
type mention struct {
	start, end int
	keys       []string
	other      string
}

var (
	clauseEnd = regexp.MustCompile(`[\n;]+|[.!](?:\s|$)`)

	// "left and right arrow keys", "up/down keys": directions alone are where
	// things move, not what is pressed.
	arrowPhrase = regexp.MustCompile(`(?i)\b(?:(?:up|down|left|right)(?:\s*(?:,|/|&|\+|-|\band\b|\bor\b|\s)\s*)+)*(?:up|down|left|right)[\s-]+(?:arrows?|cursors?)(?:[\s-]+keys?)?\b|\b(?:up|down|left|right)(?:\s*(?:,|/|&|\band\b|\bor\b)\s*(?:up|down|left|right))*\s+keys?\b`)
	arrowFirst  = regexp.MustCompile(`(?i)\barrow[\s_-]?(?:up|down|left|right)\b`)
	arrowAll    = regexp.MustCompile(`(?i)\b(?:arrow|cursor|direction(?:al)?)[\s-]*keys?\b|\barrows\b`)
	directions4 = regexp.MustCompile(`(?i)up|down|left|right`)
	arrowSign   = regexp.MustCompile(`[↑↓←→]`)

	letterGroup = regexp.MustCompile(`(?i)\b(?:w[\s,/+-]*a[\s,/+-]*s[\s,/+-]*d|ijkl|hjkl|zqsd)\b`)
	strongKey   = regexp.MustCompile(`(?i)\b(?:space[\s-]?bar|space|backspace|esc|ctrl|numpad[\s-]?[0-9]|page[\s-]?up|page[\s-]?down|caps[\s-]?lock|(?-i:Key[A-Z])|digit[0-9]|f1[0-2]|f[1-9])\b`)
	weakKey     = regexp.MustCompile(`(?i)\b(?:left[\s-]|right[\s-])?(?:shift|ctrl|control|alt)\b|\b(?:enter|return|escape|tab|delete|home|end|insert|pause|option|command|meta)\b`)
	quotedKey   = regexp.MustCompile("[\"'`‘“\\[<]([^\"'`’”\\]>\\s]{1,12})[\"'`’”\\]>]")
	letterKey   = regexp.MustCompile(`\b[A-Za-z0-9]\b`)
	numberKeys  = regexp.MustCompile(`(?i)\b(?:number|numeric|digit)[\s-]*keys?\b|\bdigits\b|\b([0-9])\s*(?:-|–|to|through)\s*([0-9])\b`)
	anyKeyWord  = regexp.MustCompile(`(?i)\bany\s+(?:key|button)\b`)
	pointerWord = regexp.MustCompile(`(?i)\b(?:(?:left|right|double)[\s-]?click|mouse(?:\s+(?:button|wheel|click))?|click(?:s|ing)?|tap(?:s|ping)?|drag(?:s|ging)?(?:\s+and\s+drop)?|swip(?:e|es|ing)|touch|(?:virtual\s+)?joystick|lmb|rmb)\b`)
	gamepadWord = regexp.MustCompile(`(?i)\bgame\s?pad\b|\bcontroller\b`)

	// Words before a key that make clear that it is one, and words after it.
	pressBefore = regexp.MustCompile(`(?i)(?:\b(?:press|pressing|hit|hitting|hold|holding|use|using|with|push|pushing|key|keys|button|tap|via|by|on)|[:=/+(\[])\s*(?:down\s+)?(?:the\s+)?["'\[(]*$`)
	listBefore  = regexp.MustCompile(`(?i)(?:\b(?:press|hit|hold|use|using|with|keys?|via|by|and|or)|[:=/+(\[&,])\s*(?:the\s+)?["'\[(]*$`)
	pressStrong = regexp.MustCompile(`(?i)\b(?:press|pressing|hit|hitting|hold|holding|push|pushing|key|keys)\s+(?:down\s+)?(?:the\s+)?["'\[(]*$`)
	keyAfter    = regexp.MustCompile(`(?i)^["'\])]*\s*(?:(?:keys?|buttons?)\b|[:=/+]|[-–]\s|to\s|for\s|(?:and|or)\s+(?:the\s+)?["']?[A-Z0-9]\b)`)
	spaceShip   = regexp.MustCompile(`(?i)^\s?-?(?:ship|craft|station|invader|shooter|rocket|game|age)`)
	joiner      = regexp.MustCompile(`(?i)^(?:[\s,/&+|"'\])(\[-]|\band\b|\bor\b|\bthe\b|\bkeys?\b|\bbuttons?\b|\bpress\b|\balso\b)*$`)
)

// readProse finds the inputs that a description for people names, and what
// each is for.
func readProse(text string) []phrase {
	var out []phrase
	for _, clause := range clauseEnd.Split(text, -1) {
		out = append(out, readClause(clause)...)
	}
	return out
}

func readClause(clause string) []phrase {
	found := mentions(clause)
	var out []phrase
	for i := 0; i < len(found); {
		// Inputs that only little words separate belong together.
		j := i + 1
		p := phrase{keys: slices.Clone(found[i].keys), other: found[i].other, hold: saysHold(clause), text: strings.TrimSpace(clause)}
		for j < len(found) && joiner.MatchString(clause[found[j-1].end:found[j].start]) {
			for _, k := range found[j].keys {
				if !slices.Contains(p.keys, k) {
					p.keys = append(p.keys, k)
				}
			}
			if p.other == "" {
				p.other = found[j].other
			}
			j++
		}
		before, after := clause[:found[i].start], clause[found[j-1].end:]
		if i > 0 {
			before = clause[found[i-1].end:found[i].start]
		}
		if j < len(found) {
			after = clause[found[j-1].end:found[j].start]
		}
		p.name = purpose(before, after)
		out = append(out, p)
		i = j
	}
	return out
}

// mentions returns the inputs of a clause in their order. Earlier rules claim
// their text, so that the A of WASD is not found again.
func mentions(clause string) []mention {
	var found []mention
	claim := func(start, end int, keys []string, other string) {
		for _, m := range found {
			if start < m.end && m.start < end {
				return
			}
		}
		if len(keys) > 0 || other != "" {
			found = append(found, mention{start, end, keys, other})
		}
	}
	every := func(re *regexp.Regexp, read func(at []int) ([]string, string)) {
		for _, at := range re.FindAllStringSubmatchIndex(clause, -1) {
			keys, other := read(at)
			claim(at[0], at[1], keys, other)
		}
	}
	word := func(at []int) string { return clause[at[0]:at[1]] }
	named := func(at []int) ([]string, string) { return readInput(word(at)) }

	every(arrowFirst, named)
	every(arrowPhrase, func(at []int) ([]string, string) {
		var keys []string
		for _, d := range directions4.FindAllString(word(at), -1) {
			keys = append(keys, keyNames[strings.ToLower(d)])
		}
		return keys, ""
	})
	every(arrowAll, func([]int) ([]string, string) { return arrowCodes, "" })
	every(arrowSign, named)
	every(letterGroup, func(at []int) ([]string, string) { return keyGroups[fold(word(at))], "" })
	every(anyKeyWord, func([]int) ([]string, string) { return nil, InputAnyKey })
	every(numberKeys, func(at []int) ([]string, string) { return numberRange(clause, at), "" })
	every(strongKey, func(at []int) ([]string, string) {
		if fold(word(at)) == "space" && spaceShip.MatchString(clause[at[1]:]) {
			return nil, ""
		}
		return readInput(word(at))
	})
	every(quotedKey, func(at []int) ([]string, string) {
		return readInput(clause[at[2]:at[3]])
	})
	every(weakKey, func(at []int) ([]string, string) {
		w := word(at)
		before, after := around(clause, at)
		capital := w[0] >= 'A' && w[0] <= 'Z' && strings.TrimSpace(before) != ""
		// "return to the base", "control the ship", "end the round"
		told := pressBefore.MatchString(before) || keyAfter.MatchString(after) && fold(w) != "return" ||
			slices.ContainsFunc(found, func(m mention) bool {
				gap := at[0] - m.end
				return m.other == "" && gap >= 0 && gap <= nearby && joiner.MatchString(clause[m.end:at[0]])
			})
		if !capital && !told {
			return nil, ""
		}
		return readInput(w)
	})
	every(letterKey, func(at []int) ([]string, string) {
		w := word(at)
		before, after := around(clause, at)
		upper := w[0] >= 'A' && w[0] <= 'Z'
		article := w == "a" || w == "i" || w == "A" || w == "I"
		var is bool
		switch {
		case strings.HasSuffix(before, "'") && !strings.HasSuffix(before, " '"): // don't, it's
		case upper && !article:
			is = true
		case upper:
			is = pressStrong.MatchString(before) || keyAfter.MatchString(after) || listBefore.MatchString(before) && joiner.MatchString(firstOf(after))
		case article:
		default:
			is = pressStrong.MatchString(before) || strings.HasPrefix(strings.TrimSpace(after), "key")
		}
		if !is {
			return nil, ""
		}
		return readInput(w)
	})
	every(pointerWord, func([]int) ([]string, string) { return nil, InputPointer })
	every(gamepadWord, func([]int) ([]string, string) { return nil, InputGamepad })

	slices.SortFunc(found, func(a, b mention) int { return a.start - b.start })
	return found
}

// nearby is how far from a word the words lie that tell what it means. It
// keeps the reading of a long clause linear.
const nearby = 32

// around returns the text before and after a place in a clause.
func around(clause string, at []int) (before, after string) {
	return clause[max(0, at[0]-nearby):at[0]], clause[at[1]:min(len(clause), at[1]+nearby)]
}

// firstOf returns what stands before the next word of a clause's rest.
func firstOf(rest string) string {
	i := strings.IndexFunc(rest, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	if i < 0 {
		return rest
	}
	return rest[:i]
}

func numberRange(clause string, at []int) []string {
	if at[2] < 0 {
		return digitCodes("Digit")
	}
	from, to := int(clause[at[2]]-'0'), int(clause[at[4]]-'0')
	if to < from {
		return nil
	}
	return digitCodes("Digit")[from : to+1]
}

var (
	purposeAfter  = regexp.MustCompile(`(?i)^["'\])]*\s*(?:keys?|buttons?)?\s*(?:(?:to|for|will|:|=|[-–]|can)\s*)+([a-z][a-z -]*)`)
	purposeVerb   = regexp.MustCompile(`(?i)^["'\])]*\s*(?:keys?|buttons?)?\s+([a-z]+s)\b`)
	purposeBefore = regexp.MustCompile(`(?i)([a-z][a-z -]*?)\s*(?:\b(?:with|using|by|via|on)\b|:|=|\s[-–])\s*(?:pressing\s+|holding\s+)?(?:the\s+)?["'\[(]*$`)
	nextInput     = regexp.MustCompile(`(?i)\s(?:and|or|then)(?:\s+(?:press|hit|hold|use|push|tap|click|the|with).*)?$`)
	emptyPurpose  = regexp.MustCompile(`(?i)^(?:use|press|hit|the|and|or|key|keys|controls?|to|then|also|you can|player)\b\s*`)
)

// purpose reads what inputs do from the words around them.
func purpose(before, after string) string {
	for _, m := range [][]string{
		purposeAfter.FindStringSubmatch(after),
		purposeBefore.FindStringSubmatch(before),
		purposeVerb.FindStringSubmatch(after),
	} {
		if m == nil {
			continue
		}
		name := strings.TrimSpace(nextInput.ReplaceAllString(m[1], ""))
		for {
			shorter := emptyPurpose.ReplaceAllString(name, "")
			if shorter == name {
				break
			}
			name = shorter
		}
		if words := strings.Fields(name); len(words) > 0 {
			if name = strings.Join(words[:min(len(words), 5)], " "); name != "" {
				return strings.ToLower(name)
			}
		}
	}
	return ""
}
