package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// TAP writes the checks of reports as version 14 of the Test Anything Protocol,
// three tests a game. A check that is undecided is not ok: nobody knows.
func TAP(w io.Writer, reports ...*record.Report) error {
	var b strings.Builder
	total := 0
	for _, rep := range reports {
		total += max(len(rep.Checks), 1)
	}
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", total)
	n := 0
	for _, rep := range reports {
		if len(rep.Checks) == 0 { // a game that left nothing
			n++
			fmt.Fprintf(&b, "not ok %d - %s\n", n, tapText(rep.Metadata.GameURL))
			tapDetails(&b, rep.Summary, string(rep.Status), "")
		}
		for _, c := range rep.Checks {
			n++
			ok := "not ok"
			if c.State == record.Proven {
				ok = "ok"
			}
			fmt.Fprintf(&b, "%s %d - %s %s\n", ok, n, tapText(rep.Metadata.GameURL), c.Name)
			if c.State != record.Proven {
				tapDetails(&b, c.Reason, map[record.CheckState]string{record.Disproven: "fail"}[c.State], c.Cause)
			}
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report as TAP: %w", err)
	}
	return nil
}

// tapText keeps a description from holding a directive.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(Plain(s))
}

func tapDetails(b *strings.Builder, message, severity, cause string) {
	if severity == "" {
		severity = "undecided"
	}
	fmt.Fprintf(b, "  ---\n  message: %s\n  severity: %s\n", strconv.Quote(Plain(message)), severity)
	if cause != "" {
		fmt.Fprintf(b, "  cause: %s\n", strconv.Quote(Plain(cause)))
	}
	b.WriteString("  ...\n")
}
