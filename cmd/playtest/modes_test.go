package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// An agent plays and a model judges: what the agent did is in the record, what
// both cost is in the report once, and the verdict is the measured one. The tools of
// an MCP server, named by a flag or the configuration, are the agent's too.
func TestRunInAgentMode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays a game")
	}
	click := modeltest.Acts(modeltest.Member("m1", "left_click", `{"coordinate":[640,400]}`))
	click.Usage = model.Usage{Input: 4000, Output: 50}
	dir := t.TempDir()
	servers, config := filepath.Join(dir, "servers.json"), filepath.Join(dir, "config.yaml")
	for name, text := range map[string]string{servers: `{"mcpServers": {"words": {"command": "words-server"}}}`, config: "mcp: " + servers + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		flags  []string
		config string
		plays  []modeltest.Reply
		what   string
		told   string // by the last question to the agent
	}{
		{"tools", []string{"--mcp", servers, "--model", "anthropic/claude-haiku-5-5"}, "", []modeltest.Reply{
			{Text: "A look around.", Calls: []modeltest.Call{{ID: "c1", Name: "keys", Args: `{"keys":["Tab"]}`}, {ID: "c2", Name: "words__hint", Args: `{}`}}, Usage: model.Usage{Input: 4000, Output: 50}},
			{Calls: []modeltest.Call{{ID: "c3", Name: "close", Args: `{"reasoning":"It was played.","taskComplete":true}`}}, Usage: model.Usage{Input: 5000, Output: 40}},
		}, "keys ", hintOfServer},
		{"computer", []string{"--agent", "computer", "--model", "anthropic/claude-sonnet-5-5"}, config, []modeltest.Reply{
			click, {Text: "It was played.", Usage: model.Usage{Input: 5000, Output: 40}},
		}, "click ", "words__hint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			anthropic, _, env := standIns(t)
			env["PLAYTEST_CONFIG"] = tt.config
			anthropic.Script(append(tt.plays, modeltest.Reply{Text: agrees, Usage: model.Usage{Input: 900, Output: 90}})...)
			dir := filepath.Join(t.TempDir(), "results")
			args := append([]string{"demo", "noughts", "--mode", "agent", "--budget", "1", "--format", "json", "--out", dir}, tt.flags...)
			// Each in a process of its own, since each has an environment of its own.
			cmd := exec.CommandContext(t.Context(), "playtest", args...)
			cmd.Env = os.Environ()
			for name, value := range env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			paid(t, dir, stdout.Bytes(), stderr.String(), tt.what)
			turnsAreTold(t, dir)
			asked, err := json.Marshal(anthropic.Requests()[1].Body)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(asked), tt.told) {
				t.Errorf("the agent is not told %q: %s", tt.told, asked)
			}
			if wrong := anthropic.Violations(); len(wrong) > 0 {
				t.Errorf("the vendor would refuse: %v", wrong)
			}
		})
	}
}

// turnsAreTold sees that the page of a run tells its model's play turn by turn: with the
// screen before, where the pointer went, and what was thought.
func turnsAreTold(t *testing.T, dir string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	rec := savedRecord(t, dir)
	_, turns, ok := strings.Cut(string(page), `id="turns"`)
	if turns, _, _ = strings.Cut(turns, "</section>"); !ok {
		t.Fatal("the page tells no turns")
	}
	for _, a := range rec.Actions {
		if a.URL == "" {
			continue
		}
		if a.Reasoning != "" && !strings.Contains(turns, html.EscapeString(a.Reasoning)) || !strings.Contains(turns, a.Picture) {
			t.Errorf("the page does not tell %+v", a)
		}
		if a.Kind == "click" && (len(a.At) != 1 || !strings.Contains(turns, fmt.Sprintf("left:%.2f%%;top:%.2f%%", 100*a.At[0].X, 100*a.At[0].Y))) {
			t.Errorf("the page does not show where it clicked: %+v", a)
		}
	}
}

