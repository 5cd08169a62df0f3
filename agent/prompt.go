package agent

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/agent/fence"
)

//go:embed system.md
var systemText string

//go:embed game.md
var gameText string

// system is what the model is told before anything else. Whoever writes their
// own still gets the rules about data.
func (a *Agent) system() string {
	text := a.opts.System
	if text == "" {
		game := ""
		if a.opts.Game {
			game = gameText
		}
		text = strings.NewReplacer("{{game}}", game, "{{origins}}", a.bounds.String(), "{{variables}}", a.variables()).Replace(systemText)
	}
	text = strings.TrimSpace(text)
	if more := strings.TrimSpace(a.opts.Instructions); more != "" {
		text += "\n\n" + more
	}
	return text + "\n\n" + fence.Rule()
}

func (a *Agent) variables() string {
	if len(a.opts.Variables) == 0 {
		return "none"
	}
	var names []string
	for name := range a.opts.Variables {
		shown := "%" + name + "%"
		if what := line(a.opts.Descriptions[name], 120); what != "" {
			shown += " (" + what + ")"
		}
		names = append(names, shown)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
