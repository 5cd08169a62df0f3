package computer

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/variable"
	"github.com/playtest-dev/playtest/model"
)

//go:embed prompt.md
var prompt string

// Defaults of Options.
const (
	DefaultSteps  = agent.DefaultSteps
	DefaultSettle = 150 * time.Millisecond
)

// Purpose is what the calls are booked under; see model.Request.
const Purpose = "computer"

// Options tune a Computer. The zero value is ten steps on the origin where the
// page is, with nothing but the computer.
type Options struct {
	// Limits end the run. Steps are ten if zero.
	agent.Limits
	// System replaces our own system prompt. The rules about data are told in
	// any case.
	System string
	// Instructions are added to it.
	Instructions string
	// Variables are put in for %name% in what is typed, after the model has
	// answered. Their values are masked in what the model is told and in the
	// result; a picture shows what a field shows. Descriptions say what they
	// are, by name, and the model is told.
	Variables    map[string]string
	Descriptions map[string]string
	// VariableOrigins binds variables to sites: one that is named here is typed
	// only into documents of an origin in its list, frames included. The others may
	// go wherever the page may; see stage.Options.Origins.
	VariableOrigins map[string][]string
	// Approve, when set, is asked before each action and each call of a tool is
	// carried out. An error keeps it from being carried out and is told to the
	// model.
	Approve func(ctx context.Context, call agent.Proposed) error
	// BeforeStep and AfterStep are called around each turn of the model. An
	// error ends the run, and Run returns it.
	BeforeStep func(ctx context.Context, n int) error
	AfterStep  func(ctx context.Context, step Step) error
	// MaxTokens bounds one answer, model.DefaultMaxTokens if zero.
	MaxTokens int
	Effort    model.Effort
	// Tools are offered beside the computer.
	Tools []tool.Tool
	// Start is the address whose origin the page belongs to, the one where it is
	// if empty. Origins may be visited besides; see bounds.New.
	Start   string
	Origins []string
	// Acknowledge is asked about what a vendor's safety system wants confirmed.
	// Without it the run stops there and reports it.
	Acknowledge func(Check) bool
	// History is a conversation to go on from: Result.Messages of a run that
	// ended well.
	History []model.Message
	// Settle is how long the page has for reacting before it is looked at
	// (150 ms).
	Settle time.Duration
	// Check says what speaks against success, when the model claims it.
	Check func(ctx context.Context, page *browser.Page) error
	// OnStep is told of every turn that is over. The run waits for it.
	OnStep func(Step)
}

// Computer is a page in the hands of a model.
type Computer struct {
	driver Driver
	page   *browser.Page
	opts   Options
	// secrets is not changed after New.
	secrets variable.Mask
}

// New puts a page into a driver's hands. Without a driver it can only repeat
// what was done before; see Replay.
func New(driver Driver, page *browser.Page, opts *Options) *Computer {
	c := &Computer{driver: driver, page: page}
	if opts != nil {
		c.opts = *opts
	}
	c.secrets.Add(c.opts.Variables)
	if c.opts.Steps <= 0 {
		c.opts.Steps = DefaultSteps
	}
	if c.opts.Settle <= 0 {
		c.opts.Settle = DefaultSettle
	}
	if c.opts.System == "" {
		c.opts.System = strings.TrimSpace(prompt)
	}
	if more := strings.TrimSpace(c.opts.Instructions); more != "" {
		c.opts.System += "\n\n" + more
	}
	if names := variable.Line(c.opts.Variables, c.opts.Descriptions); names != "" {
		c.opts.System += "\n\nVariables: " + names + ". Type %name% where the value belongs; it is put in for you, and you never see it."
	}
	c.opts.System += "\n\n" + fence.Rule()
	return c
}

// Through is the model behind a gateway, so that retries and prices hold. A run
// of a gateway is there already. A model that cannot use computers is refused.
func Through(m model.Model) (*model.Run, error) {
	if m == nil {
		return nil, fmt.Errorf("computer: %w", model.ErrNoModel)
	}
	if !model.Describe(m).ComputerUse {
		return nil, fmt.Errorf("computer: %w", &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: "it cannot use computers"})
	}
	run, err := model.Direct(m)
	if err != nil {
		return nil, fmt.Errorf("computer: %w", err)
	}
	return run, nil
}
