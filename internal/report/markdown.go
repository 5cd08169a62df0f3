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
	fmt.Fprintf(&b, "## %s %s: %s\n\n", v.Mark, v.Word, address(rep.Metadata.GameURL))
	fmt.Fprintf(&b, "%s\n\n", inline(rep.Summary))
	sure := ""
	if rep.Status != record.VerdictError {
		sure = fmt.Sprintf("confidence %.0f %%, ", rep.Confidence*100)
	}
	fmt.Fprintf(&b, "Playability **%d**/100, overall %s, %s%s s.\n\n", rep.PlayabilityScore, number(rep.OverallScore), sure, number(rep.Metadata.Duration))
	if rep.Video != nil {
		fmt.Fprintf(&b, "Video, %s s: %s\n\n", number(rep.Video.Seconds), inline(strings.Join(nonEmpty(rep.Video.Path, rep.Video.Thumbnail), ", ")))
	}
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
			name := cell(d.Name)
			for _, k := range d.Caps {
				name += " `" + code(k) + "`"
			}
			if d.Critical {
				name += " (critical)"
			}
			why := d.Reason
			if len(d.Dead) > 0 {
				why += "; dead: " + strings.Join(d.Dead, ", ")
			}
			fmt.Fprintf(&b, "| %s | %s %s | %s |\n", name, d.Mark, d.Outcome, cell(why))
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
			name := cell(c.Control.Description)
			if len(c.Caps) > 0 {
				caps := make([]string, len(c.Caps))
				for i, k := range c.Caps {
					caps[i] = code(k)
				}
				name = "`" + strings.Join(caps, "` `") + "` " + name
			}
			fmt.Fprintf(&b, "| %s | %s %s | %s |\n", name, c.Mark, c.Trial.Outcome, cell(c.Trial.Reason))
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

// inline keeps what a page says on one line and out of the markup: a page's text
// must not become a link, a picture that is fetched, a mention, a heading or a
// cell of its own in somebody's pull request.
func inline(s string) string {
	var b strings.Builder
	s = Plain(s)
	for i, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@': // a mention
			b.WriteString("&#64;")
		case ':', '.': // what makes an address into a link
			if strings.HasPrefix(s[i:], "://") || i >= 3 && strings.EqualFold(s[i-3:i+1], "www.") {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		case '\\', '`', '*', '_', '{', '}', '[', ']', '#', '!', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Inline is text of a page made harmless for Markdown, on one line.
func Inline(s string) string { return inline(s) }

// cell is inline for a cell of a table.
func cell(s string) string { return inline(s) }

// code is a key's name between backticks, where nothing can be escaped.
func code(s string) string {
	return strings.NewReplacer("`", "'", "|", "\\|").Replace(Plain(s))
}

// address is the game's, which may be a link: whoever reads this named it.
func address(s string) string {
	if strings.ContainsAny(s, "<>[]()|`\\\"' ") || Plain(s) != s {
		return inline(s)
	}
	return s
}
