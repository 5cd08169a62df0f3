package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Markdown writes a summary for a pull request or a chat.
func Markdown(w io.Writer, rep *record.Report) error {
	var b strings.Builder
	v := verdict(rep.Status)
	fmt.Fprintf(&b, "## %s %s: %s\n\n", v.Mark, v.Word, inline(rep.Metadata.GameURL))
	fmt.Fprintf(&b, "%s\n\n", inline(rep.Summary))
	fmt.Fprintf(&b, "Playability **%d**/100, overall %s, confidence %.0f %%, %s s.\n\n",
		rep.PlayabilityScore, number(rep.OverallScore), rep.Confidence*100, number(rep.Metadata.Duration))
	if rep.Help != "" {
		fmt.Fprintf(&b, "What would help: %s\n\n", inline(rep.Help))
	}

	b.WriteString("| check | | why |\n| --- | --- | --- |\n")
	for _, c := range rep.Checks {
		cv := viewCheck(c)
		fmt.Fprintf(&b, "| %s | %s %s | %s |\n", cv.Title, cv.Mark, cv.Answer, cell(c.Reason))
	}
	if len(rep.Declared) > 0 {
		b.WriteString("\n| declared | | why |\n| --- | --- | --- |\n")
		for _, d := range viewDeclared(rep.Declared) {
			name := d.Name
			if len(d.Caps) > 0 {
				name += " `" + strings.Join(d.Caps, "` `") + "`"
			}
			if d.Critical {
				name += " (critical)"
			}
			why := d.Reason
			if len(d.Dead) > 0 {
				why += "; dead: " + strings.Join(d.Dead, ", ")
			}
			fmt.Fprintf(&b, "| %s | %s %s | %s |\n", cell(name), d.Mark, d.Outcome, cell(why))
		}
	}
	if len(rep.Indicators) > 0 {
		b.WriteString("\n| indicator | | measured |\n| --- | --- | --- |\n")
		for _, in := range rep.Indicators {
			word := "✗ missed"
			if in.Met {
				word = "✓ met"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(in.Kind+": "+in.Text), word, cell(in.Detail))
		}
	}
	if len(rep.Controls) > 0 {
		b.WriteString("\n| control | | why |\n| --- | --- | --- |\n")
		controls, _ := viewControls(rep.Controls)
		for _, c := range controls {
			name := c.Control.Description
			if len(c.Caps) > 0 {
				name = "`" + strings.Join(c.Caps, "` `") + "` " + name
			}
			fmt.Fprintf(&b, "| %s | %s %s | %s |\n", cell(name), c.Mark, c.Trial.Outcome, cell(c.Trial.Reason))
		}
	}
	if len(rep.Issues) > 0 {
		b.WriteString("\n")
		for _, i := range rep.Issues {
			fmt.Fprintf(&b, "- **%s** %s", i.Severity, inline(i.Description))
			if i.Evidence != "" {
				fmt.Fprintf(&b, " (%s)", inline(i.Evidence))
			}
			if i.By != "" {
				fmt.Fprintf(&b, ", raised by %s", inline(i.By))
			}
			b.WriteString("\n")
		}
	}
	if len(rep.Metrics) > 0 {
		b.WriteString("\n| metric | score | why |\n| --- | --- | --- |\n")
		for _, m := range rep.Metrics {
			fmt.Fprintf(&b, "| %s | %d | %s |\n", m.Name, m.Score, cell(m.Justification))
		}
	}
	if op := rep.Opinion; op != nil {
		fmt.Fprintf(&b, "\n%s, asked for an opinion, which changes no check: %s\n\n", inline(op.Model), inline(op.Reasoning))
		for _, d := range op.Disagreements {
			fmt.Fprintf(&b, "- it disagrees: %s\n", inline(d))
		}
		for _, a := range op.Answers {
			fmt.Fprintf(&b, "- %s **%s** %s\n", inline(a.Question), a.Answer, inline(a.Reasoning))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report as Markdown: %w", err)
	}
	return nil
}

// inline keeps what a page says on one line and out of the markup.
func inline(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(s)
}

func cell(s string) string { return strings.ReplaceAll(inline(s), "|", "\\|") }
