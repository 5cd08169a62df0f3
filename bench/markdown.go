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

// Markdown is the summary for the documentation. How says where the numbers come from.
func (s Summary) Markdown(title, how string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", title, how)
	for _, t := range s.tables() {
		if len(t.rows) < 2 {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n", t.title)
		for i, row := range t.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
			}
		}
		b.WriteString("\n")
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
			why, _, _ := strings.Cut(r.Excluded, ";")
			why, _, _ = strings.Cut(why, ": {") // what exactly was seen is in the results
			fmt.Fprintf(&b, "- %s: %s\n", r.Key(), why)
		}
		b.WriteString("\n")
	}
	return b.String()
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
