package verdict_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/corpus"
	"github.com/playtest-dev/playtest/internal/qa/verdict"
	"github.com/playtest-dev/playtest/record"
)

var update = flag.Bool("update", false, "write the golden verdicts anew")

// TestCorpus judges the saved records of real games. A line of the golden file is a
// record with the right verdict, the one it gets and why; a rule that changes one of
// them shows here.
func TestCorpus(t *testing.T) {
	const golden = "testdata/corpus.golden"
	cases, err := corpus.Read("testdata/corpus.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range cases {
		checks := verdict.Checks(c.Record)
		fmt.Fprintf(&b, "%s %s %s %s\n", c.Name, c.Want, verdict.Status(checks), reason(checks))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(lines)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s", lines[i])
		case i >= len(lines) || got[i] != lines[i]:
			t.Errorf("%s (run with -update if that is meant)", got[i])
		}
	}
}

// reason is the cause of the first check that is not proven, or the rule that proved
// the controls.
func reason(checks []record.Check) string {
	rule := "-"
	for _, c := range checks {
		if c.State != record.Proven {
			return c.Cause
		}
		if c.Name == record.ControlsResponsive && len(c.Measured) > 0 {
			rule = c.Measured[0].Name
		}
	}
	return rule
}
