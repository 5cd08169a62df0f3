package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// Defaults of Options.
const (
	DefaultSteps       = 10
	DefaultToolTimeout = 45 * time.Second
	// DefaultToolTokens limits the text of one result. Trees have their own.
	DefaultToolTokens = 8_000
)

// Limits end a task. Zero means none, except for Steps.
type Limits struct {
	Steps  int           // model turns, DefaultSteps if zero
	Time   time.Duration // from the start of Run
	Tokens int           // read and made, by the agent and its tools
	Money  model.Money
}

// Options tune an Agent.
type Options struct {
	Limits
	// System replaces our instructions to the model. The rules about data and
	// bounds are told in any case.
	System string
	// Instructions are added to them.
	Instructions string
	// Game adds the tools that games want: hold, drag, clickAt.
	Game bool
	// Search, when set, is offered as the tool search. It is the caller's own
	// way to search the web or anything else; what it finds is shown as data.
	Search func(ctx context.Context, query string) ([]tool.Found, error)
	// Tools are added; there are no others later.
	Tools []tool.Tool
	// Only, when set, names the tools to have. close is always among them.
	Only []string
	// Start is the address that the task begins at, the page's own if empty. A
	// page that has gone elsewhere by itself in the meantime is brought back.
	Start string
	// Origins may be visited besides the start page's; see package bounds.
	Origins []string
	// Variables are put in for %name% after the model has answered.
	Variables map[string]string
	// Descriptions say what variables are, by name. The model is told them.
	Descriptions map[string]string
	// VariableOrigins binds variables to sites: one that is named here is typed
	// only into documents of an origin in its list, frames included. The others may
	// go wherever the agent may; see stage.Options.Origins.
	VariableOrigins map[string][]string
	// Cache, when set, keeps what was done for a task, to be done again without
	// a model when the same task begins on the same page.
	Cache Cache
	// Approve, when set, is asked before each call of a tool is carried out. An
	// error keeps it from being carried out and is told to the model.
	Approve func(ctx context.Context, call Proposed) error
	// BeforeStep and AfterStep are called around each turn of the model. An
	// error ends the task, and Run returns it.
	BeforeStep func(ctx context.Context, n int) error
	AfterStep  func(ctx context.Context, step Step) error
	// Files may be uploaded by the agent, by their names, and no others: neither
	// a model nor a page chooses what leaves the machine.
	Files []string
	// Temperature is 1 unless given; models that refuse one are sent none.
	Temperature *float64
	// ToolTimeout and ToolTokens bound one call where the tool does not.
	ToolTimeout time.Duration
	ToolTokens  int
	// Probe is the probe that was set in the page before it loaded.
	Probe *probe.Probe
	// Check says what speaks against success, when the agent claims it.
	Check func(ctx context.Context, page *browser.Page) error
	// OnAction and OnStep are told what was done as soon as it is. They must not
	// block.
	OnAction func(Action)
	OnStep   func(Step)
	// OnText is told what the model says and thinks while it does. Models that
	// cannot stream say it in one piece.
	OnText func(Said)
}

// Said is a piece of what a model says in a turn.
type Said struct {
	Step     int    `json:"step"`
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
}

