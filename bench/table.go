package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// kindNames are the rows of the verdict's matrix.
var kindNames = []struct{ kind, title string }{
	{Healthy, "healthy"}, {string(fault.Trap), "with a trap"}, {string(fault.Blemish), "with an issue"}, {string(fault.Broken), "broken"},
}

var checkOrder = []record.CheckName{record.GameLoaded, record.ControlsResponsive, record.GameStable}

// table is rows of cells, the first being the heading.
type table struct {
	title string
	rows  [][]string
}

// tables lays a summary out, once for terminals and Markdown alike.
func (s Summary) tables() []table {
	all := []table{s.goalTable()}
	for _, g := range s.Groups {
		all = append(all, g.matrix(), g.checkTable(), g.baselineTable(Rate.String))
	}
	return append(all, s.faultTable(), s.confidenceTable())
}

// goalTable has the rates that matter beside what they should be.
func (s Summary) goalTable() table {
	heading := []string{""}
	goals := table{title: "Verdict", rows: nil}
	for _, g := range s.Groups {
		heading = append(heading, fmt.Sprintf("%s (%d games, %d runs)", g.Name, g.Games, g.Runs))
	}
	heading = append(heading, "goal")
	goals.rows = append(goals.rows, heading)
	line := func(name, goal string, cell func(Group) string) {
		row := []string{name}
		for _, g := range s.Groups {
			row = append(row, cell(g))
		}
		goals.rows = append(goals.rows, append(row, goal))
	}
	line("healthy games failed", "0", func(g Group) string { return g.HealthyFailed.String() })
	line("games with a trap failed", "0", func(g Group) string { return g.TrapsFailed.String() })
	line("games with an issue failed", "0", func(g Group) string { return g.IssuesFailed.String() })
	line("broken games passed", "< 2 %", func(g Group) string { return g.Missed.String() })
	line("broken games failed on a right check", ">= 98 %", func(g Group) string { return g.RightCheck.String() })
	line("undecided", "<= 3 %", func(g Group) string { return g.Undecided.String() })
	line("seeds that disagree", "0", func(g Group) string { return g.Flips.String() })
	line("of these one passed and one failed", "0", func(g Group) string { return g.Reversals.String() })
	line("right in all", "", func(g Group) string { return g.Right.String() })
	line("issues named", "", func(g Group) string { return g.IssuesNamed.String() })
	line("seconds a run, median", "12", func(g Group) string { return fmt.Sprintf("%.1f", g.Median) })
	line("seconds a run, 95 of 100 within", "20", func(g Group) string { return fmt.Sprintf("%.1f", g.P95) })
	line("dollars", "0", func(g Group) string { return fmt.Sprintf("%.2f", g.Dollars) })
	return goals
}

// withoutEmpty leaves out rows in which nothing was measured.
func (t table) withoutEmpty() table {
	short := table{title: t.title}
	for i, row := range t.rows {
		if i == 0 || slices.ContainsFunc(row[1:len(row)-1], func(cell string) bool { return cell != "-" }) {
			short.rows = append(short.rows, row)
		}
	}
	return short
}

func (g Group) matrix() table {
	t := table{title: "Verdicts, " + g.Name, rows: [][]string{{"the game is", "pass", "fail", "could not be judged"}}}
	for _, k := range kindNames {
		if row := g.Verdicts[k.kind]; row != nil {
			t.rows = append(t.rows, []string{k.title, fmt.Sprint(row["pass"]), fmt.Sprint(row["fail"]), fmt.Sprint(row["error"])})
		}
	}
	return t
}

func (g Group) checkTable() table {
	t := table{title: "Checks, " + g.Name, rows: [][]string{{"check", "must be", "true", "false", "undecided", "another right check false"}}}
	for _, c := range checkOrder {
		for _, want := range []string{"true", "false"} {
			row := g.Checks[c][want]
			t.rows = append(t.rows, []string{string(c), want, fmt.Sprint(row["true"]), fmt.Sprint(row["false"]), fmt.Sprint(row["undecided"] + row[""]), fmt.Sprint(row["other"])})
		}
	}
	return t
}

func (g Group) baselineTable(cell func(Rate) string) table {
	t := table{title: "Against simpler rules on the same runs, " + g.Name, rows: [][]string{{"rule", "healthy failed", "traps failed", "broken passed", "right in all"}}}
	t.rows = append(t.rows, []string{"playtest", cell(g.HealthyFailed), cell(g.TrapsFailed), cell(g.Missed), cell(g.Right)})
	for _, b := range g.Baselines {
		t.rows = append(t.rows, []string{b.Name, cell(b.HealthyFailed), cell(b.TrapsFailed), cell(b.Missed), cell(b.Right)})
	}
	return t
}

func (s Summary) faultTable() table {
	t := table{title: "By fault", rows: [][]string{{"fault", "kind", "right", "undecided", "excluded"}}}
	for _, f := range s.Faults {
		t.rows = append(t.rows, []string{f.Name, f.Kind, f.Right.String(), fmt.Sprint(f.Undecided), fmt.Sprint(f.Excluded)})
	}
	return t
}

func (s Summary) confidenceTable() table {
	t := table{title: "Confidence", rows: [][]string{{"claimed", "verdict right"}}}
	for _, c := range s.Confidence {
		t.rows = append(t.rows, []string{fmt.Sprintf("%.2f", c.Claimed), c.Right.String()})
	}
	return t
}

// WriteText writes the summary for a terminal.
func (s Summary) WriteText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range s.tables() {
		if len(t.rows) < 2 {
			continue
		}
		fmt.Fprintf(out, "%s\n", t.title)
		for _, row := range t.rows {
			fmt.Fprintf(out, "  %s\n", strings.Join(row, "\t"))
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	for _, r := range s.Wrong {
		if _, err := fmt.Fprintf(w, "wrong: %s\n", describe(r)); err != nil {
			return fmt.Errorf("write what was wrong: %w", err)
		}
	}
	return nil
}

// describe is one wrong result in a line.
func describe(r Result) string {
	var states []string
	for _, c := range checkOrder {
		states = append(states, fmt.Sprintf("%s %s", c, r.Outcome.Checks[c]))
	}
	want := string(r.Want)
	if len(r.Checks) > 0 {
		want += fmt.Sprintf(" on %s", r.Checks[0])
	}
	return fmt.Sprintf("%s (%s): %s, want %s; %s; %s", r.Key(), r.Split, r.Outcome.Verdict, want, strings.Join(states, ", "), r.Outcome.Reason)
}
