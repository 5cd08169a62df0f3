package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

//go:embed page.tmpl
var pageSource string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"keycap":  keycap,
	"number":  number,
	"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", share*100) },
	"seconds": secondsOf,
	"place":   place,
	"picture": picture,
	"shot":    shot,
	"ring":    ring,
	"bars":    bars,
	"pulse":   pulse,
	"plural":  plural,
	"weight":  weight,

	"facts":       facts,
	"comparisons": compare,
	"reading":     func(s record.Signal) bool { return s.Holds != (s.With == 1) || !s.Holds && s.With != 0 },
	"marks":       marks,
	"stopped":     stopped,
	"clock":       func(t time.Time) string { return t.UTC().Format("15:04:05") },
	"stage":       func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	"image":       func(string) *shown { return nil }, // Page says which
	"outline":     outline,
	"chance":      chance,
	"size":        size,
	"picked":      func(path, alt, class string) pick { return pick{path, alt, class} },
	"next":        func(i int) int { return i + 1 },
}).Parse(pageSource))

// view is what the template sees: the report with everything decided that a
// template should not decide.
type view struct {
	Style  template.CSS
	Report *record.Report
	Record *record.Record

	Title    string
	Verdict  verdictView
	Score    float64
	Hero     string // the picture at the top
	Film     *filmView
	Checks   []checkView
	Controls []controlView
	How      string // the controls were tried
	Tally    string
	Declared []declaredView
	Promised string // how many indicators were met
	Roots    []rootView
	Metrics  []record.Metric
	Timeline *timeline
	Searched *timeline // what happened in the game's own time
	Loading  *loading
	Running  *running
	Screens  []screenView
	Console  []line
	Quiet    int        // lines of the console that are not shown
	Turns    []turnView // of a model, or of layers around one
	Player   string     // whose
	Unshown  int        // turns
	Ended    string     // why they ended
	Story    []scene
	Facts    []fact
	Files    []string
}

// pick is a picture that a template asks for.
type pick struct{ Path, Alt, Class string }

// rootView is something to mend with what shows it.
type rootView struct {
	Root
	Class   string
	Picture string
	Lines   []line
	Again   []string // inputs that make it happen again
}

// linesOfRoot bounds the lines of the log that are shown with an issue.
const linesOfRoot = 4

func viewRoots(rep *record.Report, rec *record.Record, console []line) []rootView {
	var out []rootView
	for _, r := range Roots(rep, rec) {
		v := rootView{Root: r, Class: map[record.Severity]string{record.Critical: "bad", record.Major: "open"}[r.Severity]}
		if v.Class == "" {
			v.Class = "minor"
		}
		v.Again = again(rec, &r)
		file := path.Base(strings.SplitN(r.File, "?", 2)[0])
		for _, l := range console {
			if len(v.Lines) < linesOfRoot && (file != "." && file != "/" && strings.Contains(l.Text, file) || strings.Contains(r.Description, firstLine(l.Text)) && len(l.Text) > 8) {
				v.Lines = append(v.Lines, l)
			}
		}
		if v.Picture = shot(r.Evidence); v.Picture == "" && r.Severity == record.Critical {
			v.Picture = endPicture(rep, rec)
		}
		out = append(out, v)
	}
	return out
}

// endPicture shows the game as it was at the end.
func endPicture(rep *record.Report, rec *record.Record) string {
	if rec.Twins != nil && picture(rec.Twins.Alive.Picture) != "" {
		return picture(rec.Twins.Alive.Picture)
	}
	for _, stage := range []string{record.StageFinalState, record.StageInitialLoad} {
		for _, s := range rep.Screenshots {
			if s.Stage == stage && picture(s.Path) != "" {
				return picture(s.Path)
			}
		}
	}
	return ""
}

type verdictView struct{ Word, Class, Mark string }

type checkView struct {
	record.Check
	Title, Question, Answer, Class, Mark string
	Points                               int
	Note                                 string // what makes the answer worth less
	Hidden                               int    // pieces of evidence that are not shown
}

type controlView struct {
	record.ControlResult
	Caps    []string
	Class   string
	Mark    string
	Reaches []record.CodePlace
	More    int // places in the code that are not shown
	// Declared is the metadata's name, where the description does not say it.
	Declared string
	// Without and With caption the pictures: before and after the input, or the
	// same moment without and with it.
	Without, With string
	// Observed is the comparison behind it, Told the same in words, Way how to get
	// to where it works and MoreSteps what of that is not shown; nil and empty when
	// it was tried in the live page.
	Observed  *record.Observation
	Told      string
	Way       []string
	MoreSteps int
}

