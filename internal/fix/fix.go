// Package fix says how to mend what a run found: a piece of advice for each root
// cause and, where the game's own files are at hand and show it, the edit.
//
// It guesses only what the files prove to be possible: a file that is there
// under a similar name, an identifier or an element of a similar name. Everything
// else is advice in words.
package fix

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Fix is how to mend one thing.
type Fix struct {
	// Problem is what is wrong, in one sentence.
	Problem string `json:"problem" jsonschema:"what is wrong"`
	Advice  string `json:"advice" jsonschema:"what to do about it"`
	// File, Line and Source are where to look, in the game's folder or on its site.
	File   string `json:"file,omitempty" jsonschema:"the file to look at"`
	Line   int    `json:"line,omitempty" jsonschema:"the line to look at, from 1"`
	Source string `json:"source,omitempty" jsonschema:"that line as it is now"`
	// Edit is set when the files show what was meant.
	Edit *Edit `json:"edit,omitempty" jsonschema:"the change that the game's files suggest; look at it before you make it"`
}

// Edit replaces text on one line of a file.
type Edit struct {
	File    string `json:"file"`
	Line    int    `json:"line" jsonschema:"from 1"`
	Find    string `json:"find" jsonschema:"text on that line"`
	Replace string `json:"replace"`
}

// most is how many pieces of advice are given: one root cause is worth more
// than its ten consequences.
const most = 5

// For is how to mend what the report found, the likeliest root cause first. The
// source may be nil: then there are no edits. A game that passed gets advice on
// what failed to load and on what it threw, and on nothing else.
func For(rep *record.Report, rec *record.Record, src *Source) []Fix {
	var fixes []Fix
	add := func(f Fix) {
		if len(fixes) < most && !slices.ContainsFunc(fixes, func(g Fix) bool { return g.Problem == f.Problem }) {
			fixes = append(fixes, f)
		}
	}
	for _, l := range rec.Health.FailedLoads {
		if l.SameSite && path.Base(name(l.URL)) != "favicon.ico" {
			add(src.missing(l))
		}
	}
	for _, e := range rec.Health.Exceptions {
		if e.Own {
			add(src.thrown(e))
		}
	}
	if rep.Status == record.Pass || len(fixes) > 0 {
		return fixes
	}
	for _, c := range rep.Checks {
		if c.State == record.Proven {
			continue
		}
		if text := advice[c.Cause]; text != "" {
			add(Fix{Problem: cut(c.Reason, 300), Advice: text})
		}
	}
	return fixes
}

// advice is for causes that no file explains.
var advice = map[string]string{
	"blank":             "Nothing is drawn. See that the drawing code is called after the page has loaded, that the canvas has a size other than 0, and that nothing before it returns early.",
	"unseen":            "The game runs but cannot be seen. Look for a canvas that is hidden, has no size or lies under something else.",
	"covered":           "An element lies over the whole game and takes the clicks. Remove it when the game begins, or give it pointer-events: none.",
	"loading":           "Loading never ends. Give every request an error handler, and begin the game when the last one has succeeded or failed.",
	"pictures_missing":  "Pictures could not be loaded. Compare their paths with the files, including upper and lower case.",
	"dead_controls":     "No input does anything. See that listeners are added to window or to an element that can be clicked, after that element exists, for the right event (keydown, pointerdown, click) and the right key (event.code such as ArrowLeft); and that the handler changes what the next frame draws.",
	"dead_start":        "The start does nothing. See that its button has a click listener that really begins the game.",
	"throws":            "Handlers of the controls throw. The console shows the error; playtest_report with part console has all of them.",
	"exceptions":        "The same error comes again and again. The console shows where; playtest_report with part console has all of them.",
	"frozen":            "Handlers run, but the picture never changes. See that the loop calls requestAnimationFrame again, clears the canvas and draws the state that the handlers change.",
	"stopped":           "The game stops after a while. Look for a loop that is not requested again after an error or after an end, and for state that blocks input for ever.",
	"withheld":          "The game's inputs worked, and then another listener stopped every one of them. Look for stopPropagation or stopImmediatePropagation in a capturing listener of window or document that is never taken away.",
	"hung":              "The page hangs. Look for a loop that does not end, often a while that waits for a change only the next frame would bring.",
	"crashed":           "The page crashed. Look for arrays, canvases or textures that are made anew each frame and never let go.",
	"left":              "The page goes to another address by itself. Remove the redirect, or start the game on the page that it leads to.",
	"reload_loop":       "The page loads itself again and again. Look for location.reload, or a form that a button submits: give the button type=\"button\".",
	"context_lost":      "The drawing context was lost. Handle webglcontextlost and webglcontextrestored, and use fewer or smaller textures.",
	"ends_at_once":      "Rounds end at once. See that a new round sets everything back that ended the last one, before its first frame.",
	"vanished":          "After a while nothing can be seen. Look for positions that become NaN and for a canvas that is cleared and not drawn again.",
	"status":            "The address answers with an error. See that the game is built and served where it is looked for.",
	"connection":        "Nothing answers at the address. See that the server runs, or give the folder instead of an address.",
	"not_started":       "No way to start the game was found. A visible button with the word Play or Start helps, or metadata that says how it begins.",
	"unsupported_input": "The game wants a file before it begins. Let it begin with one of its own.",
	"environment":       "This machine lacks something that the game needs; that is no fault of the game.",
}

