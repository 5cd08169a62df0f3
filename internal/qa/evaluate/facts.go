package evaluate

import (
	"fmt"
	"path"
	"strings"

	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// facts are what the parts of a report ask of a record.
type facts struct {
	rec *record.Record
	// answers are trials of the game's own controls that proved responsive.
	answers  []record.ControlResult
	keyboard record.Modality
	broken   string // a script that is missing or cannot run
	// achieved is what a model's play brought about, if the game's controls are proven by
	// that; nil otherwise.
	achieved *record.Achieved
}

func gather(rec *record.Record, checks []record.Check) facts {
	f := facts{rec: rec, broken: brokenScript(rec)}
	for _, c := range controlResults(rec) {
		if c.Trial.Outcome == record.Responsive && !c.Control.Aside {
			f.answers = append(f.answers, c)
		}
	}
	if rec.Twins != nil {
		for _, m := range rec.Twins.Modalities {
			if m.Name == "keyboard" {
				f.keyboard = m
			}
		}
	}
	for _, c := range checks {
		if c.Name == record.ControlsResponsive && c.State == record.Proven && len(f.answers) == 0 {
			f.achieved = rec.Explore.Achieved
		}
	}
	return f
}

func (f facts) answered() string {
	if len(f.answers) == 0 && f.achieved != nil {
		return fmt.Sprintf("%d of %d turns of play", f.achieved.Effects, f.achieved.Turns)
	}
	if len(f.answers) == 0 {
		return "nothing"
	}
	var names []string
	for i, a := range f.answers {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(f.answers)-3))
			break
		}
		names = append(names, a.Control.Description)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// brokenScript names the script without which the game cannot run: missing,
// blocked or not JavaScript.
func brokenScript(rec *record.Record) string {
	for _, l := range rec.Health.FailedLoads {
		if l.Type == "Script" && !words.IsTracker(l.URL) {
			return fmt.Sprintf("the script %s could not be loaded (%s)", shortURL(l.URL), l.Why())
		}
	}
	for _, e := range rec.Health.Exceptions {
		if words.IsSyntaxError(e.Text) {
			return fmt.Sprintf("the script %s cannot be read: %s", shortURL(e.URL), firstLine(e.Text))
		}
	}
	return ""
}

func shortURL(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	if b := path.Base(raw); b != "." && b != "/" {
		return b
	}
	return raw
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return cut(line, 160)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func clip(s string) string {
	return cut(strings.Join(strings.Fields(s), " "), 60)
}

// cut shortens a text to n bytes, but not within a letter.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// first is the first control that answered, or else the first that was tried.
func first(f facts) *record.ControlResult {
	if len(f.answers) > 0 {
		return &f.answers[0]
	}
	all := controlResults(f.rec)
	if len(all) > 0 {
		return &all[0]
	}
	return nil
}
