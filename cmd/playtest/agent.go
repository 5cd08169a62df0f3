package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/agent/mcp"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
)

// agentFlags are those of the agent command.
type agentFlags struct {
	page      pageFlags
	limits    agent.Limits
	origins   []string
	config    string
	game      bool
	json      bool
	save      string
	resume    string
	replay    string
	directive string
	computer  string
	schema    string
	stream    bool
}

func newAgent() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "agent URL GOAL",
		Short: "Have a model carry out a task on a page",
		Long: `Agent opens a page and has a model carry GOAL out there: it looks, decides, acts
and looks again until it says that it is done, or a limit is reached. What it did
is told on stderr, what it found on stdout: a sentence, or with --schema data in
that shape. With --stream stdout has everything that happens, as it happens, one
JSON object a line: what the model says, each action, each step, and the result.

With --computer the model looks at pictures and uses mouse and keyboard, as models
are trained to that have a tool for computers; --computer=elements has it read the
page's elements and act on them, where its vendor has tools for that.

It stays on the page's origin and on those of --allow-origin; the browser refuses
the rest. Its tools are its own and those of the MCP servers in the file of --mcp.

Exit codes: 0 the task was carried out, 1 it was not, 2 something kept the agent
from working.`,
		Example: `  playtest agent https://example.com/ "find out when the next train leaves"
  playtest agent http://localhost:8080/ "win a round" --game --max-steps 25
  playtest agent http://localhost:8080/ "log in" --var user=ada --var password --save login.json
  playtest agent http://localhost:8080/ --replay login.json --var user=ada --var password
  playtest agent http://localhost:8080/ "translate the page" --mcp servers.json --json
  playtest agent http://localhost:8080/ "read the scores" --schema '{"type": "object", "properties": {"best": {"type": "integer"}}}'
  playtest agent http://localhost:8080/ "win a round" --computer --stream --save won.json
  playtest agent http://localhost:8080/ --computer --replay won.json`,
		Args: arguments(1, 2, "the page's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			vars, err := f.page.check(cmd, args[0])
			if err != nil {
				return err
			}
			goal := ""
			if len(args) > 1 {
				goal = args[1]
			}
			return f.run(cmd, args[0], goal, vars)
		},
	}
	f.page.form = forms[0]
	fs := cmd.Flags()
	fs.StringVar(&f.page.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	fs.BoolVar(&f.page.headed, "headed", false, "show the browser's window")
	fs.StringVar(&f.page.model, "model", "", "`MODEL` chain such as anthropic/claude-haiku-5-5,openai/gpt-6-luna (also $PLAYTEST_MODEL)")
	fs.Float64Var(&f.page.budget, "budget", 0, "most `DOLLARS` to spend, the configuration's if 0")
	fs.StringArrayVar(&f.page.vars, "var", nil, "variable `NAME=VALUE` for %NAME%; NAME alone takes $PLAYTEST_VAR_NAME or $NAME. The model never sees the value")
	fs.StringArrayVar(&f.page.varOrigins, "var-origin", nil, "type the variable only into pages of this site: `NAME=ORIGIN`, such as password=https://example.com")
	fs.IntVar(&f.limits.Steps, "max-steps", agent.DefaultSteps, "most `TURNS` of the model")
	fs.IntVar(&f.limits.Tokens, "max-tokens", 0, "most `TOKENS` in all, no limit if 0")
	fs.DurationVar(&f.page.timeout, "timeout", 10*time.Minute, "longest time for the task")
	fs.StringArrayVar(&f.origins, "allow-origin", nil, "`ORIGIN` that may be visited too, such as https://example.com or https://*.example.com")
	fs.StringVar(&f.config, "mcp", "", "JSON `FILE` with MCP servers whose tools the agent gets")
	fs.BoolVar(&f.game, "game", false, "add the tools for games: keys, hold, drag, clickAt, think")
	fs.StringVar(&f.directive, "instructions", "", "`TEXT` to add to what the model is told")
	fs.StringVar(&f.computer, "computer", "", "have it use mouse and keyboard by sight; `HOW` is screen, or elements")
	fs.Lookup("computer").NoOptDefVal = computerScreen
	fs.StringVar(&f.schema, "schema", "", "JSON Schema of the result: a `FILE`, - for stdin, or the schema itself")
	fs.BoolVar(&f.stream, "stream", false, "print what happens as it happens, as lines of JSON")
	fs.StringVar(&f.page.state, "storage-state", "", "JSON `FILE` with cookies and local storage: read before, if it is there, and written afterwards")
	fs.BoolVar(&f.json, "json", false, "print the whole result as JSON")
	fs.StringVar(&f.save, "save", "", "JSON `FILE` to keep the result in, to be continued or replayed")
	fs.StringVar(&f.resume, "continue", "", "go on from the conversation in this `FILE`")
	fs.StringVar(&f.replay, "replay", "", "do again what is in this `FILE`, without a model")
	for _, name := range []string{"mcp", "save", "continue", "replay", "schema", "storage-state"} {
		cmd.MarkFlagFilename(name, "json")
	}
	return cmd
}