type declaredView struct {
	record.DeclaredResult
	Caps        []string
	Class, Mark string
}

// scene is a screenshot and what was done after it, until the next one.
type scene struct {
	Shot  *record.Screenshot
	After string // time since the first thing that happened
	Steps []step
	More  int // steps that are not shown
}

type step struct {
	What, Effect string
	Why, URL     string // of what a model did
	Times        int
	Failed       bool
}

type fact struct{ Name, Value string }

func newView(rep *record.Report, rec *record.Record, opts *PageOptions) *view {
	console, network := readConsole(opts.Files), readNetwork(opts.Files)
	v := &view{
		Style:   template.CSS(pageStyle),
		Report:  rep,
		Record:  rec,
		Title:   title(rep, rec),
		How:     howTried(rec),
		Verdict: verdict(rep.Status),
		Score:   float64(rep.PlayabilityScore),
		Roots:   viewRoots(rep, rec, console),
		Metrics: rep.Metrics,
		Files:   []string{"report.json", "record.json", "console.log", "network.log", "network.har", "agent-decisions.log"},
	}
	if opts.Single {
		v.Files = nil // nothing lies beside a page that stands alone
	}
	loaded := rep.Check(record.GameLoaded)
	for _, c := range rep.Checks {
		cv := viewCheck(c)
		if c.Name == record.GameStable && c.State == record.Proven && loaded.State == record.Disproven {
			cv.Note, cv.Class = "The game did not load, so this says little.", "open"
		}
		v.Checks = append(v.Checks, cv)
	}
	v.Controls, v.Tally = viewControls(rep.Controls)
	for i := range v.Controls {
		c := &v.Controls[i]
		if c.Observed = observed(rec, c.Control); c.Observed != nil {
			c.Told = told(c.Observed)
			c.Way, c.MoreSteps = way(rec, c.Observed.From)
		}
	}
	v.Declared, v.Promised = viewDeclared(rep.Declared), Promised(rep)
	v.Hero = hero(rep)
	v.Film = viewFilm(rep.Video, v.Hero, opts)
	v.Timeline, v.Loading, v.Screens = newTimeline(rep, rec, console, network), newLoading(rec, network), viewScreens(rec)
	v.Running, v.Searched = newRunning(rec), newSearched(rec)
	v.Console, v.Quiet = loud(console)
	var told map[string]bool
	v.Turns, v.Unshown, told = viewTurns(rec, rep.Metadata.GameURL)
	shots, actions := fresh(besides(rep), opts.Files), rep.Metadata.ActionHistory
	if len(v.Turns) > 0 {
		v.Player, v.Ended = player(rec), words(rec.Explore.Ended)
		shots = slices.DeleteFunc(shots, func(s record.Screenshot) bool { return told[s.Path] })
		actions = slices.DeleteFunc(slices.Clone(actions), func(a record.ReportedAction) bool { return a.URL != "" })
	}
	v.Story = story(shots, actions)
	v.Facts = runFacts(rep, rec)
	return v
}

func title(rep *record.Report, rec *record.Record) string {
	if m := rec.Target.Metadata; m != nil && m.Title != "" {
		return m.Title
	}
	if rec.Load.Title != "" {
		return rec.Load.Title
	}
	return rep.Metadata.GameURL
}

func verdict(s record.Verdict) verdictView {
	switch s {
	case record.Pass:
		return verdictView{"Pass", "good", "✓"}
	case record.Fail:
		return verdictView{"Fail", "bad", "✗"}
	}
	return verdictView{"Could not be judged", "open", "?"}
}

func viewCheck(c record.Check) checkView {
	v := checkView{Check: c, Title: string(c.Name), Points: record.Points[c.Name]}
	v.Evidence = c.Evidence[:min(len(c.Evidence), evidenceShown)]
	v.Hidden = len(c.Evidence) - len(v.Evidence)
	switch c.Name {
	case record.GameLoaded:
		v.Title, v.Question = "Loaded", "Does the game load?"
	case record.ControlsResponsive:
		v.Title, v.Question = "Controls", "Do its controls respond?"
	case record.GameStable:
		v.Title, v.Question = "Stable", "Does it stay alive?"
	}
	switch c.State {
	case record.Proven:
		v.Answer, v.Class, v.Mark = "yes", "good", "✓"
	case record.Disproven:
		v.Answer, v.Class, v.Mark = "no", "bad", "✗"
	default:
		v.Answer, v.Class, v.Mark = "undecided", "open", "?"
	}
	return v
}

