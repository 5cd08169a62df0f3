package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// savedRun is a results folder with a record of a game that works.
func savedRun(t *testing.T) string {
	t.Helper()
	start := time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)
	rec := record.Record{
		Version: record.RecordVersion, RunID: "run", Target: record.Target{URL: "http://localhost/ridge/"}, Started: start, Finished: start.Add(14 * time.Second),
		Environment: record.Environment{WebGL: "SwiftShader"},
		Load:        record.LoadRecord{Success: true, URL: "http://localhost/ridge/", Status: 200, Kind: "canvas2d", Ready: true, ReadyAfter: time.Second},
		Discover:    record.DiscoverRecord{Controls: []record.Control{{ID: "key:Space", Type: record.ControlKey, Keys: []string{"Space"}, Description: "key space"}}},
		Explore: record.ExploreRecord{Start: record.StartRecord{Auto: true}, Played: 12 * time.Second, Trials: []record.Trial{{
			ControlID: "key:Space", Outcome: record.Responsive, Reason: "the picture changed", Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
		}}},
		Twins: &record.TwinRecord{
			Opened: true, Repeatable: true, Exhausted: true,
			Observations: []record.Observation{{
				Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "Space"}, Offer: "key", Pixels: 120, Later: 90, New: true,
				Repeats: []record.Repeat{{Pixels: 80, New: true}},
			}},
			Modalities: []record.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Presses: 40, Ran: true}},
			Alive:      record.AliveRecord{Seconds: 60, Responds: true},
		},
		Screenshots: []record.Screenshot{{Stage: record.StageFinalState, Path: "screenshots/end.png", Time: start.Add(10 * time.Second)}},
	}
	dir := t.TempDir()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 36))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "screenshots"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "screenshots", "end.png"), picture.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "record.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// standIns are those for two vendors, and the environment in which they are found.
func standIns(t *testing.T) (anthropic, chat *modeltest.Server, env map[string]string) {
	t.Helper()
	anthropic, chat = modeltest.NewAnthropic(t), modeltest.NewChat(t)
	return anthropic, chat, map[string]string{
		"PLAYTEST_CONFIG": "", "PLAYTEST_MODEL": "", "XDG_CONFIG_HOME": t.TempDir(),
		"ANTHROPIC_API_KEY": string(anthropic.Key), "ANTHROPIC_BASE_URL": anthropic.URL,
		"OPENAI_API_KEY": string(chat.Key), "OPENAI_BASE_URL": chat.URL,
	}
}

// vendors are stand-ins that this process finds.
func vendors(t *testing.T) (anthropic, chat *modeltest.Server) {
	t.Helper()
	anthropic, chat, env := standIns(t)
	for name, value := range env {
		t.Setenv(name, value)
	}
	return anthropic, chat
}

const (
	agrees = `{"reasoning": "C1 shows that it answers.", "gameLoaded": "true", "controlsResponsive": "true", "gameStable": "true", "issues": []}`
	denies = `{"reasoning": "Nothing happens.", "gameLoaded": "true", "controlsResponsive": "false", "gameStable": "true", "issues": []}`
)

