package report

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Root is one thing that is wrong with a game, with everything that follows from
// it: a missing script is one thing to mend, though the game does not load, its
// controls are dead and the network log names the file.
type Root struct {
	// Issue says what is wrong, with the severity of the worst that follows.
	record.Issue
	// Kind is a word for programs: script_failed, dead_controls, exception, ...
	Kind string
	// File is the game's own file that is to blame, as its address; Line is zero
	// when only the file is known.
	File string
	Line int
	// Consequences are the issues that will go when this one is mended.
	Consequences []record.Issue
	// Also are other sightings of the same thing.
	Also []string
	// Suggestion is where to look first; empty when nobody can tell.
	Suggestion string
	// thrown is the first line of the error that it is about.
	thrown string
}

// Roots sorts the issues of a report by what causes them, the worst first. The
// record adds where errors came from; it may be nil.
func Roots(rep *record.Report, rec *record.Record) []Root {
	if rec == nil {
		rec = &record.Record{}
	}
	g := &grouping{rep: rep, rec: rec}
	for _, i := range rep.Issues {
		g.add(g.sight(i))
	}
	g.chain()
	var roots []Root
	for _, group := range g.groups {
		if len(group) > 0 {
			roots = append(roots, g.root(group))
		}
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return gravity(a.Severity) - gravity(b.Severity) })
	return roots
}

func gravity(s record.Severity) int {
	switch s {
	case record.Critical:
		return 0
	case record.Major:
		return 1
	}
	return 2
}

// sighting is an issue with what it speaks of.
type sighting struct {
	record.Issue
	check  *record.Check // whose failure the issue is
	file   string        // the base name of a file that did not load
	host   string        // the host of one that could not be reached at all
	thrown string        // the first line of an error
}

type grouping struct {
	rep    *record.Report
	rec    *record.Record
	groups [][]sighting
}

var fileName = regexp.MustCompile(`[\p{L}\p{N}_.%~-]+\.(?:js|mjs|wasm|css|png|jpe?g|gif|webp|svg|json|data|pck|ogg|mp3|wav|glb|gltf|woff2?|ttf|otf|ico|html?)\b`)

// sight tells what an issue is about. The words of issues are ours; the names in
// them are compared with what was measured.
func (g *grouping) sight(i record.Issue) sighting {
	s := sighting{Issue: i}
	for n := range g.rep.Checks {
		if c := &g.rep.Checks[n]; c.State == record.Disproven && c.Reason == i.Description {
			s.check = c
		}
	}
	text := i.Description + " " + i.Evidence
	if strings.Contains(i.Description, "could not be loaded") || strings.Contains(i.Description, "did not arrive") || s.check != nil && strings.Contains(text, "load") {
		if names := fileName.FindAllString(text, -1); len(names) > 0 {
			s.file = names[len(names)-1]
		}
		s.host = unreached(i)
	}
	for _, e := range g.errors() {
		if e != "" && strings.Contains(text, e) {
			s.thrown = e
			break
		}
	}
	return s
}

// unreached is the host that an issue says could not be reached: whatever was to come
// from there is one thing to mend.
func unreached(i record.Issue) string {
	if !strings.Contains(i.Description, "host was not found") {
		return ""
	}
	u, err := url.Parse(i.Evidence)
	if err != nil {
		return ""
	}
	return u.Host
}

