package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
	Output    string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the checks of reports as test cases, one suite a game. A check
// that is proven false is a failure, an undecided one an error.
func JUnit(w io.Writer, reports ...*record.Report) error {
	var out junitSuites
	for _, rep := range reports {
		out.Suites = append(out.Suites, suite(rep))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing the report as JUnit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("writing the report as JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suite(rep *record.Report) junitSuite {
	s := junitSuite{
		Name: rep.Metadata.GameURL, Tests: len(rep.Checks), Time: fmt.Sprintf("%.3f", rep.Metadata.Duration),
		Timestamp: rep.Timestamp.UTC().Format("2006-01-02T15:04:05"), Output: rep.Summary,
	}
	for _, c := range rep.Checks {
		tc := junitCase{Name: string(c.Name), Class: "playtest", Time: "0"}
		switch c.State {
		case record.Proven:
		case record.Disproven:
			s.Failures++
			tc.Failure = &junitProblem{Message: c.Reason, Type: c.Cause, Text: issuesText(rep.Issues)}
		default:
			s.Errors++
			tc.Error = &junitProblem{Message: c.Reason, Type: c.Cause}
		}
		s.Cases = append(s.Cases, tc)
	}
	return s
}

func issuesText(issues []record.Issue) string {
	var lines []string
	for _, i := range issues {
		if i.Severity == record.Minor {
			continue
		}
		line := fmt.Sprintf("%s: %s", i.Severity, i.Description)
		if i.Evidence != "" {
			line += " (" + i.Evidence + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