func runEvaluate(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := newEvaluate()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func TestEvaluateWithAModel(t *testing.T) {
	anthropic, _ := vendors(t)
	anthropic.Script(modeltest.Reply{Text: denies, Usage: model.Usage{Input: 900, Output: 90}})
	stdout, stderr, err := runEvaluate(t, savedRun(t), "--model", "anthropic/claude-haiku-5-5", "--budget", "1")
	if err != nil {
		t.Fatal(err)
	}
	var rep record.Report
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Status != record.Pass || rep.Evaluator != "data" || rep.Opinion == nil || rep.Opinion.Cost == nil || *rep.Opinion.Cost <= 0 || len(rep.Opinion.Disagreements) != 1 {
		t.Errorf("%s %s %+v", rep.Status, rep.Evaluator, rep.Opinion)
	}
	if !strings.Contains(stderr, "anthropic/claude-haiku-5-5 disagrees: Asked whether its controls work the model says no") {
		t.Errorf("the summary is silent on it:\n%s", stderr)
	}
}

// The vision evaluator shows the pictures that lie beside the record, and the
// rubric's questions are answered.
func TestEvaluateWithPictures(t *testing.T) {
	anthropic, _ := vendors(t)
	metrics := map[string]any{}
	for _, name := range metadata.MetricNames {
		metrics[name] = map[string]any{"score": 90, "justification": "P1 is grey. It is all there is."}
	}
	reply, err := json.Marshal(map[string]any{
		"reasoning": "P1.", "gameLoaded": "true", "controlsResponsive": "true", "gameStable": "true", "metrics": metrics,
		"issues": []any{map[string]any{"severity": "minor", "description": "It is grey all over.", "evidence": []string{"P1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	anthropic.Script(modeltest.Reply{Text: string(reply)}, modeltest.Reply{Text: `{"answers": [{"number": 1, "evaluation": "NO", "reasoning": "P1 shows none."}]}`})
	rubric := filepath.Join(t.TempDir(), "rubric.yaml")
	if err := os.WriteFile(rubric, []byte("questions: [Is there colour?]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := runEvaluate(t, savedRun(t), "--evaluator", "vision", "--model", "anthropic/claude-haiku-5-5", "--rubric", rubric)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"evaluator": "vision"`, `"It is grey all over."`, `"evidence": "screenshots/end.png"`, `"answer": "NO"`, "Is there colour? The answer is NO, expected was YES."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %s:\n%s", want, stdout)
		}
	}
	for i, r := range anthropic.Requests() {
		body, err := json.Marshal(r.Body)
		if err != nil || !strings.Contains(string(body), "image/png") {
			t.Errorf("call %d shows no picture (%v)", i+1, err)
		}
	}
}

// A budget of nothing asks nobody: the stand-in has no reply to give.
func TestEvaluateWithoutMoney(t *testing.T) {
	vendors(t)
	stdout, _, err := runEvaluate(t, savedRun(t), "--model", "anthropic/claude-haiku-5-5", "--budget", "0")
	if err != nil || !strings.Contains(stdout, "it would have cost more than the budget leaves") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

func TestCompareModels(t *testing.T) {
	anthropic, chat := vendors(t)
	for _, format := range []string{"json", "md"} {
		anthropic.Script(modeltest.Reply{Text: agrees, Usage: model.Usage{Input: 900, Output: 90}})
		chat.Script(modeltest.Reply{Text: denies, Usage: model.Usage{Input: 800, Output: 80}})
		stdout, stderr, err := runEvaluate(t, savedRun(t), "--compare-models", "anthropic/claude-haiku-5-5,openai/house-blend,google/none", "--format", format)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"model", "cost", "latency", "anthropic/claude-haiku-5-5", "openai/house-blend", "unknown", "google/none: No model was asked"} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q is not in the table:\n%s", want, stderr)
			}
		}
		if format == "md" {
			if lines := strings.Split(strings.TrimSpace(stdout), "\n"); len(lines) != 5 || strings.Count(lines[3], "|") != strings.Count(lines[1], "|") {
				t.Errorf("no table of three models:\n%s", stdout)
			}
			continue
		}
		var rows []compared
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
			t.Fatal(err)
		}
		for i, want := range []compared{
			{Model: "anthropic/claude-haiku-5-5", Says: "pass", Tokens: 990}, {Model: "openai/house-blend", Says: "fail", Disagreements: 1, Tokens: 880}, {Model: "google/none", Says: "-"},
		} {
			got := rows[i]
			if got.Status != record.Pass || got.Model != want.Model || got.Says != want.Says || got.Disagreements != want.Disagreements || got.Tokens != want.Tokens {
				t.Errorf("row %d: %+v, want %+v", i, got, want)
			}
		}
		if rows[0].Cost == nil || rows[1].Cost != nil || rows[2].Failed == "" {
			t.Errorf("%+v", rows)
		}
		if rows[0].Confidence <= rows[1].Confidence {
			t.Errorf("confidence %v with a model that agrees, %v with one that does not", rows[0].Confidence, rows[1].Confidence)
		}
	}
}

// The exit code is the measured verdict's, whatever the models say.
func TestCompareModelsExitCode(t *testing.T) {
	anthropic, _ := vendors(t)
	anthropic.Script(modeltest.Reply{Text: agrees})
	dir := savedRun(t)
	name := filepath.Join(dir, "record.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"pixels":120`), []byte(`"pixels":0`), 1)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err = runEvaluate(t, dir, "--compare-models", "anthropic/claude-haiku-5-5", "--quiet")
	var judged *verdictError
	if !errors.As(err, &judged) || judged.code != codeFail {
		t.Errorf("ended with %v", err)
	}
}

func TestEvaluateFallsBackToTheNextModel(t *testing.T) {
	anthropic, chat := vendors(t)
	anthropic.Script(modeltest.Reply{Status: 404})
	chat.Script(modeltest.Reply{Text: agrees})
	stdout, _, err := runEvaluate(t, savedRun(t), "--model", "anthropic/claude-haiku-5-5,openai/house-blend")
	if err != nil {
		t.Fatal(err)
	}
	var rep record.Report
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Opinion == nil || rep.Opinion.Model != "openai/house-blend" {
		t.Errorf("%+v %+v", rep.Opinion, rep.Issues)
	}
}

// A model that hangs is left in time for the next of the chain.
func TestEvaluateDeadlines(t *testing.T) {
	set := &config.Config{Deadlines: map[string][]time.Duration{opinion.Purpose: {time.Second}}}
	for _, tt := range []struct {
		name   string
		flags  evaluation
		config *config.Config
		want   []time.Duration
	}{
		{"one model", evaluation{model: "a/b"}, &config.Config{}, []time.Duration{time.Minute}},
		{"two models", evaluation{model: "a/b,c/d"}, &config.Config{}, []time.Duration{40 * time.Second, 20 * time.Second}},
		{"two of the configuration", evaluation{}, &config.Config{Model: "a/b,c/d"}, []time.Duration{40 * time.Second, 20 * time.Second}},
		{"one named, two configured", evaluation{model: "a/b"}, &config.Config{Model: "a/b,c/d"}, []time.Duration{time.Minute}},
		{"compared one by one", evaluation{compare: "a/b,c/d"}, &config.Config{Model: "a/b,c/d"}, []time.Duration{time.Minute}},
		{"configured", evaluation{model: "a/b"}, set, []time.Duration{time.Second}},
	} {
		tt.flags.timeout = time.Minute
		if got := tt.flags.deadlines(tt.config).Deadlines[opinion.Purpose]; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