// check finds mistakes before anything is started.
func (f *agentFlags) check(cmd *cobra.Command, url, goal string) (*mcp.Config, *agent.Result, error) {
	switch {
	case goal == "" && f.replay == "":
		return nil, nil, usage(cmd, "what the agent is to do is missing")
	case goal != "" && f.replay != "":
		return nil, nil, usage(cmd, "--replay does what was done before and takes no task")
	case f.resume != "" && f.replay != "":
		return nil, nil, usage(cmd, "--continue and --replay do not go together")
	case f.schema != "" && (f.resume != "" || f.replay != ""):
		return nil, nil, usage(cmd, "--schema is for a task from its beginning, not for --continue or --replay")
	case f.computer != "" && f.computer != computerScreen && f.computer != computerElements:
		return nil, nil, usage(cmd, "--computer %q is not one of %s, %s", f.computer, computerScreen, computerElements)
	case f.computer != "" && (f.game || f.resume != "" || f.schema != ""):
		return nil, nil, usage(cmd, "--computer does not go together with --game, --continue or --schema")
	case f.stream && f.json:
		return nil, nil, usage(cmd, "--stream ends with the whole result already, leave out --json")
	case f.limits.Steps < 1:
		return nil, nil, usage(cmd, "--max-steps %d is less than 1", f.limits.Steps)
	case f.limits.Tokens < 0:
		return nil, nil, usage(cmd, "--max-tokens %d is less than 0", f.limits.Tokens)
	}
	if _, err := bounds.New(url, f.origins...); err != nil {
		return nil, nil, usage(cmd, "--allow-origin: %v", err)
	}
	var config *mcp.Config
	if f.config != "" {
		var err error
		if config, err = readServers(cmd, f.config); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range []string{f.resume, f.replay} {
		if name == "" {
			continue
		}
		kept, err := readResult(cmd, name)
		if err == nil && name == f.resume && (kept.Conversation == nil || len(kept.Conversation.Goals) == 0) {
			err = &badFile{cmd.CommandPath(), name, errors.New("there is no conversation in it; was it written by --save?")}
		}
		return config, kept, err
	}
	return config, nil, nil
}

func readResult(cmd *cobra.Command, name string) (*agent.Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, usage(cmd, "%v", withoutOp(err))
	}
	var r agent.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, &badFile{cmd.CommandPath(), name, fmt.Errorf("it is not the result of an agent: %w", err)}
	}
	return &r, nil
}

