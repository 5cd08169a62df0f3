package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/playtest-dev/playtest/internal/fix"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// Result is the answer about a run, short enough for a conversation.
type Result struct {
	Run    string `json:"run" jsonschema:"the run's name, for the other tools"`
	Status string `json:"status" jsonschema:"pass, fail, error (could not be judged), waiting, running or cancelled"`
	// Summary is one sentence; of a run under way it is what happens.
	Summary  string    `json:"summary" jsonschema:"what was found, in a sentence"`
	Help     string    `json:"help,omitempty" jsonschema:"what would help when the game could not be judged"`
	Checks   []Check   `json:"checks,omitempty" jsonschema:"the three checks"`
	Fixes    []fix.Fix `json:"fixes,omitempty" jsonschema:"how to mend it, the likeliest root cause first"`
	Issues   []Issue   `json:"issues,omitempty" jsonschema:"what a developer may want to mend, worst first"`
	More     int       `json:"moreIssues,omitempty" jsonschema:"issues that are not listed here; playtest_report has them"`
	Controls []string  `json:"controls,omitempty" jsonschema:"the controls that work"`
	Score    int       `json:"playability,omitempty" jsonschema:"0 to 100"`
	Seconds  float64   `json:"seconds,omitempty" jsonschema:"how long the run took"`
	Page     string    `json:"reportFile,omitempty" jsonschema:"the report for a person to open in a browser"`
	Pictures []string  `json:"pictures,omitempty" jsonschema:"addresses of pictures, as resources"`
}

// Check is one of the three questions.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state" jsonschema:"true, false or undecided"`
	Cause  string `json:"cause,omitempty" jsonschema:"a word for why it is not true"`
	Reason string `json:"reason"`
}

// Issue is something to mend.
type Issue struct {
	Severity    string  `json:"severity"`
	Description string  `json:"description"`
	Evidence    string  `json:"evidence,omitempty"`
	At          float64 `json:"at,omitempty" jsonschema:"seconds since the page was opened"`
}

// Listed is a run in a list.
type Listed struct {
	Run     string `json:"run"`
	Game    string `json:"game,omitempty"`
	Status  string `json:"status"`
	Summary string `json:"summary,omitempty"`
}

// How much of a report is told.
const (
	maxIssues   = 10
	maxControls = 10
	maxPictures = 6
)

func newResult(id, dir string, rep *record.Report, fixes []fix.Fix) *Result {
	r := &Result{
		Run: id, Status: string(rep.Status), Summary: clip(rep.Summary, 500), Help: clip(rep.Help, 300), Fixes: fixes,
		Score: rep.PlayabilityScore, Seconds: rep.Metadata.Duration, Page: filepath.Join(dir, "report.html"),
	}
	for i := range r.Fixes {
		f := &r.Fixes[i]
		f.Problem, f.Advice, f.Source = clip(f.Problem, 300), clip(f.Advice, 400), clip(f.Source, 200)
	}
	for _, c := range rep.Checks {
		r.Checks = append(r.Checks, Check{string(c.Name), string(c.State), c.Cause, clip(c.Reason, 300)})
	}
	for i, is := range rep.Issues {
		if i == maxIssues {
			r.More = len(rep.Issues) - i
			break
		}
		r.Issues = append(r.Issues, Issue{string(is.Severity), clip(is.Description, 300), clip(is.Evidence, 200), is.At})
	}
	for _, c := range rep.Controls {
		if c.Trial.Outcome == record.Responsive && len(r.Controls) < maxControls {
			r.Controls = append(r.Controls, clip(c.Control.Description, 100))
		}
	}
	for _, s := range lastPictures(rep.Screenshots, maxPictures) {
		r.Pictures = append(r.Pictures, address(id, s.Path))
	}
	return r
}

// lastPictures are some that tell most: the first, and those at the end.
func lastPictures(all []record.Screenshot, n int) []record.Screenshot {
	if len(all) <= n {
		return all
	}
	return append(append([]record.Screenshot{}, all[0]), all[len(all)-n+1:]...)
}

// resultFile is beside the report, so that a later server gives the same answer.
const resultFile = "mcp-result.json"

func (r *Result) save(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, resultFile), data, 0o644)
}

func readResult(dir string) (*Result, error) {
	data, err := readBounded(dir, resultFile, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("run %s left no result", filepath.Base(dir))
	}
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("the result of run %s cannot be read: %w", filepath.Base(dir), err)
	}
	return r, nil
}

// Text is the result for clients that show a model nothing but text.
func (r *Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (run %s): %s\n", strings.ToUpper(r.Status), r.Run, r.Summary)
	if r.Help != "" {
		fmt.Fprintf(&b, "What would help: %s\n", r.Help)
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "- %s: %s", c.Name, c.State)
		if c.Cause != "" {
			fmt.Fprintf(&b, " (%s)", c.Cause)
		}
		fmt.Fprintf(&b, ". %s\n", c.Reason)
	}
	for i, f := range r.Fixes {
		fmt.Fprintf(&b, "\nFix %d: %s\n  %s\n", i+1, f.Problem, f.Advice)
		if f.File != "" {
			fmt.Fprintf(&b, "  at %s:%d: %s\n", f.File, f.Line, f.Source)
		}
		if f.Edit != nil {
			fmt.Fprintf(&b, "  edit %s line %d: replace %q with %q\n", f.Edit.File, f.Edit.Line, f.Edit.Find, f.Edit.Replace)
		}
	}
	if len(r.Issues) > 0 {
		b.WriteString("\nIssues:\n")
	}
	for _, i := range r.Issues {
		fmt.Fprintf(&b, "- %s: %s", i.Severity, i.Description)
		if i.Evidence != "" {
			fmt.Fprintf(&b, " [%s]", i.Evidence)
		}
		b.WriteString("\n")
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "- and %d more: playtest_report, part issues\n", r.More)
	}
	if len(r.Controls) > 0 {
		fmt.Fprintf(&b, "\nControls that work: %s\n", strings.Join(r.Controls, "; "))
	}
	if r.Page != "" {
		fmt.Fprintf(&b, "\nReport for people: %s\n", r.Page)
	}
	return b.String()
}

// clip keeps what comes from a page on one line and short.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(report.Plain(s)), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