// missing is a file of the game that could not be loaded.
func (s *Source) missing(l record.FailedLoad) Fix {
	gone := s.file(l.URL)
	f := Fix{Problem: fmt.Sprintf("%s could not be loaded (%s).", cut(gone, 200), cut(l.Why(), 100))}
	near := s.nearFile(gone)
	at, find := s.mention(gone)
	if at != nil {
		f.File, f.Line, f.Source = at.file, at.line, cut(strings.TrimSpace(at.text), 200)
	}
	switch {
	case near != "" && at != nil:
		replace := path.Base(near)
		if find != path.Base(gone) || path.Dir(near) != path.Dir(gone) {
			find, replace = gone, near
		}
		f.Advice = fmt.Sprintf("There is a file %s. Ask for that one.", near)
		if strings.Contains(at.text, find) {
			f.Edit = &Edit{File: at.file, Line: at.line, Find: find, Replace: replace}
		}
	case near != "":
		f.Advice = fmt.Sprintf("There is a file %s. Ask for that one.", near)
	case s != nil:
		f.Advice = "No file of a similar name is in the folder. Add it, or take out what asks for it."
	default:
		f.Advice = "See that the file is published and that its path is right, including upper and lower case."
	}
	return f
}

var (
	undefined  = regexp.MustCompile(`(?:ReferenceError: |^)([A-Za-z_$][\w$]*) is not defined`)
	noFunction = regexp.MustCompile(`TypeError: (?:[\w$.()\[\]'"]*\.)?([A-Za-z_$][\w$]*) is not a function`)
	ofNull     = regexp.MustCompile(`Cannot (?:read|set) propert(?:y|ies) (?:'[^']*' )?of (?:null|undefined)|(?:null|undefined) is not an object`)
	// An element is often looked up by a helper of the game's own, so every text on
	// the line may be the id.
	literal = regexp.MustCompile("['\"`]#?([A-Za-z][\\w-]*)['\"`]")
	place   = regexp.MustCompile(`\(?(https?://[^\s()]+?):(\d+):\d+\)?`)
)

// thrown is an error of the game's own code.
func (s *Source) thrown(e record.ErrorGroup) Fix {
	first, _, _ := strings.Cut(e.Text, "\n")
	f := Fix{Problem: cut(first, 300)}
	address, line := e.URL, e.Line
	if m := place.FindStringSubmatch(e.Text); address == "" && m != nil {
		address = m[1]
		fmt.Sscanf(m[2], "%d", &line)
	}
	if address != "" {
		f.File, f.Line = s.file(address), line
		f.Source = cut(strings.TrimSpace(s.line(f.File, line)), 200)
	}
	f.Advice = "Mend the line that throws; what comes after it does not run."
	if s == nil {
		return f
	}
	replace := func(find, with, why string) {
		f.Advice = why
		at := s.nearLine(f.File, f.Line, find)
		if at > 0 {
			f.Edit = &Edit{File: f.File, Line: at, Find: find, Replace: with}
		}
	}
	text := e.Text
	switch {
	case undefined.MatchString(text):
		word := undefined.FindStringSubmatch(text)[1]
		f.Advice = fmt.Sprintf("%s is used but nowhere declared. Declare it, load the script that does before this one, or correct the name.", word)
		if near := nearest(word, s.declared(word)); near != "" {
			replace(word, near, fmt.Sprintf("%s is nowhere declared; %s is. Use that name.", word, near))
		}
	case noFunction.MatchString(text):
		word := noFunction.FindStringSubmatch(text)[1]
		f.Advice = fmt.Sprintf("%s is no function there. See that the name is right and that it is set before it is called.", word)
		if near := nearest(word, s.words(word)); near != "" {
			replace(word, near, fmt.Sprintf("%s is no function; the game uses %s elsewhere. Use that name.", word, near))
		}
	case ofNull.MatchString(text):
		f.Advice = "Something that was looked up is not there. See that the element exists under that name, and that the script runs after it: at the end of the body, or with defer."
		ids := s.ids()
		for _, m := range literal.FindAllStringSubmatch(s.line(f.File, f.Line), -1) {
			if near := nearest(m[1], ids); near != "" && !slices.Contains(ids, m[1]) {
				replace(m[1], near, fmt.Sprintf("No element has the id %s; there is one with the id %s. Use that one.", m[1], near))
				break
			}
		}
	}
	return f
}

// name is the path of an address, without what surrounds it.
func name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Path
}

// cut keeps what comes from a page short.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
