// Package agentmode plays a game by handing its page to an agent: the third way
// of a run, beside standard and adaptive.
//
// The agent plays; it does not judge. What it did becomes actions and decisions
// of the record, and the verdict is reached by measurement as in the other modes.
// There is no falling back: an agent that could not work is an error.
package agentmode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// Limits of a run in agent mode.
const (
	Steps = 25
	Time  = 240 * time.Second
)

// Options tune Play.
type Options struct {
	// Limits are Steps and Time unless given.
	agent.Limits
	// Start is the game's address, the page's own if empty.
	Start string
	// Origins may be visited besides the game's.
	Origins []string
	Probe   *probe.Probe
	// Tools are offered beside the agent's own, such as those of MCP servers.
	Tools []tool.Tool
	// Before is called when an input is about to be sent, with whether it is one of
	// keys, After when a turn is over and before Picture. Either may be nil.
	Before func(ctx context.Context, input string, keyed bool)
	After  func(ctx context.Context)
	// Picture keeps a picture of the page when a turn is over and returns its path,
	// "" when there is none. Nil keeps none.
	Picture func(ctx context.Context, note string) string
	// OnAction and OnDecision are told of a turn when it is over, for evidence and
	// progress. They must not block.
	OnAction   func(record.Action)
	OnDecision func(record.Decision)
}

// Played is what an agent did with a game.
type Played struct {
	Actions   []record.Action
	Decisions []record.Decision
	// Result is the agent's own, with what it claims and what it cost.
	Result *agent.Result

	told int // of the result's actions
}

// Verdict is the agent's own account, for the record.
func (p *Played) Verdict() *record.AgentVerdict {
	r := p.Result
	return &record.AgentVerdict{
		Success: r.Success, Message: strings.TrimSpace(r.Message), Stop: string(r.Stop), Steps: r.Steps,
		Actions: len(p.Actions), Effective: r.Verified.Effective,
	}
}

// Play has the tool-calling agent play the game on a page. What was done before
// an error is in Played all the same.
func Play(ctx context.Context, page *browser.Page, m model.Model, meta *metadata.Metadata, opts *Options) (*Played, error) {
	o, played := begin(opts)
	a, err := agent.New(ctx, page, m, &agent.Options{
		Limits: o.Limits, Game: true, Start: o.Start, Origins: o.Origins, Probe: o.Probe, Tools: o.Tools, Approve: o.before,
		AfterStep: func(ctx context.Context, s agent.Step) error {
			played.turn(ctx, o, s)
			return nil
		},
	})
	if err != nil {
		return played, fmt.Errorf("agent mode: %w", err)
	}
	played.Result, err = a.Run(ctx, Instruction(meta))
	played.rest(o)
	if err != nil {
		return played, fmt.Errorf("agent mode: %w", err)
	}
	return played, nil
}

// Operate has a computer-use agent play the game on a page. Play's words hold.
func Operate(ctx context.Context, page *browser.Page, driver computer.Driver, meta *metadata.Metadata, opts *Options) (*Played, error) {
	o, played := begin(opts)
	hand := computer.New(driver, page, &computer.Options{
		Limits: o.Limits, Origins: o.Origins, Tools: o.Tools, Approve: o.before,
		AfterStep: func(ctx context.Context, s computer.Step) error {
			played.turn(ctx, o, s.Step)
			return nil
		},
	})
	result, err := hand.Run(ctx, Instruction(meta))
	played.Result = &result.Result
	played.rest(o)
	if err != nil {
		return played, fmt.Errorf("agent mode: %w", err)
	}
	return played, nil
}

func begin(opts *Options) (*Options, *Played) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Steps <= 0 {
		o.Steps = Steps
	}
	if o.Time <= 0 {
		o.Time = Time
	}
	return &o, &Played{Result: &agent.Result{}}
}

// before tells who watches that an input is about to be sent. It approves of all:
// what an agent may do is a matter of its tools and bounds.
func (o *Options) before(ctx context.Context, call agent.Proposed) error {
	kind, acts := kinds[call.Tool]
	if o.Before == nil || !acts && call.Tool != "act" {
		return nil
	}
	switch kind {
	case "wait", "reload", "scroll": // not what a game is played with
		return nil
	}
	o.Before(ctx, inWords(call.Tool, call.Arguments), kind == "keypress" || kind == "hold")
	return nil
}

// turn records a turn that is over: what was done and why, and what the page
// showed then, which goes with the last action of the turn.
func (p *Played) turn(ctx context.Context, o *Options, s agent.Step) {
	p.told += len(s.Actions)
	if o.After != nil {
		o.After(ctx)
	}
	d := Decision(s)
	var did []record.Action
	for _, each := range s.Actions {
		if a, ok := Action(each); ok {
			a.Reasoning = d.Why
			did = append(did, a)
		}
	}
	if o.Picture != nil && len(did) > 0 {
		last := &did[len(did)-1]
		last.Picture = o.Picture(ctx, "after "+last.Kind+" "+last.Target)
	}
	p.action(o, did...)
	p.decision(o, d)
}

// rest records what was done in a turn that was cut short.
func (p *Played) rest(o *Options) {
	for _, each := range p.Result.Actions[min(p.told, len(p.Result.Actions)):] {
		if a, ok := Action(each); ok {
			p.action(o, a)
		}
	}
}

func (p *Played) action(o *Options, did ...record.Action) {
	p.Actions = append(p.Actions, did...)
	for _, a := range did {
		if o.OnAction != nil {
			o.OnAction(a)
		}
	}
}

func (p *Played) decision(o *Options, d record.Decision) {
	p.Decisions = append(p.Decisions, d)
	if o.OnDecision != nil {
		o.OnDecision(d)
	}
}