// evidenceShown bounds the evidence in a check; all pictures are further down.
const evidenceShown = 4

// reachesShown bounds the list of functions that a control reaches, gesturesShown that of
// what started a game.
const reachesShown, gesturesShown = 4, 3

func viewControls(results []record.ControlResult) ([]controlView, string) {
	rank := map[record.Outcome]int{record.Unresponsive: 0, record.Responsive: 1, record.Undecided: 2}
	count := map[record.Outcome]int{}
	var out []controlView
	for _, r := range results {
		v := controlView{ControlResult: r, Caps: keycaps(r.Control.Keys), Without: "before", With: "after"}
		if v.Class, v.Mark = outcome(r.Trial.Outcome); v.Class == "open" {
			v.Trial.Outcome = record.Undecided
		}
		if !strings.Contains(r.Control.Description, r.Control.Declared) {
			v.Declared = r.Control.Declared
		}
		if r.Trial.Replayed() {
			v.Without, v.With = "without the input", "with the input"
		}
		count[v.Trial.Outcome]++
		// The game's own code says more than the library it is called from.
		reaches := slices.Clone(r.Control.Reaches)
		slices.SortStableFunc(reaches, func(a, b record.CodePlace) int {
			switch {
			case a.Library == b.Library:
				return 0
			case a.Library:
				return 1
			}
			return -1
		})
		v.Reaches = reaches[:min(len(reaches), reachesShown)]
		v.More = len(reaches) - len(v.Reaches)
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b controlView) int { return rank[a.Trial.Outcome] - rank[b.Trial.Outcome] })
	var parts []string
	for _, o := range []record.Outcome{record.Responsive, record.Unresponsive, record.Undecided} {
		if count[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	return out, strings.Join(parts, ", ")
}

func outcome(o record.Outcome) (class, mark string) {
	switch o {
	case record.Responsive:
		return "good", "✓"
	case record.Unresponsive:
		return "bad", "✗"
	}
	return "open", "?"
}

func viewDeclared(results []record.DeclaredResult) []declaredView {
	var out []declaredView
	for _, d := range results {
		v := declaredView{DeclaredResult: d, Caps: keycaps(d.Keys)}
		v.Class, v.Mark = outcome(d.Outcome)
		if d.Outcome == record.Responsive && len(d.Dead) > 0 {
			v.Class, v.Mark = "open", "!" // a part of it is dead
		}
		out = append(out, v)
	}
	return out
}

// howTried says what the controls were compared with.
func howTried(rec *record.Record) string {
	if rec.Twins != nil {
		return "The game ran in two pages under one clock. Only one of them got the input, so what differs between them was caused by it."
	}
	return "Each control was tried several times and compared with idling for as long and with input that nothing listens to."
}

// Hero is the picture of a report that shows the game best, relative to its
// results; empty when there is none.
func Hero(rep *record.Report) string { return hero(rep) }

// hero is the picture that shows the game best: being played, rather than
// loading.
func hero(rep *record.Report) string {
	for _, c := range rep.Controls {
		if c.Trial.Outcome == record.Responsive && picture(c.Trial.After) != "" {
			return picture(c.Trial.After)
		}
	}
	for _, stage := range []string{record.StageAfterInteraction, record.StageFinalState, record.StageInitialLoad} {
		for _, s := range rep.Screenshots {
			if s.Stage == stage && picture(s.Path) != "" {
				return picture(s.Path)
			}
		}
	}
	return ""
}

// targetName writes the keys of an action as they are printed on a keyboard.
func targetName(target string) string {
	words := strings.Fields(target)
	for i, w := range words {
		words[i] = keycap(w)
	}
	return strings.Join(words, " ")
}

func keycaps(codes []string) []string {
	var out []string
	for _, c := range codes {
		out = append(out, keycap(c))
	}
	return out
}

// picture returns the address of a picture beside the page, or nothing for a
// path that leads elsewhere.
func picture(p string) string {
	clean := path.Clean(strings.ReplaceAll(p, "\\", "/"))
	if p == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, ":") {
		return ""
	}
	return clean
}

// shot is picture for text that may be evidence of another kind.
func shot(evidence string) string {
	switch path.Ext(evidence) {
	case ".png", ".jpg", ".jpeg", ".webp":
		if !strings.ContainsAny(evidence, " \n\t") {
			return picture(evidence)
		}
	}
	return ""
}