// errors are the first lines of what the game did not catch.
func (g *grouping) errors() []string {
	var out []string
	for _, e := range g.rep.Metadata.ConsoleErrors {
		if e.Level == record.LevelUncaught {
			out = append(out, firstLine(e.Text))
		}
	}
	for _, e := range g.rec.Health.Exceptions {
		out = append(out, firstLine(e.Text))
	}
	for _, c := range g.rep.Controls {
		if c.Trial.Threw != "" {
			out = append(out, firstLine(c.Trial.Threw))
		}
	}
	if g.rec.Twins != nil {
		for _, o := range g.rec.Twins.Observations {
			if o.Threw != "" && !slices.Contains(out, firstLine(o.Threw)) {
				out = append(out, firstLine(o.Threw))
			}
		}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(line, "Uncaught ")
}

func (g *grouping) add(s sighting) {
	for i, group := range g.groups {
		for _, o := range group {
			if s.file != "" && s.file == o.file || s.host != "" && s.host == o.host || s.thrown != "" && s.thrown == o.thrown {
				g.groups[i] = append(group, s)
				return
			}
		}
	}
	g.groups = append(g.groups, []sighting{s})
}

// ends are the causes of a game that is not stable after which nothing answers.
var ends = map[string]bool{"hung": true, "crashed": true, "left": true, "withheld": true, "reload_loop": true, "stopped": true, "frozen": true, "context_lost": true, "exceptions": true}

// chain puts failed checks under the failed check that they follow from: what did
// not load cannot answer, and neither can what hangs.
func (g *grouping) chain() {
	g.undefined()
	loaded, stable, controls := g.of(record.GameLoaded), g.of(record.GameStable), g.of(record.ControlsResponsive)
	if loaded >= 0 {
		g.move(stable, loaded)
		g.move(controls, loaded)
		return
	}
	if stable >= 0 && ends[g.rep.Check(record.GameStable).Cause] {
		g.move(controls, stable)
		return
	}
	if controls >= 0 {
		g.move(controls, g.byInput())
	}
}

// undefined puts errors about names that nobody has defined under the script that did not
// load: others may have been defined by those that stopped at such an error.
func (g *grouping) undefined() {
	script := slices.IndexFunc(g.groups, func(group []sighting) bool { return slices.ContainsFunc(group, g.isScript) })
	if script < 0 {
		return
	}
	for i, group := range g.groups {
		if slices.ContainsFunc(group, func(s sighting) bool { return strings.HasPrefix(s.thrown, "ReferenceError: ") }) {
			g.move(i, script)
		}
	}
}

// isScript reports whether an issue is about a script that did not load.
func (g *grouping) isScript(s sighting) bool {
	return slices.ContainsFunc(g.rec.Health.FailedLoads, func(l record.FailedLoad) bool {
		u, err := url.Parse(l.URL)
		return err == nil && strings.EqualFold(l.Type, "script") && (s.file != "" && path.Base(u.Path) == s.file || s.host != "" && u.Host == s.host)
	})
}

// byInput is the group of an error that inputs cause, -1 when there is none.
func (g *grouping) byInput() int {
	caused := map[string]bool{}
	for _, e := range g.rec.Health.Exceptions {
		caused[firstLine(e.Text)] = 2*e.ByInput >= e.Count && e.ByInput > 0
	}
	for _, c := range g.rep.Controls {
		if c.Trial.Threw != "" {
			caused[firstLine(c.Trial.Threw)] = true
		}
	}
	return slices.IndexFunc(g.groups, func(group []sighting) bool {
		return slices.ContainsFunc(group, func(s sighting) bool { return s.thrown != "" && caused[s.thrown] })
	})
}

// of is the group of a failed check, -1 when there is none.
func (g *grouping) of(name record.CheckName) int {
	return slices.IndexFunc(g.groups, func(group []sighting) bool {
		return slices.ContainsFunc(group, func(s sighting) bool { return s.check != nil && s.check.Name == name })
	})
}

func (g *grouping) move(from, to int) {
	if from < 0 || to < 0 || from == to {
		return
	}
	g.groups[to] = append(g.groups[to], g.groups[from]...)
	g.groups[from] = nil
}

// root makes one of a group. A game that did not load or did not live comes first,
// then what names a file or an error, then dead controls, which are an effect.
func (g *grouping) root(group []sighting) Root {
	order := map[record.CheckName]int{record.GameLoaded: 1, record.GameStable: 2, record.ControlsResponsive: 8}
	rank := func(s sighting) int {
		switch {
		case s.check != nil:
			return 10 * order[s.check.Name]
		case s.file != "" || s.host != "" || s.thrown != "":
			return 40 + gravity(s.Severity)
		}
		return 90 + gravity(s.Severity)
	}
	slices.SortStableFunc(group, func(a, b sighting) int { return rank(a) - rank(b) })
	head := group[0]
	r := Root{Issue: head.Issue, Kind: g.kind(head)}
	missing := slices.ContainsFunc(group, func(s sighting) bool { return s.file != "" || s.host != "" })
	for _, s := range group {
		if r.thrown == "" && !missing {
			r.thrown = s.thrown
		}
		if gravity(s.Severity) < gravity(r.Severity) {
			r.Severity = s.Severity
		}
		if s.file != "" && r.File == "" {
			r.File = g.address(s.file)
		}
		if r.thrown != "" && r.File == "" {
			r.File, r.Line = g.thrownAt(r.thrown)
		}
		if r.At == 0 {
			r.At = s.At
		}
	}
	for _, s := range group[1:] {
		same := s.file != "" && s.file == head.file || s.host != "" && s.host == head.host || s.thrown != "" && s.thrown == head.thrown
		if s.check == nil && same && gravity(s.Severity) >= gravity(head.Severity) && !strings.HasPrefix(s.Description, "Operating ") {
			if s.Evidence != "" && !slices.Contains(r.Also, s.Evidence) && s.Evidence != head.Evidence {
				r.Also = append(r.Also, s.Evidence)
			}
			continue
		}
		r.Consequences = append(r.Consequences, s.Issue)
	}
	if head.host != "" && len(r.Also) > 0 {
		r.Description = fmt.Sprintf("%d files could not be loaded: %s, their host, was not found.", len(r.Also)+1, Plain(head.host))
	}
	r.Also = slices.DeleteFunc(r.Also, func(also string) bool { return also == r.File })
	r.Suggestion = suggestion(r, head)
	return r
}

func (g *grouping) kind(s sighting) string {
	d := s.Description
	switch {
	case s.check != nil && s.check.Cause != "":
		return s.check.Cause
	case s.check != nil:
		return string(s.check.Name)
	case s.file != "" || s.host != "":
		return "failed_load"
	case s.thrown != "" || strings.HasPrefix(d, "Uncaught error"):
		return "exception"
	case s.By != "":
		return "opinion"
	case strings.Contains(d, "shader"):
		return "shader"
	case strings.HasPrefix(d, "The main thread is busy"):
		return "slow"
	case strings.HasPrefix(d, "The page hung in one"):
		return "hung_once"
	case strings.HasPrefix(d, "The memory in use"):
		return "memory"
	case strings.HasPrefix(d, "playtest refused"):
		return "refused"
	case strings.Contains(d, "indicator of the metadata"):
		return "indicator"
	case strings.HasPrefix(d, "The key ") || strings.HasPrefix(d, "The button "):
		return "dead_control"
	}
	return "other"
}

// address finds the whole address of a file that did not load.
func (g *grouping) address(file string) string {
	for _, l := range g.rec.Health.FailedLoads {
		if u, err := url.Parse(l.URL); err == nil && path.Base(u.Path) == file {
			return l.URL
		}
	}
	return file
}

// thrownAt finds where an error came from.
func (g *grouping) thrownAt(text string) (file string, line int) {
	for _, e := range g.rec.Health.Exceptions {
		if firstLine(e.Text) == text && e.URL != "" {
			return e.URL, e.Line
		}
	}
	for _, e := range g.rep.Metadata.ConsoleErrors {
		if firstLine(e.Text) == text && e.URL != "" {
			return e.URL, e.Line
		}
	}
	return "", 0
}

// suggestion is where a developer looks first.
func suggestion(r Root, head sighting) string {
	file := path.Base(strings.SplitN(r.File, "?", 2)[0])
	if r.thrown != "" && r.Line > 0 {
		return "The error is thrown in " + file + "; the line is the one that the browser names. What comes after it in that function did not run."
	}
	if r.thrown != "" {
		return "Open the browser's console, do the same and follow the error to its line."
	}
	switch r.Kind {
	case "script_failed", "failed_load", "pictures_missing":
		if head.file != "" {
			return "See that " + head.file + " is uploaded and that its address is spelt the same, upper and lower case included: most servers tell them apart."
		}
		if head.host != "" {
			return "See whether the address of " + Plain(head.host) + " is right, and what players see who cannot reach it; files that the game needs are safer beside it."
		}
		return "See that every file of the build is uploaded and that paths are relative to the page."
	case "dead_controls":
		return "See whether the page listens to the events that players cause, on the element that they hit, and whether something transparent lies over the game."
	case "hung", "hung_once":
		return "Look for a loop that waits for something that cannot happen while it runs."
	case "crashed":
		return "The browser's process for the page died: look at memory first."
	case "not_started", "dead_start":
		return "See what the start button's handler does, and whether the button that can be seen is the one that listens."
	case "blank":
		return "See whether something opaque lies over the game, whether its canvas has a size, and whether its first frame is drawn at all."
	case "withheld":
		return "Look for stopPropagation or stopImmediatePropagation in a capturing listener that is never taken away."
	case "stopped", "frozen":
		return "See whether the loop of the game asks for its next frame on every path, also after an error."
	case "context_lost":
		return "Handle webglcontextlost and webglcontextrestored; browsers take contexts away."
	case "left", "reload_loop":
		return "Look for code that sets location, and for what makes it run without the player."
	case "ends_at_once":
		return "See what ends a round before the player can do anything: times, positions and lives at the start."
	case "slow":
		return "Record a performance profile and look for the longest tasks."
	case "memory":
		return "Take two heap snapshots a minute apart and look at what only the second one has."
	}
	return ""
}