func (f *agentFlags) run(cmd *cobra.Command, url, goal string, vars map[string]string) error {
	config, kept, err := f.check(cmd, url, goal)
	if err != nil {
		return err
	}
	shape, err := f.shape(cmd)
	if err != nil {
		return err
	}
	// Opening the page and saying goodbye take some time of their own.
	ctx, cancel := context.WithTimeout(cmd.Context(), f.page.timeout+time.Minute)
	defer cancel()
	var m model.Model
	if f.replay == "" {
		if m, err = f.page.gateway(); err != nil {
			return err
		}
		if m == nil {
			return hint(errors.New("no model is configured"), "name one with --model and its key in the environment (docs/models.md)")
		}
	}
	driver, err := f.driver(m)
	if err != nil {
		return err
	}
	var tools []tool.Tool
	if config != nil {
		servers, err := mcp.Connect(ctx, config, nil)
		if err != nil {
			return hint(err, "check %s, and that the server can be started or reached", f.config)
		}
		defer servers.Close()
		for _, s := range servers.Skipped() {
			fmt.Fprintf(cmd.ErrOrStderr(), "left out the tool %s\n", s)
		}
		tools = servers.Tools()
	}
	k, done, err := f.page.open(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer done()
	if err := k.visit(ctx, url); err != nil {
		return err
	}
	f.limits.Time = f.page.timeout
	if f.computer != "" {
		res, err := f.operate(ctx, cmd, k, driver, url, goal, vars, tools, kept)
		if err == nil {
			err = f.page.keepStorage(ctx, k.page)
		}
		return f.report(cmd, res, err)
	}
	events := &eventWriter{out: cmd.OutOrStdout(), off: !f.stream}
	a, err := agent.New(ctx, k.page, m, &agent.Options{
		Limits: f.limits, Instructions: f.directive, Game: f.game, Tools: tools, Start: landed(k.page, url), Origins: f.origins, Variables: vars, VariableOrigins: f.page.origins, Probe: k.probe,
		OnAction: func(act agent.Action) {
			tellAction(cmd.ErrOrStderr(), act)
			events.tell(agent.Event{Action: &act})
		},
		OnStep: func(s agent.Step) { events.tell(agent.Event{Step: &s}) },
		OnText: events.said(),
	})
	if err != nil {
		return err
	}
	var res *agent.Result
	switch {
	case f.replay != "":
		res, err = a.Replay(ctx, kept.Actions)
	case f.resume != "":
		res, err = a.Continue(ctx, kept.Conversation, goal)
	case shape != nil:
		res, err = a.RunJSON(ctx, goal, shape)
	default:
		res, err = a.Run(ctx, goal)
	}
	if err == nil {
		err = f.page.keepStorage(ctx, k.page)
	}
	return f.report(cmd, res, err)
}

// landed is where the address led by redirects of its server. Where the page's
// scripts went from there does not count: it is not what the user asked for.
func landed(page *browser.Page, url string) string {
	for _, r := range page.Log().Requests() {
		if r.Type == "Document" && r.FrameID == page.MainFrame().ID() {
			return r.URL
		}
	}
	return url
}

func tellAction(w io.Writer, act agent.Action) {
	what := "ok"
	switch {
	case act.Error != "":
		what = "failed: " + act.Error
	case act.Changed:
		what = "the page changed"
	case act.Painted:
		what = "the picture changed"
	}
	fmt.Fprintf(w, "%3d  %-10s %s  %s (%s)\n", act.Step, printable(act.Tool), printable(string(act.Arguments)), printable(what), act.Took.Round(time.Millisecond))
}

// printable is a text without characters that steer a terminal: a page may have
// put them into what a model says.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// report prints the result and makes an exit code of it.
func (f *agentFlags) report(cmd *cobra.Command, res *agent.Result, err error) error {
	if f.save != "" {
		data, merr := json.MarshalIndent(res, "", "  ")
		if merr == nil {
			merr = os.WriteFile(f.save, data, 0o600)
		}
		if merr != nil {
			err = errors.Join(err, fmt.Errorf("keeping the result: %w", withoutOp(merr)))
		}
	}
	shown := *res
	shown.Conversation = nil // it has pictures in it; --save keeps it
	switch {
	case f.stream:
		events := &eventWriter{out: cmd.OutOrStdout()}
		if events.tell(agent.Event{Result: &shown}); events.err != nil {
			return errors.Join(err, events.err)
		}
	case f.json:
		out := json.NewEncoder(cmd.OutOrStdout())
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		if eerr := out.Encode(shown); eerr != nil {
			return errors.Join(err, eerr)
		}
	case len(shown.Output) > 0:
		fmt.Fprintln(cmd.OutOrStdout(), string(shown.Output))
	default:
		fmt.Fprintln(cmd.OutOrStdout(), printable(shown.Message))
	}
	v := shown.Verified
	fmt.Fprintf(cmd.ErrOrStderr(), "%d steps, %d calls (%d failed, %d changed something), %d tokens in and %d out, cost %s; now at %s\n",
		shown.Steps, v.Calls, v.Failed, v.Effective, shown.Usage.Input, shown.Usage.Output, shown.Cost, v.URL)
	if len(shown.Refused) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d attempts to leave the allowed origins were refused, the first to %s\n", v.Refused, printable(shown.Refused[0].URL))
	}
	if err != nil {
		return err
	}
	if !shown.Success {
		return &verdictError{codeFail}
	}
	return nil
}
