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
	ID        int         `xml:"id,attr"`
	Package   string      `xml:"package,attr"`
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Host      string      `xml:"hostname,attr"`
	Values    []junitPair `xml:"properties>property"`
	Cases     []junitCase `xml:"testcase"`
	Output    string      `xml:"system-out"`
	Errput    string      `xml:"system-err"`
}

type junitPair struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
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
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the checks of reports as test cases, one suite a game. A check
// that is proven false is a failure, an undecided one an error.
func JUnit(w io.Writer, reports ...*record.Report) error {
	var out junitSuites
	for i, rep := range reports {
		s := suite(rep)
		s.ID = i
		out.Suites = append(out.Suites, s)
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
		Package: "playtest", Host: "localhost", Values: []junitPair{{"verdict", string(rep.Status)}, {"run", rep.Metadata.SessionID}},
		Name: rep.Metadata.GameURL, Tests: len(rep.Checks), Time: fmt.Sprintf("%.3f", rep.Metadata.Duration),
		Timestamp: rep.Timestamp.UTC().Format("2006-01-02T15:04:05"), Output: rep.Summary,
	}
	if strings.TrimSpace(s.Name) == "" { // schemas want a name
		s.Name = "game"
	}
	if len(rep.Checks) == 0 { // a game that left nothing
		s.Tests, s.Errors = 1, 1
		s.Cases = []junitCase{{Name: "playtest", Class: "playtest", Time: "0", Error: &junitProblem{Message: rep.Summary, Type: string(record.VerdictError)}}}
	}
	for _, c := range rep.Checks {
		tc := junitCase{Name: string(c.Name), Class: "playtest", Time: "0"}
		switch c.State {
		case record.Proven:
		case record.Disproven:
			s.Failures++
			tc.Failure = &junitProblem{Message: c.Reason, Type: cause(c), Text: issuesText(rep.Issues)}
		default:
			s.Errors++
			tc.Error = &junitProblem{Message: c.Reason, Type: cause(c)}
		}
		s.Cases = append(s.Cases, tc)
	}
	return s
}

// cause is a check's, or its name where none was given: every schema wants a type.
func cause(c record.Check) string {
	if c.Cause != "" {
		return c.Cause
	}
	return string(c.Name)
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
