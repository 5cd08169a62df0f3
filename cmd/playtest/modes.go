package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/agent/mcp"
	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// modes is the flags that say who plays a game and who judges it.
type modes struct {
	mode      string
	agent     string
	model     string
	budget    float64
	evaluator string
	noMemory  bool
	mcp       string
	servers   *mcp.Config // of the file, once it was read
}

func (m *modes) register(cmd *cobra.Command) {
	f := cmd.Flags()
	var modeNames []string
	for _, each := range record.Modes {
		modeNames = append(modeNames, string(each))
	}
	f.StringVar(&m.mode, "mode", modeNames[0], "who plays: "+strings.Join(modeNames, ", "))
	f.StringVar(&m.agent, "agent", store.Agents[0], "the agent of --mode agent: "+strings.Join(store.Agents, ", "))
	f.StringVar(&m.model, "model", "", "`MODEL` chain such as anthropic/claude-haiku-5-5,openai/gpt-6-luna (also $PLAYTEST_MODEL)")
	f.Float64Var(&m.budget, "budget", 0, "most `DOLLARS` to spend on models; the configuration's unless given")
	f.StringVar(&m.evaluator, "evaluator", "", "who judges beside the measurements: heuristic (nobody), data or vision (default heuristic, or data when a model is named)")
	f.BoolVar(&m.noMemory, "no-memory", false, "play without what was learned in earlier runs, and learn nothing")
	for name, words := range map[string][]string{"mode": modeNames, "agent": store.Agents, "evaluator": record.Evaluators} {
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// registerTools adds the flag for tools of others. A queued run has none: what runs
// on a worker's machine is its operator's choice.
func (m *modes) registerTools(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.mcp, "mcp", "", "JSON `FILE` with MCP servers whose tools the agent of --mode agent gets (default: the configuration's)")
	cmd.MarkFlagFilename("mcp", "json")
}

// check finds mistakes of the command line and settles which evaluator it is.
func (m *modes) check(cmd *cobra.Command) error {
	if m.evaluator == "" {
		m.evaluator = evaluate.Heuristic
		if m.model != "" {
			m.evaluator = opinion.Data
		}
	}
	m.mode = cmp.Or(m.mode, string(record.ModeStandard))
	if err := record.Mode(m.mode).Validate(); err != nil {
		return usage(cmd, "--%v", err)
	}
	settings := m.stored(cmd)
	if cmd.Flags().Changed("agent") {
		settings.Agent = m.agent
	}
	if err := settings.Validate(record.Mode(m.mode)); err != nil {
		return usage(cmd, "--%v", err)
	}
	if m.mcp != "" {
		if !m.is(record.ModeAgent) {
			return usage(cmd, "--mcp is for the mode agent")
		}
		var err error
		if m.servers, err = readServers(cmd, m.mcp); err != nil {
			return err
		}
	}
	if m.model != "" {
		if _, err := model.ParseChain(m.model); err != nil {
			return usage(cmd, "--model: %v", err)
		}
	}
	return nil
}

func (m *modes) is(any ...record.Mode) bool { return slices.Contains(any, record.Mode(m.mode)) }

// asks: there is something that a model would be asked.
func (m *modes) asks() bool {
	return !m.is(record.ModeStandard) || m.evaluator != evaluate.Heuristic || m.model != ""
}

// equip opens whom the run needs besides a browser. What is missing shows here,
// before one is started: an agent is nobody without a model, and the rest
// does without and says so.
func (m *modes) equip(cmd *cobra.Command, opts *qa.Options, quiet bool) error {
	if !m.asks() {
		return nil
	}
	if m.evaluator != evaluate.Heuristic {
		opts.Evaluator = m.evaluator
	}
	var given *float64
	if cmd.Flags().Changed("budget") {
		given = &m.budget
	}
	run, limit, err := openModels(given, named(m.model))
	if errors.Is(err, model.ErrNoModel) {
		if m.is(record.ModeAgent) {
			return hint(usage(cmd, "--mode agent needs a model: %s", oneLine(err.Error())),
				"name one with --model, such as anthropic/claude-haiku-5-5, and put its key into the environment (docs/models.md)")
		}
		if !quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s; %s\n", oneLine(err.Error()), m.without())
		}
		return nil
	}
	if err != nil {
		return err
	}
	opts.Model, opts.Budget = run, limit
	if m.is(record.ModeAgent) {
		if err := m.tools(cmd, opts, quiet); err != nil {
			return err
		}
	}
	if !m.is(record.ModeAgent) || m.agent != "computer" {
		return nil
	}
	opts.Computer, err = choose.Driver(run)
	if errors.Is(err, model.ErrUnsupported) {
		return hint(usage(cmd, "--agent computer: %s", oneLine(err.Error())), "models made for it can, such as anthropic/claude-haiku-5-5; --agent tools takes any")
	}
	return err
}

// tools gives an agent the tools of the servers that --mcp or the configuration names.
func (m *modes) tools(cmd *cobra.Command, opts *qa.Options, quiet bool) error {
	servers := m.servers
	if servers == nil {
		c, err := config.Load(nil)
		if err != nil {
			return err
		}
		if servers, err = configuredServers(c); err != nil || servers == nil {
			return err
		}
	}
	opts.Tools = openTools(servers, func(text string) {
		if !quiet {
			fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+text)
		}
	})
	return nil
}

// stored is the same for a run that is kept or queued. The mode is the target's.
func (m *modes) stored(cmd *cobra.Command) store.Settings {
	if m == nil {
		return store.Settings{}
	}
	s := store.Settings{Model: m.model, NoMemory: m.noMemory}
	if m.evaluator != evaluate.Heuristic {
		s.Evaluator = m.evaluator
	}
	if m.is(record.ModeAgent) && m.agent != store.Agents[0] {
		s.Agent = m.agent
	}
	if cmd.Flags().Changed("budget") {
		s.Budget = &m.budget
	}
	return s
}

// without says what a run does that has no model.
func (m *modes) without() string {
	switch {
	case m.is(record.ModeStandard):
		return "the game is judged by what is measured"
	case m.noMemory:
		return "the game is played by heuristics"
	}
	return "the game is played by heuristics and by what was learned before"
}