// Proposed is a call that a model wants made.
type Proposed struct {
	Step      int             `json:"step"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// PageURL is where the page is.
	PageURL string `json:"pageUrl"`
	// Acts is false for tools that only look or take a note.
	Acts bool `json:"acts"`
}

// Agent works on one page. Its runs are made one at a time.
type Agent struct {
	page  *browser.Page
	stage *stage.Stage
	kit   *tool.Kit
	run   *model.Run
	opts  Options
	tools []tool.Tool // what a model is offered
	// known are these and the ones that only a model with eyes is offered: a
	// recording may name them.
	known []tool.Tool
	caps  model.Capabilities

	mu     sync.Mutex // one run at a time
	bounds *bounds.Bounds
	hung   hung
}

// New makes an agent for a page that is open where the task begins.
func New(ctx context.Context, page *browser.Page, m model.Model, opts *Options) (*Agent, error) {
	a := &Agent{page: page}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Steps <= 0 {
		a.opts.Steps = DefaultSteps
	}
	if a.opts.ToolTimeout <= 0 {
		a.opts.ToolTimeout = DefaultToolTimeout
	}
	if a.opts.ToolTokens <= 0 {
		a.opts.ToolTokens = DefaultToolTokens
	}
	if a.opts.Temperature == nil {
		one := 1.0
		a.opts.Temperature = &one
	}
	if err := stage.CheckVariables(a.opts.Variables); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	var err error
	if a.run, err = purse(m, a.opts.Money); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	if a.opts.Start == "" {
		a.opts.Start = page.URL()
	}
	if a.bounds, err = bounds.New(a.opts.Start, a.opts.Origins...); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	var asked model.Model
	if a.run != nil {
		asked, a.caps = a.run, a.run.Capabilities()
	}
	if a.stage, err = stage.New(ctx, page, asked, &stage.Options{Probe: a.opts.Probe, Origins: a.opts.VariableOrigins}); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	a.kit = &tool.Kit{
		Stage: a.stage, Bounds: a.bounds, Variables: a.opts.Variables, Files: a.opts.Files, Pictures: a.caps.ImageLimits,
		Others: slices.DeleteFunc(page.Context().Pages(), func(p *browser.Page) bool { return p == page }),
	}
	if a.known, err = a.gather(); err != nil {
		return nil, fmt.Errorf("new agent: %w", err)
	}
	a.tools = a.known
	if !a.caps.Images {
		a.tools = blind(a.known)
	}
	return a, nil
}

// purse is the model with the agent's own budget on it. No model is nil: an
// agent without one can still replay.
func purse(m model.Model, money model.Money) (*model.Run, error) {
	run, err := model.Direct(m)
	if errors.Is(err, model.ErrNoModel) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if money > 0 {
		run = run.Within(model.NewBudget(money))
	}
	return run, nil
}

// gather is the toolbox, which does not change from here on.
func (a *Agent) gather() ([]tool.Tool, error) {
	all := a.kit.Page()
	if a.opts.Game {
		all = append(all, a.kit.Game()...)
	}
	if a.opts.Search != nil {
		all = append(all, tool.Search(a.opts.Search))
	}
	all = append(all, a.opts.Tools...)
	for _, name := range a.opts.Only {
		if !slices.ContainsFunc(all, func(t tool.Tool) bool { return t.Name == name }) {
			return nil, fmt.Errorf("there is no tool %q", name)
		}
	}
	var kept []tool.Tool
	for _, t := range all {
		switch {
		case t.Call == nil:
			return nil, fmt.Errorf("tool %q cannot be called", t.Name)
		case slices.ContainsFunc(kept, func(k tool.Tool) bool { return k.Name == t.Name }):
			return nil, fmt.Errorf("there are two tools named %q", t.Name)
		case len(a.opts.Only) > 0 && t.Name != "close" && !slices.Contains(a.opts.Only, t.Name):
			continue
		}
		if _, err := t.Parameters(); err != nil {
			return nil, err
		}
		kept = append(kept, t)
	}
	return kept, nil
}

// blind is the toolbox of a model that sees no pictures.
func blind(tools []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool { return t.Name == "screenshot" })
}

// Tools names what the agent can do.
func (a *Agent) Tools() []string { return toolNames(a.tools) }

// Page is the page that the agent works on.
func (a *Agent) Page() *browser.Page { return a.page }

// follow goes on in the tab that a tool opened, where the context has tabs, and in
// another one when the tab in front was closed.
func (a *Agent) follow(ctx context.Context) {
	a.kit.Surface(ctx)
	if p := a.stage.Page(); p != a.page && !p.Closed() {
		a.page = p
	}
}

// ErrNoGoal is a task without words.
var ErrNoGoal = errors.New("there is no task")
