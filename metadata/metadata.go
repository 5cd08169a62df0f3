package metadata

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// MaxMetadataBytes is the largest metadata file that is accepted.
const MaxMetadataBytes = 10 << 10

// Metadata is what a game's author says about the game. Every field is
// optional. Controls may be given in two shapes, as lists of keys
// ([Metadata.Controls]) or as actions and axes ([Metadata.InputSchema]);
// [Metadata.Bindings] reads both as one.
type Metadata struct {
	Version     string `json:"metadataVersion,omitempty"`
	Title       string `json:"title,omitempty"`
	Genre       string `json:"genre,omitempty"`
	Description string `json:"description,omitempty"`
	// Objectives say what a player tries to achieve, one a line.
	Objectives string   `json:"objectives,omitempty"`
	UIElements []string `json:"ui_elements,omitempty"`
	// ExpectedControls is prose: "arrow keys to move, space to jump".
	ExpectedControls  string             `json:"expectedControls,omitempty"`
	Controls          *ControlLists      `json:"controls,omitempty"`
	InputSchema       *InputSchema       `json:"inputSchema,omitempty"`
	LoadingIndicators []LoadingIndicator `json:"loadingIndicators,omitempty"`
	SuccessIndicators []SuccessIndicator `json:"successIndicators,omitempty"`
	TestingStrategy   *TestingStrategy   `json:"testingStrategy,omitempty"`
}

// ControlLists name the inputs of a game by purpose.
type ControlLists struct {
	Movement []string `json:"movement,omitempty"`
	Actions  []string `json:"actions,omitempty"`
	Special  []string `json:"special,omitempty"`
}

// The forms that an input schema's content may have.
const (
	// InputProse is a description for people.
	InputProse = "semantic"
	// InputScript is a piece of the game's own code that binds its inputs.
	InputScript = "javascript"
)

// InputSchema describes a game's inputs as actions and axes.
type InputSchema struct {
	// Type says what Content is: InputProse or InputScript.
	Type string `json:"type,omitempty"`
	// Content is read for keys that Actions and Axes do not name.
	Content string        `json:"content,omitempty"`
	Actions []InputAction `json:"actions,omitempty"`
	Axes    []InputAxis   `json:"axes,omitempty"`
}

// InputAction is a named action: it is pressed, held down, released.
type InputAction struct {
	Name string `json:"name"`
	// Keys may be empty: the action is done with the mouse.
	Keys        []string `json:"keys,omitempty"`
	Description string   `json:"description,omitempty"`
}

// InputAxis is a named input with opposite directions.
type InputAxis struct {
	Name        string   `json:"name"`
	Keys        []string `json:"keys,omitempty"`
	Is2D        bool     `json:"is2D,omitempty"`
	Description string   `json:"description,omitempty"`
}

// The kinds of loading indicator with a meaning of their own. Other words are
// accepted: a selector then means an element, a pattern means text.
const (
	LoadingElement = "element"
	LoadingText    = "text"
)

// LoadingIndicator is something that is seen once the game has loaded.
type LoadingIndicator struct {
	Type        string `json:"type"`
	Pattern     string `json:"pattern,omitempty"`
	Selector    string `json:"selector,omitempty"`
	Description string `json:"description,omitempty"`
}

// The kinds of success indicator.
const (
	SuccessScoreChange    = "score_change"
	SuccessAnimation      = "animation"
	SuccessElementVisible = "element_visible"
	SuccessInteraction    = "interaction_response"
)

var successTypes = []string{SuccessScoreChange, SuccessAnimation, SuccessElementVisible, SuccessInteraction}

// SuccessIndicator is something that is seen when the game works.
type SuccessIndicator struct {
	Type        string `json:"type"`
	Selector    string `json:"selector,omitempty"`
	Pattern     string `json:"pattern,omitempty"`
	Description string `json:"description,omitempty"`
}

// TestingStrategy says how the author would test the game.
type TestingStrategy struct {
	// WaitBeforeInteraction and InteractionDuration are milliseconds; zero
	// leaves the choice to the run.
	WaitBeforeInteraction int      `json:"waitBeforeInteraction,omitempty"`
	InteractionDuration   int      `json:"interactionDuration,omitempty"`
	CriticalActions       []string `json:"criticalActions,omitempty"`
	CriticalAxes          []string `json:"criticalAxes,omitempty"`
	// Instructions are for a model that plays.
	Instructions string `json:"instructions,omitempty"`
}

// Wait is how long to leave the game alone once it is ready. Zero means that
// the metadata does not say. Safe on a nil Metadata.
func (m *Metadata) Wait() time.Duration {
	if m == nil || m.TestingStrategy == nil {
		return 0
	}
	return time.Duration(m.TestingStrategy.WaitBeforeInteraction) * time.Millisecond
}

// PlayFor is how long to play. Zero means that the metadata does not say.
// Safe on a nil Metadata.
func (m *Metadata) PlayFor() time.Duration {
	if m == nil || m.TestingStrategy == nil {
		return 0
	}
	return time.Duration(m.TestingStrategy.InteractionDuration) * time.Millisecond
}

// Parse reads metadata from JSON or YAML. Everything that is wrong with
// it is reported at once, as a [*Error].
func Parse(data []byte) (*Metadata, error) {
	if len(data) > MaxMetadataBytes {
		return nil, &Error{Problems: []Problem{{
			Message: fmt.Sprintf("is %d bytes long; at most %d are accepted", len(data), MaxMetadataBytes),
		}}}
	}
	root, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	return decodeMetadata(root)
}

// UnmarshalJSON applies the rules of Parse, except for the limit on
// size, to metadata inside other JSON.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	root, err := parseJSONTree(data)
	if err != nil {
		return err
	}
	if root.kind == nullNode {
		return nil
	}
	parsed, err := decodeMetadata(root)
	if err != nil {
		return err
	}
	*m = *parsed
	return nil
}

var _ json.Unmarshaler = (*Metadata)(nil)

// Error lists what is wrong with a metadata file.
type Error struct {
	Problems []Problem
}

// Problem is one mistake and where it is.
type Problem struct {
	// Path of the field, "inputSchema.actions[0].keys"; empty for the file as a whole.
	Path string
	// Line in the file, counted from 1; 0 when it is not known.
	Line    int
	Message string
	// Nearest is the known name that was probably meant.
	Nearest string
}

// String returns the problem as one sentence.
func (p Problem) String() string {
	var b strings.Builder
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Nearest)
	}
	if p.Line > 0 {
		fmt.Fprintf(&b, " (line %d)", p.Line)
	}
	return b.String()
}

// Error returns all problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = "metadata: " + p.String()
	}
	return strings.Join(lines, "\n")
}

// Validate holds metadata that was put together in Go against the rules that
// [Parse] has for files: sizes, durations, kinds and names. Safe on nil.
func (m *Metadata) Validate() error {
	if m == nil {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = Parse(data)
	return err
}
