package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/stage"
)

//go:embed act.md
var actText string

type actArgs struct {
	Action string `json:"action" jsonschema:"one action in plain words, such as: click the Start button"`
}

func (k *Kit) act() Tool {
	return must("act", actText, func(ctx context.Context, in actArgs) (*Outcome, error) {
		acted, err := k.Stage.Act(ctx, in.Action, &stage.ActOptions{Variables: k.Variables, Files: k.Files})
		out := spent(told(acted.Actions), acted.Meta)
		out.Actions = acted.Actions
		return out, err
	})
}

// told says what was done, in the words of the methods.
func told(actions []stage.Action) string {
	if len(actions) == 0 {
		return "Nothing was done."
	}
	parts := make([]string, len(actions))
	for i, a := range actions {
		parts[i] = a.Method
		if a.Method != stage.DragAndDrop && len(a.Arguments) > 0 {
			parts[i] += fmt.Sprintf(" %q", strings.Join(a.Arguments, ", "))
		}
		if a.Role != "" {
			parts[i] += " on " + a.Role
		}
		if a.Name != "" {
			parts[i] += fmt.Sprintf(" %q", shorten(a.Name, 60))
		}
	}
	return "Done: " + strings.Join(parts, ", then ") + "."
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
