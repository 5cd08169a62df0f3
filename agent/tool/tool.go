package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// Kind is what calling a tool means for the page.
type Kind string

// The kinds.
const (
	// Acts is a tool that may change something. It is replayed.
	Acts Kind = ""
	// Looks is a tool whose result is an observation: the last ones are kept
	// whole, older ones digested, and there is nothing to replay.
	Looks Kind = "look"
	// Notes is a tool that neither changes nor looks at anything.
	Notes Kind = "note"
)

// Tool is one thing an agent can do.
type Tool struct {
	model.Tool
	Kind Kind
	// Repeats marks a tool that is rightly called again and again with the same
	// arguments, such as pressing a key in a game.
	Repeats bool
	// Foreign marks a tool whose words are not ours: its results are shown to
	// the model as data.
	Foreign bool
	// Timeout is how long a call may take, the agent's default if zero.
	Timeout time.Duration
	// Tokens limits the text of a result, the agent's default if zero.
	Tokens int
	// Call does it. An error is shown to the model, in its own words; the agent
	// goes on. Arguments have been held against the schema.
	Call func(ctx context.Context, args json.RawMessage) (*Outcome, error)
}

// Outcome is what came of a call.
type Outcome struct {
	// Text is what the model is told.
	Text string
	// Data is text that others have written, the page or a server. The model
	// is shown it as data, after Text.
	Data   string
	Images []*model.Image
	// Digest is what is left of the result when it is old; the beginning of
	// Text if empty.
	Digest string
	// Actions are what was done to the page, to be done again without a model.
	Actions []stage.Action
	// Places is what coordinates among the arguments were measured in, where
	// there are any.
	Places *Size
	// Usage and Cost are those of calls to a model that the tool made.
	Usage model.Usage
	Cost  model.Cost
	// Closing ends the agent's work.
	Closing *Closing
}

// Closing is how an agent ends its work.
type Closing struct {
	Reasoning    string `json:"reasoning" jsonschema:"what was done, what was found, and what is missing"`
	TaskComplete bool   `json:"taskComplete" jsonschema:"true only when the whole task has been carried out"`
	// Result is the answer in the shape that was asked for, where one was.
	Result json.RawMessage `json:"-"`
}

// Say is an outcome of plain words.
func Say(text string) *Outcome { return &Outcome{Text: text, Cost: model.Cost{Known: true}} }

// nameRule is what every vendor accepts as a tool's name.
var nameRule = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// New makes a tool of a function. The schema of its arguments is that of In, a
// struct with json and jsonschema tags.
func New[In any](name, description string, call func(ctx context.Context, in In) (*Outcome, error)) (Tool, error) {
	if !nameRule.MatchString(name) {
		return Tool{}, fmt.Errorf("tool %q: a name is up to 64 letters, digits, _ and -", name)
	}
	schema, err := model.SchemaFor[In](name)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	if schema.JSON, err = withoutNull(schema.JSON); err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	t := Tool{Tool: model.Tool{Name: name, Description: strings.TrimSpace(description), Schema: schema.JSON}}
	if _, err := t.Parameters(); err != nil {
		return Tool{}, fmt.Errorf("tool %s: its argument %s is not a struct", name, reflect.TypeFor[In]())
	}
	t.Call = func(ctx context.Context, args json.RawMessage) (*Outcome, error) {
		var in In
		if err := json.Unmarshal(schema.DropNulls(args), &in); err != nil {
			return nil, fmt.Errorf("the arguments of %s do not fit: %w", name, err)
		}
		return call(ctx, in)
	}
	return t, nil
}

// withoutNull is the schema without null as another type of lists and pointers:
// Go would take it, but models should not be offered it, and a list that was
// asked for is not nothing.
func withoutNull(schema json.RawMessage) (json.RawMessage, error) {
	var tree any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return nil, err
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if types, ok := v["type"].([]any); ok && len(types) == 2 && types[0] == "null" {
				v["type"] = types[1]
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(tree)
	return json.Marshal(tree)
}

// must makes the tools of this package.
func must[In any](name, description string, call func(ctx context.Context, in In) (*Outcome, error)) Tool {
	t, err := New(name, description, call)
	if err != nil {
		panic(err) // a mistake of this package
	}
	return t
}
