package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The part of docs/benchmarks.md that the command writes lies between these lines; the rest is left alone.
const (
	docsBegin = "<!-- written by playtest bench, do not edit: begin %s -->"
	docsEnd   = "<!-- written by playtest bench, do not edit: end %s -->"
)

// Markdown is the whole summary. How says where the numbers come from.
func (s Summary) Markdown(title, how string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", title, how)
	for _, t := range s.tables() {
		t.markdown(&b)
	}
	if len(s.Wrong) > 0 {
		b.WriteString("### Wrong verdicts\n\n")
		for _, r := range s.Wrong {
			fmt.Fprintf(&b, "- %s\n", describe(r))
		}
		b.WriteString("\n")
	}
	if len(s.Excluded) > 0 {
		b.WriteString("### Excluded\n\nFaults that an independent look could not see in a game, so that no verdict would be right or wrong:\n\n")
		for _, r := range s.Excluded {
			fmt.Fprintf(&b, "- %s: %s\n", r.Key(), whyExcluded(r))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// longest is how many names a line of the documentation lists.
const longest = 12

// Short is the summary for the documentation, which has room for the verdicts but not for each check, split and fault.
// Stored is the file from which all tables can be printed.
func (s Summary) Short(title, how, stored string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", title, how)
	if len(s.Groups) == 0 {
		return b.String()
	}
	all := s.Groups[0]
	goals := s.goalTable().withoutEmpty()
	goals.title = ""
	for _, t := range []table{goals, all.matrix(), all.baselineTable(Rate.Plain), s.confidenceTable()} {
		t.markdown(&b)
	}
	var wrong []string
	for _, r := range s.Wrong {
		if !undecided(r) {
			wrong = append(wrong, fmt.Sprintf("%s (%s)", r.Key(), r.Outcome.Verdict))
		}
	}
	var less []string
	for _, f := range s.Faults {
		if f.Right.Count < f.Right.Of {
			less = append(less, fmt.Sprintf("%s %d/%d", f.Name, f.Right.Count, f.Right.Of))
		}
	}
	fmt.Fprintf(&b, "Wrong verdicts: %s. Not always judged right: %s. ", some(wrong), some(less))
	fmt.Fprintf(&b, "Runs that do not count, because an independent look could not see the fault: %d.\n\n", len(s.Excluded))
	fmt.Fprintf(&b, "All tables, also by check, split and fault, and each wrong verdict: `playtest bench show %s`.\n", stored)
	return b.String()
}

// some lists the first few.
func some(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > longest:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:longest], ", "), len(names)-longest)
	}
	return strings.Join(names, ", ")
}

func whyExcluded(r Result) string {
	why, _, _ := strings.Cut(r.Excluded, ";")
	why, _, _ = strings.Cut(why, ": {") // what exactly was seen is in the results
	return why
}

// markdown writes a table that has more than a heading.
func (t table) markdown(b *strings.Builder) {
	if len(t.rows) < 2 {
		return
	}
	if t.title != "" {
		fmt.Fprintf(b, "### %s\n\n", t.title)
	}
	for i, row := range t.rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	b.WriteString("\n")
}

// WriteDocs puts text into a file, between the marks of that name, which are added at the end where they are missing.
func WriteDocs(file, mark, text string) error {
	begin, end := fmt.Sprintf(docsBegin, mark), fmt.Sprintf(docsEnd, mark)
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the benchmarks page: %w", err)
	}
	part := []byte(begin + "\n\n" + strings.TrimSpace(text) + "\n\n" + end)
	from := bytes.Index(old, []byte(begin))
	to := bytes.Index(old, []byte(end))
	var page []byte
	switch {
	case from >= 0 && to > from:
		page = bytes.Join([][]byte{old[:from], part, old[to+len(end):]}, nil)
	case from >= 0 || to >= 0:
		return fmt.Errorf("%s: the marks %q and %q do not belong together", file, begin, end)
	default:
		page = append(bytes.TrimRight(old, "\n"), '\n')
		if len(old) == 0 {
			page = []byte("# Benchmarks\n")
		}
		page = append(append(append(page, '\n'), part...), '\n')
	}
	if err := os.WriteFile(file, page, 0o644); err != nil {
		return fmt.Errorf("write the benchmarks page: %w", err)
	}
	return nil
}
