package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// GitHub writes what is wrong with games as the commands that GitHub Actions
// turns into annotations: an error for what is critical, a warning for what is
// major, a notice for the rest, and an error for a game that could not be judged.
func GitHub(w io.Writer, cases ...Case) error {
	var b strings.Builder
	for _, c := range cases {
		rep := c.Report
		if rep.Status == record.VerdictError {
			annotate(&b, "error", "", 0, "could not be judged: "+rep.Metadata.GameURL, rep.Summary+" "+rep.Help)
		}
		base := gameBase(rep.Metadata.GameURL)
		for _, r := range Roots(rep, c.Record) {
			command := map[record.Severity]string{record.Critical: "error", record.Major: "warning"}[r.Severity]
			if command == "" {
				command = "notice"
			}
			file := ""
			if r.File != "" {
				if f, relative := relativeTo(base, r.File); relative {
					file = f
				}
			}
			annotate(&b, command, file, r.Line, strings.ReplaceAll(r.Kind, "_", " ")+": "+rep.Metadata.GameURL, message(r))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report as annotations: %w", err)
	}
	return nil
}

// annotate writes one command. What a game says can neither end it nor begin another.
func annotate(b *strings.Builder, command, file string, line int, title, text string) {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	fmt.Fprintf(b, "::%s title=%s", command, value.Replace(Plain(title)))
	if file != "" {
		fmt.Fprintf(b, ",file=%s", value.Replace(Plain(file)))
		if line > 0 {
			fmt.Fprintf(b, ",line=%d", line)
		}
	}
	fmt.Fprintf(b, "::%s\n", data.Replace(Plain(text)))
}
