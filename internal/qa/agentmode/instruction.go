package agentmode

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/metadata"
)

//go:embed instruction.md
var instruction string

// Instruction is what an agent is told to do with a game: what its author says
// of it, as far as anything was said.
func Instruction(m *metadata.Metadata) string {
	var b strings.Builder
	if m != nil {
		field := func(name, value string) {
			if value = strings.TrimSpace(value); value != "" {
				fmt.Fprintf(&b, "%s: %s\n", name, value)
			}
		}
		field("Title", m.Title)
		field("Genre", m.Genre)
		field("What it is", m.Description)
		field("Objectives", strings.Join(strings.Fields(strings.ReplaceAll(m.Objectives, "\n", "; ")), " "))
		field("Controls", controls(m))
		field("On the screen", strings.Join(m.UIElements, ", "))
		if s := m.TestingStrategy; s != nil {
			field("What the author wants tested", s.Instructions)
		}
	}
	if b.Len() == 0 {
		b.WriteString("Nothing is known about it; find out how it is played.\n")
	}
	return strings.TrimSpace(strings.Replace(instruction, "{{game}}", "What its author says about it:\n"+b.String(), 1))
}

// controls are the bindings in a line, critical ones marked.
func controls(m *metadata.Metadata) string {
	var list []string
	for _, b := range m.Bindings() {
		text := b.Name
		switch {
		case len(b.Directions) > 0:
			var ways []string
			for _, d := range b.Directions {
				ways = append(ways, d.Name+" "+strings.Join(d.Keys, " or "))
			}
			text += " (" + strings.Join(ways, ", ") + ")"
		case len(b.Keys) > 0:
			text += " (" + strings.Join(b.Keys, " or ") + ")"
		case b.Pointer:
			text += " (mouse)"
		case b.AnyKey:
			text += " (any key)"
		case b.Gamepad:
			text += " (gamepad, not here)"
		}
		if b.Hold {
			text += ", held down"
		}
		if b.Critical {
			text += ", important"
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return m.ExpectedControls
	}
	return strings.Join(list, "; ")
}
