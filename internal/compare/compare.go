// Package compare says what changed between two runs of a game: verdict, checks,
// metrics, load time, controls and what there is to mend. What differs from run to
// run by itself is no change.
package compare

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// Bounds below which a difference is noise: runs of one build differ by as much.
const (
	metricNoise = 10              // points of 100
	loadNoise   = 2 * time.Second // and half of the longer one
)

// Run is one side of a comparison. The record may be nil.
type Run struct {
	Report *record.Report
	Record *record.Record
}

// Direction says whether a change is for the better.
type Direction string

// The directions. Unclear is a change that says nothing about the game, such as a
// check that could not be decided this time.
const (
	Worse   Direction = "worse"
	Better  Direction = "better"
	Unclear Direction = "unclear"
)

// Change is one thing that is different.
type Change struct {
	Direction Direction `json:"direction"`
	// What changed: verdict, check, metric, load, control, issue.
	What string `json:"what"`
	Name string `json:"name,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Why is the reason that the newer run gives.
	Why string `json:"why,omitempty"`
}

// Shot is a stage of both runs to look at side by side, as paths in their folders.
type Shot struct {
	Stage string `json:"stage"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// Diff is everything that changed from run A to run B.
type Diff struct {
	A       string   `json:"a"` // names of the runs
	B       string   `json:"b"`
	Changes []Change `json:"changes"`
	// Regressed: something that worked does not work any more.
	Regressed bool `json:"regressed"`
	// Notes say what makes the two hard to compare: another browser, window, game.
	Notes    []string `json:"notes,omitempty"`
	Pictures []Shot   `json:"pictures,omitempty"`
}

// Of compares two runs, A the older one.
func Of(a, b Run) *Diff {
	d := &Diff{A: a.Report.Metadata.SessionID, B: b.Report.Metadata.SessionID, Changes: []Change{}}
	d.verdicts(a.Report, b.Report)
	d.checks(a.Report, b.Report)
	d.issues(a, b)
	d.controls(a.Report, b.Report)
	d.metrics(a.Report, b.Report)
	d.load(a.Record, b.Record)
	d.notes(a.Report, b.Report)
	d.pictures(a.Report, b.Report)
	d.Regressed = slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Direction == Worse && c.What != "metric" })
	return d
}

func (d *Diff) add(c Change) { d.Changes = append(d.Changes, c) }

func (d *Diff) verdicts(a, b *record.Report) {
	if a.Status == b.Status {
		return
	}
	c := Change{What: "verdict", From: string(a.Status), To: string(b.Status), Why: b.Summary, Direction: Unclear}
	switch {
	case b.Status == record.Fail && a.Status == record.Pass:
		c.Direction = Worse
	case b.Status == record.Pass:
		c.Direction = Better
	}
	d.add(c)
}

func (d *Diff) checks(a, b *record.Report) {
	for _, now := range b.Checks {
		was := a.Check(now.Name)
		if was.State == now.State {
			continue
		}
		c := Change{What: "check", Name: string(now.Name), From: string(was.State), To: string(now.State), Why: now.Reason, Direction: Unclear}
		switch {
		case was.State == record.Proven && now.State == record.Disproven:
			c.Direction = Worse
		case now.State == record.Proven && was.State == record.Disproven:
			c.Direction = Better
		}
		d.add(c)
	}
}

// issues compares what there is to mend. What only a model says is left out: it
// says something else each time.
func (d *Diff) issues(a, b Run) {
	was, is := roots(a), roots(b)
	for _, r := range is.list {
		if _, known := was.by[report.Fingerprint(r)]; known {
			continue
		}
		c := Change{What: "issue", Name: r.Kind, To: string(r.Severity), Why: r.Description, Direction: Worse}
		if r.Severity == record.Minor {
			c.Direction = Unclear
		}
		d.add(c)
	}
	for _, r := range was.list {
		if _, still := is.by[report.Fingerprint(r)]; !still && b.Report.Status != record.VerdictError {
			d.add(Change{What: "issue", Name: r.Kind, From: string(r.Severity), Why: r.Description, Direction: Better})
		}
	}
}

