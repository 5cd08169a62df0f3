package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"playtest"
	"playtest/model"
	"playtest/model/modeltest"
)

// An agent plays and a model judges: what the agent did is in the record, what
// both cost is in the report once, and the verdict is the measured one.
func TestRunInAgentMode(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a game")
	}
	click := modeltest.Acts(modeltest.Member("m1", "left_click", `{"coordinate":[640,400]}`))
	click.Usage = model.Usage{Input: 4000, Output: 50}
	for _, tt := range []struct {
		name  string
		flags []string
		plays []modeltest.Reply
		what  string
	}{
		{"tools", []string{"--model", "anthropic/claude-haiku-5-5"}, []modeltest.Reply{
			{Text: "A look around.", Calls: []modeltest.Call{{ID: "c1", Name: "keys", Args: `{"keys":["Tab"]}`}}, Usage: model.Usage{Input: 4000, Output: 50}},
			{Calls: []modeltest.Call{{ID: "c2", Name: "close", Args: `{"reasoning":"It was played.","taskComplete":true}`}}, Usage: model.Usage{Input: 5000, Output: 40}},
		}, "keys "},
		{"computer", []string{"--agent", "computer", "--model", "anthropic/claude-sonnet-5-5"}, []modeltest.Reply{
			click, {Text: "It was played.", Usage: model.Usage{Input: 5000, Output: 40}},
		}, "click "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			anthropic, _ := vendors(t)
			anthropic.Script(append(tt.plays, modeltest.Reply{Text: agrees, Usage: model.Usage{Input: 900, Output: 90}})...)
			dir := filepath.Join(t.TempDir(), "results")
			args := append([]string{"demo", "noughts", "--mode", "agent", "--budget", "1", "--format", "json", "--out", dir}, tt.flags...)
			var stdout, stderr bytes.Buffer
			if code := execute(args, nil, &stdout, &stderr); code != codePass {
				t.Fatalf("exit code %d\n%s", code, &stderr)
			}
			paid(t, dir, stdout.Bytes(), stderr.String(), tt.what)
			if wrong := anthropic.Violations(); len(wrong) > 0 {
				t.Errorf("the vendor would refuse: %v", wrong)
			}
		})
	}
}

// paid holds record, report and summary of a run against each other.
func paid(t *testing.T, dir string, printed []byte, summary, what string) {
	t.Helper()
	var rep playtest.Report
	if err := json.Unmarshal(printed, &rep); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := playtest.ParseRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rec.Decisions, func(d playtest.Decision) bool { return d.Layer == "agent" && strings.HasPrefix(d.What, what) }) {
		t.Errorf("the agent's decision is not in the record: %+v", rec.Decisions)
	}
	if rep.Metadata.Mode != playtest.ModeAgent || rep.Evaluator != "data" || rep.Opinion == nil || rep.Opinion.Cost == nil {
		t.Fatalf("mode %s, evaluator %s, opinion %+v", rep.Metadata.Mode, rep.Evaluator, rep.Opinion)
	}
	if rec.Spent == nil || rec.Spent.Calls != 2 || rec.Spent.Tokens != 9090 || rec.Spent.Cost <= 0 {
		t.Fatalf("playing came to %+v", rec.Spent)
	}
	if want := rec.Spent.Cost + *rep.Opinion.Cost; math.Abs(rep.Metadata.EstimatedCost-want) > 1e-9 {
		t.Errorf("the report says $%v, playing and judging came to $%v", rep.Metadata.EstimatedCost, want)
	}
	if line := fmt.Sprintf("  cost $%.4f\n", rep.Metadata.EstimatedCost); !strings.Contains(summary, line) {
		t.Errorf("%q is not in the summary:\n%s", line, summary)
	}
}
