package report

import (
	"fmt"
	"io"

	"github.com/playtest-dev/playtest/record"
)

// Formats are those of others that Write knows.
var Formats = []string{"md", "junit", "sarif", "github", "tap"}

// Write writes reports of one or many games in a format that is not ours.
func Write(w io.Writer, format string, cases ...Case) error {
	var reports []*record.Report
	for _, c := range cases {
		reports = append(reports, c.Report)
	}
	switch format {
	case "md":
		for _, rep := range reports {
			if err := Markdown(w, rep); err != nil {
				return err
			}
		}
		return nil
	case "junit":
		return JUnit(w, reports...)
	case "tap":
		return TAP(w, reports...)
	case "sarif":
		return SARIF(w, cases...)
	case "github":
		return GitHub(w, cases...)
	}
	return fmt.Errorf("the format %q is not one of %q", format, Formats)
}
