package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// equipped is what a worker gives to a run of these settings.
func equipped(t *testing.T, e *equipment, mode record.Mode, with store.Settings) (opts qa.Options, warned []string, err error) {
	t.Helper()
	return equippedFor(t, e, record.Target{URL: "http://h/", Mode: mode}, with)
}

func equippedFor(t *testing.T, e *equipment, target record.Target, with store.Settings) (opts qa.Options, warned []string, err error) {
	t.Helper()
	q, err := queue.Open(t.Context(), storetest.Open(t, storetest.SQLite(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Submit(t.Context(), store.Submission{Target: target, Settings: with}); err != nil {
		t.Fatal(err)
	}
	var equipErr error
	err = q.Work(t.Context(), func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		equipErr = e.equip(ctx, h, func(text string) { warned = append(warned, text) }, &opts)
		return nil, nil, &queue.Permanent{Err: errors.New("not played")}
	}, &queue.WorkOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	return opts, warned, equipErr
}

// A run that was submitted with a model, an evaluator, an agent and a budget
// gets them; what it leaves open is the worker's.
func TestWorkerEquipsRuns(t *testing.T) {
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "a-key")
	t.Setenv("OPENAI_API_KEY", "")
	const haiku, sonnet = "anthropic/claude-haiku-5-5", "anthropic/claude-sonnet-5"
	two, none, half := 2.0, 0.0, 0.5
	for _, tt := range []struct {
		name      string
		mode      record.Mode
		most      *float64
		with      store.Settings
		model     string
		limit     *model.Money
		evaluator string
		computer  bool
	}{
		{name: "standard", mode: record.ModeStandard, most: &two},
		{name: "standard, judged by a model", mode: record.ModeStandard, most: &two, with: store.Settings{Evaluator: "data"}, model: haiku, limit: dollars(2), evaluator: "data"},
		{name: "adaptive", mode: record.ModeAdaptive, most: &two, model: haiku, limit: dollars(2)},
		{name: "adaptive, nothing to spend", mode: record.ModeAdaptive, most: &none, model: haiku, limit: dollars(0)},
		{name: "agent, the usual budget", mode: record.ModeAgent, model: haiku},
		{name: "its own model and budget", mode: record.ModeAgent, with: store.Settings{Model: sonnet, Budget: &two}, model: sonnet, limit: dollars(2)},
		{name: "less than the worker allows", mode: record.ModeAdaptive, most: &two, with: store.Settings{Budget: &half}, model: haiku, limit: dollars(0.5)},
		{name: "more than the worker allows", mode: record.ModeAdaptive, most: &half, with: store.Settings{Budget: &two}, model: haiku, limit: dollars(0.5)},
		{name: "computer", mode: record.ModeAgent, with: store.Settings{Agent: "computer"}, model: haiku, computer: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEquipment(storetest.Open(t, storetest.SQLite(t)), haiku, tt.most, slog.New(slog.DiscardHandler))
			opts, _, err := equipped(t, e, tt.mode, tt.with)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if opts.Model != nil {
				got = opts.Model.Name()
			}
			if got != tt.model || opts.Book == nil || opts.Evaluator != tt.evaluator || (opts.Computer != nil) != tt.computer {
				t.Errorf("model %q, evaluator %q, computer %v, book %v", got, opts.Evaluator, opts.Computer, opts.Book)
			}
			if (opts.Budget == nil) != (tt.limit == nil) || tt.limit != nil && *opts.Budget != *tt.limit {
				t.Errorf("budget %v, want %v", opts.Budget, tt.limit)
			}
		})
	}
	t.Run("gateways are shared", func(t *testing.T) {
		e := newEquipment(storetest.Open(t, storetest.SQLite(t)), haiku, nil, slog.New(slog.DiscardHandler))
		one, _, err := e.gateway(haiku)
		if err != nil {
			t.Fatal(err)
		}
		if two, _, err := e.gateway(haiku); err != nil || one != two {
			t.Errorf("the same chain has another gateway, %v", err)
		}
	})
	t.Run("an agent has the configuration's tools", func(t *testing.T) {
		dir := t.TempDir()
		servers, file := filepath.Join(dir, "servers.json"), filepath.Join(dir, "config.yaml")
		for name, text := range map[string]string{servers: `{"mcpServers": {"words": {"command": "/nowhere/words"}}}`, file: "mcp: " + servers + "\n"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PLAYTEST_CONFIG", file)
		e := newEquipment(storetest.Open(t, storetest.SQLite(t)), haiku, nil, slog.New(slog.DiscardHandler))
		if opts, _, err := equipped(t, e, record.ModeAdaptive, store.Settings{}); err != nil || opts.Tools != nil {
			t.Errorf("adaptive play: %v, tools %v", err, opts.Tools != nil)
		}
		opts, _, err := equipped(t, e, record.ModeAgent, store.Settings{})
		if err != nil || opts.Tools == nil {
			t.Fatalf("an agent: %v, tools %v", err, opts.Tools != nil)
		}
		if _, _, err := opts.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "connecting to MCP server words") {
			t.Errorf("a server that is not there: %v", err)
		}
	})
	t.Run("questions and nobody to ask", func(t *testing.T) {
		e := newEquipment(storetest.Open(t, storetest.SQLite(t)), haiku, nil, slog.New(slog.DiscardHandler))
		rubric := &metadata.Rubric{Questions: []metadata.Question{{Ask: "Is there a tutorial?"}}}
		opts, warned, err := equippedFor(t, e, record.Target{URL: "http://h/", Rubric: rubric}, store.Settings{})
		if err != nil || opts.Model != nil || len(warned) != 1 || !strings.Contains(warned[0], "questions (1) are not asked") {
			t.Errorf("%v, model %v, warned %q", err, opts.Model, warned)
		}
	})
	t.Run("no key for its model", func(t *testing.T) {
		e := newEquipment(storetest.Open(t, storetest.SQLite(t)), "", nil, slog.New(slog.DiscardHandler))
		with := store.Settings{Model: "openai/gpt-6-luna", Evaluator: "data"}
		opts, warned, err := equipped(t, e, record.ModeStandard, with)
		if err != nil || opts.Model != nil || opts.Evaluator != "data" || len(warned) != 1 || !strings.Contains(warned[0], "OPENAI_API_KEY") {
			t.Errorf("a standard run: %v, model %v, evaluator %q, warned %q", err, opts.Model, opts.Evaluator, warned)
		}
		var permanent *queue.Permanent
		if _, _, err := equipped(t, e, record.ModeAgent, with); !errors.As(err, &permanent) {
			t.Errorf("an agent without a model: %v", err)
		}
	})
}

func dollars(n float64) *model.Money {
	m := model.Dollars(n)
	return &m
}