type rootSet struct {
	list []report.Root
	by   map[string]report.Root
}

func roots(r Run) rootSet {
	s := rootSet{by: map[string]report.Root{}}
	for _, root := range report.Roots(r.Report, r.Record) {
		print := report.Fingerprint(root)
		if _, twice := s.by[print]; twice || root.By != "" || root.Kind == "refused" {
			continue
		}
		s.by[print] = root
		s.list = append(s.list, root)
	}
	return s
}

// controls compares the controls that both runs tried. One that is in neither
// report of the other run was not found there, which says nothing.
func (d *Diff) controls(a, b *record.Report) {
	was := map[string]record.ControlResult{}
	for _, c := range a.Controls {
		was[c.Control.ID] = c
	}
	for _, now := range b.Controls {
		before, ok := was[now.Control.ID]
		if !ok || before.Trial.Outcome == now.Trial.Outcome {
			continue
		}
		c := Change{What: "control", Name: now.Control.Description, From: string(before.Trial.Outcome), To: string(now.Trial.Outcome), Why: now.Trial.Reason, Direction: Unclear}
		switch {
		case before.Trial.Outcome == record.Responsive && now.Trial.Outcome == record.Unresponsive:
			c.Direction = Worse
		case now.Trial.Outcome == record.Responsive && before.Trial.Outcome == record.Unresponsive:
			c.Direction = Better
		}
		d.add(c)
	}
}

func (d *Diff) metrics(a, b *record.Report) {
	for _, now := range b.Metrics {
		for _, was := range a.Metrics {
			diff := now.Score - was.Score
			if was.Name != now.Name || diff > -metricNoise && diff < metricNoise {
				continue
			}
			c := Change{What: "metric", Name: now.Name, From: fmt.Sprint(was.Score), To: fmt.Sprint(now.Score), Why: now.Justification, Direction: Better}
			if diff < 0 {
				c.Direction = Worse
			}
			d.add(c)
		}
	}
}

func (d *Diff) load(a, b *record.Record) {
	if a == nil || b == nil || !a.Load.Ready || !b.Load.Ready {
		return
	}
	was, is := a.Load.ReadyAfter, b.Load.ReadyAfter
	diff := time.Duration(math.Abs(float64(is - was)))
	if diff < loadNoise || diff < max(was, is)/2 {
		return
	}
	c := Change{What: "load", From: seconds(was), To: seconds(is), Direction: Better, Why: "from the first request until the game was ready"}
	if is > was {
		c.Direction = Worse
	}
	d.add(c)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func (d *Diff) notes(a, b *record.Report) {
	differ := func(what, was, is string) {
		if was != is && was != "" && is != "" {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: %s, then %s", what, was, is))
		}
	}
	ma, mb := a.Metadata, b.Metadata
	ea, eb := ma.Environment, mb.Environment
	differ("game", ma.GameURL, mb.GameURL)
	differ("mode", string(ma.Mode), string(mb.Mode))
	differ("playtest", ea.Playtest, eb.Playtest)
	differ("browser", ea.Browser, eb.Browser)
	differ("window", fmt.Sprintf("%d x %d", ea.Width, ea.Height), fmt.Sprintf("%d x %d", eb.Width, eb.Height))
	differ("WebGL", ea.WebGL, eb.WebGL)
}

func (d *Diff) pictures(a, b *record.Report) {
	of := func(r *record.Report) map[string]string {
		out := map[string]string{}
		for _, s := range r.Screenshots {
			out[s.Stage] = s.Path // the last of a stage
		}
		return out
	}
	was, is := of(a), of(b)
	for _, stage := range []string{record.StageInitialLoad, record.StageAfterInteraction, record.StageFinalState} {
		if was[stage] != "" && is[stage] != "" {
			d.Pictures = append(d.Pictures, Shot{stage, was[stage], is[stage]})
		}
	}
}
