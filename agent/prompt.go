package agent

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed system.md
var systemText string

//go:embed game.md
var gameText string

//go:embed data.md
var dataText string

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
	return text + "\n\n" + strings.TrimSpace(dataText)
}

func (a *Agent) variables() string {
	if len(a.opts.Variables) == 0 {
		return "none"
	}
	var names []string
	for name := range a.opts.Variables {
		names = append(names, "%"+name+"%")
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
