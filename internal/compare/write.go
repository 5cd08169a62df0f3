package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/playtest-dev/playtest/internal/report"
)

// Text writes a comparison for a terminal.
func Text(w io.Writer, d *Diff) error {
	var b strings.Builder
	if len(d.Changes) == 0 {
		b.WriteString("nothing changed\n")
	}
	mark := map[Direction]string{Worse: "-", Better: "+", Unclear: "?"}
	for _, c := range d.Changes {
		fmt.Fprintf(&b, "%s %-8s %s\n", mark[c.Direction], c.What, sentence(c))
	}
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "note: not the same %s\n", report.Plain(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes a comparison for a pull request.
func Markdown(w io.Writer, title string, d *Diff) error {
	var b strings.Builder
	word := "No regression"
	if d.Regressed {
		word = "Regression"
	}
	fmt.Fprintf(&b, "## %s: %s\n\n", word, report.Inline(title))
	if len(d.Changes) == 0 {
		b.WriteString("Nothing changed.\n")
	} else {
		b.WriteString("| | what | |\n| --- | --- | --- |\n")
		for _, c := range d.Changes {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Direction, c.What, report.Inline(sentence(c)))
		}
	}
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "\nNot the same %s.\n", report.Inline(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sentence(c Change) string {
	var parts []string
	if c.What == "issue" {
		switch c.From {
		case "":
			parts = append(parts, "new, "+c.To)
		default:
			parts = append(parts, "gone, "+c.From)
		}
		return strings.Join(append(parts, report.Plain(c.Why)), ": ")
	}
	if c.Name != "" {
		parts = append(parts, report.Plain(c.Name))
	}
	parts = append(parts, c.From+" → "+c.To)
	if c.Why != "" {
		parts = append(parts, report.Plain(c.Why))
	}
	return strings.Join(parts, ": ")
}