// A model plays adaptively, on the vendor's own API: what it decides is in the
// record beside what the other layers said, and what worked is known in the
// second run, which needs fewer questions.
func TestRunInAdaptiveMode(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a game")
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Jar</title><body style="margin:0"><h1>Βάζο</h1><p id=s>Points: 0</p>
			<button onclick="s.textContent = 'Points: ' + ++n" style="width:200px;height:80px">πάτα</button><script>let n = 0</script>`)
	}))
	t.Cleanup(web.Close)
	anthropic, _ := vendors(t)
	dir := t.TempDir()
	db, meta := filepath.Join(dir, "games.db"), filepath.Join(dir, "game.json")
	// Which move of a puzzle is right the heuristics never know.
	if err := os.WriteFile(meta, []byte(`{"genre": "puzzle", "objectives": "Fill the jar."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	used := model.Usage{Input: 2000, Output: 80}
	press := modeltest.Reply{Text: `{"seen":"a jar","action":"click","x":80,"y":120,"reasoning":"fill it","confidence":90}`, Usage: used}
	done := modeltest.Reply{Text: `{"seen":"a full jar","action":"complete","reasoning":"it is full","confidence":95}`, Usage: used}
	judged := modeltest.Reply{Text: agrees, Usage: used}

	play := func(name string, replies ...modeltest.Reply) *record.Record {
		t.Helper()
		anthropic.Script(replies...)
		before := len(anthropic.Requests())
		out := filepath.Join(dir, name)
		var stdout, stderr bytes.Buffer
		args := []string{"run", web.URL, "--mode", "adaptive", "--metadata", meta, "--model", "anthropic/claude-haiku-5-5", "--budget", "0.25", "--db", db, "--out", out}
		if code := execute(args, nil, &stdout, &stderr); code != codePass {
			t.Fatalf("exit code %d\n%s", code, &stderr)
		}
		if wrong := anthropic.Violations(); len(wrong) > 0 {
			t.Errorf("the vendor would refuse: %v", wrong)
		}
		if got := len(anthropic.Requests()) - before; got != len(replies) {
			t.Errorf("%s: %d questions, want %d", name, got, len(replies))
		}
		rec := savedRecord(t, out)
		turnsAreTold(t, out)
		if !strings.HasPrefix(rec.Explore.Ended, "the goal is reached: it is full") || len(rec.Explore.Progress) == 0 {
			t.Errorf("%s: ended with %q after %v", name, rec.Explore.Ended, rec.Explore.Progress)
		}
		for _, a := range rec.Actions {
			if strings.Contains(a.Reasoning, "fill it") && (a.Picture == "" || a.URL == "") {
				t.Errorf("%s: a turn without picture or address: %+v", name, a)
			}
		}
		if rec.Spent == nil || rec.Spent.Calls != len(replies)-1 || rec.Spent.Cost <= 0 || rec.Spent.Cost > 0.25 {
			t.Errorf("%s: playing came to %+v", name, rec.Spent)
		}
		return rec
	}
	said := func(rec *record.Record, layer, what, why string) bool {
		return slices.ContainsFunc(rec.Decisions, func(d record.Decision) bool {
			return d.Layer == layer && strings.HasPrefix(d.What, what) && strings.Contains(d.Why, why)
		})
	}
	first := play("first", press, press, done, judged)
	for _, d := range [][3]string{{"1 heuristic", "", "(not sure enough)"}, {"2 vision", "click", "fill it"}, {"2 vision", "complete", "it is full"}} {
		if !said(first, d[0], d[1], d[2]) {
			t.Errorf("no decision of %q is in the record: %+v", d, first.Decisions)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := execute([]string{"knowledge", "list", "--db", db}, nil, &stdout, &stderr); code != codePass || !strings.Contains(stdout.String(), "Jar") {
		t.Errorf("exit code %d, known is %q\n%s", code, &stdout, &stderr)
	}
	second := play("second", done, judged)
	if !said(second, "1 heuristic", "click", "as the last time") {
		t.Errorf("what worked before was not done again: %+v", second.Decisions)
	}
}

// savedRecord is the record in a results folder.
func savedRecord(t *testing.T, dir string) *record.Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.ParseRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// paid holds record, report and summary of a run against each other.
func paid(t *testing.T, dir string, printed []byte, summary, what string) {
	t.Helper()
	var rep record.Report
	if err := json.Unmarshal(printed, &rep); err != nil {
		t.Fatal(err)
	}
	rec := savedRecord(t, dir)
	if !slices.ContainsFunc(rec.Decisions, func(d record.Decision) bool { return d.Layer == "agent" && strings.HasPrefix(d.What, what) }) {
		t.Errorf("the agent's decision is not in the record: %+v", rec.Decisions)
	}
	if rep.Metadata.Mode != record.ModeAgent || rep.Evaluator != "data" || rep.Opinion == nil || rep.Opinion.Cost == nil {
		t.Fatalf("mode %s, evaluator %s, opinion %+v", rep.Metadata.Mode, rep.Evaluator, rep.Opinion)
	}
	if rep.Agent == nil || !rep.Agent.Success || rep.Agent.Actions != 1 || !strings.Contains(rep.Agent.Message, "It was played.") {
		t.Errorf("the agent's own verdict is %+v", rep.Agent)
	}
	if !slices.ContainsFunc(rep.Metadata.ActionHistory, func(a record.ReportedAction) bool { return a.Reasoning != "" && a.URL != "" && a.Picture != "" }) {
		t.Errorf("no action can be followed: %+v", rep.Metadata.ActionHistory)
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