// kinds are the record's words for what acting tools do.
var kinds = map[string]string{
	"keys": "keypress", "hold": "hold", "drag": "drag", "clickAt": "click", "scroll": "scroll", "wait": "wait",
	"goto": "reload", "navback": "reload", "fillForm": "type",
	// What computer-use agents do.
	"click": "click", "down": "click", "up": "click", "keypress": "keypress", "keydown": "keypress", "keyup": "keypress",
	"type": "type", "fill": "type", "move": "hover", "scrollto": "scroll", "back": "reload", "forward": "reload", "reload": "reload",
}

// methods are the record's words for what act did.
var methods = map[string]string{
	"click": "click", "doubleClick": "click", "rightClick": "click", "check": "click", "uncheck": "click", "hover": "hover",
	"type": "type", "fill": "type", "press": "keypress", "selectOptionFromDropdown": "click",
	"scrollTo": "scroll", "nextChunk": "scroll", "prevChunk": "scroll", "dragAndDrop": "drag",
}

// Action is a call of a tool as a run records it, false for a call that only
// looked or thought.
func Action(a agent.Action) (record.Action, bool) {
	kind, acts := kinds[a.Tool]
	if a.Tool == "act" {
		kind, acts = "click", true
		if len(a.Performed) > 0 {
			kind = methods[a.Performed[0].Method]
		}
	}
	if !acts {
		return record.Action{}, false
	}
	out := record.Action{
		Time: a.Time, Phase: record.PhaseExplore, Kind: kind, Target: target(a.Tool, a.Arguments),
		At: spots(a), Success: a.Error == "", Took: a.Took, Error: a.Error, URL: a.PageURL,
	}
	switch {
	case a.Changed:
		out.Effect = "elements changed"
	case a.Painted:
		out.Effect = "the picture changed"
	}
	return out, true
}

// called are the arguments of calls that can be told in words. Those of a computer's
// actions have a kind, which is also what the tool is called.
type called struct {
	Kind         computer.Kind
	X, Y         *float64
	At           *computer.Point
	Path         []computer.Point
	Keys         []string
	Milliseconds int
	Action       string
	Text         string
}

// target is what a call is about in words: where, which keys, or what was asked for.
// Calls that have other arguments are told as they were made.
func target(tool string, arguments json.RawMessage) string {
	var in called
	if err := json.Unmarshal(arguments, &in); err != nil {
		return string(arguments)
	}
	switch {
	case string(in.Kind) == tool:
		var act computer.Action
		if err := json.Unmarshal(arguments, &act); err != nil {
			return string(arguments)
		}
		return strings.TrimSpace(strings.TrimPrefix(act.String(), string(act.Kind)))
	case len(in.Path) > 1:
		from, to := in.Path[0], in.Path[len(in.Path)-1]
		return fmt.Sprintf("from %.0f,%.0f to %.0f,%.0f", from.X, from.Y, to.X, to.Y)
	case in.X != nil && in.Y != nil:
		return fmt.Sprintf("at %.0f,%.0f", *in.X, *in.Y)
	case len(in.Keys) > 0:
		return strings.Join(in.Keys, " ")
	case in.Action != "":
		return in.Action
	case in.Text != "":
		return fmt.Sprintf("%q", in.Text)
	case in.Milliseconds > 0:
		return fmt.Sprintf("%d ms", in.Milliseconds)
	}
	if text := string(arguments); text != "{}" {
		return text
	}
	return ""
}

// inWords is a call in words.
func inWords(tool string, arguments json.RawMessage) string {
	return strings.TrimSpace(tool + " " + target(tool, arguments))
}

// spots are where a call had the pointer act; nil where that is not known.
func spots(a agent.Action) []record.Spot {
	var in called
	if err := json.Unmarshal(a.Arguments, &in); err != nil {
		return nil
	}
	places := in.Path
	if in.At != nil {
		places = []computer.Point{*in.At}
	} else if in.X != nil && in.Y != nil {
		places = []computer.Point{{X: *in.X, Y: *in.Y}}
	}
	var out []record.Spot
	for _, p := range places {
		of := p.Space
		if of == computer.CSS && a.Places != nil {
			of = computer.Space{Width: a.Places.Width, Height: a.Places.Height}
		}
		if of.Width <= 0 || of.Height <= 0 {
			return nil
		}
		out = append(out, record.SpotIn(p.X, p.Y, of.Width, of.Height))
	}
	return out
}

// Decision is a turn of an agent as a run records it.
func Decision(s agent.Step) record.Decision {
	var what []string
	at := time.Now()
	noted := ""
	for i, a := range s.Actions {
		if i == 0 {
			at = a.Time
		}
		var in struct {
			Reasoning, Thought string
			TaskComplete       bool
		}
		_ = json.Unmarshal(a.Arguments, &in) // without words in it the call is told as it was made
		words := inWords(a.Tool, a.Arguments)
		switch a.Tool {
		case "close":
			words, noted = "end: the task is not done", in.Reasoning
			if in.TaskComplete {
				words = "end: the task is done"
			}
		case "think":
			words, noted = "think", in.Thought
		}
		what = append(what, words)
	}
	if len(what) == 0 {
		what = []string{"do nothing"}
	}
	why := "the agent gave no reason"
	for _, said := range []string{s.Text, s.Thinking, noted} {
		if said = strings.TrimSpace(said); said != "" {
			why = said
			break
		}
	}
	return record.Decision{Time: at, Phase: record.PhaseExplore, Layer: "agent", What: strings.Join(what, "; "), Why: why}
}
