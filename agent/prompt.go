package agent

import (
	_ "embed"
	"strings"

	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/internal/variable"
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
	return variable.Line(a.opts.Variables, a.opts.Descriptions)
}
