package repro

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"text/template"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

//go:embed playwright.tmpl
var playwrightSource string

var playwright = template.Must(template.New("playwright").Parse(playwrightSource))

// PlaywrightName is how the exported test is called.
const PlaywrightName = "repro.spec.ts"

type exported struct {
	At    int           `json:"at"` // milliseconds of game time
	Input exportedInput `json:"input"`
}

type exportedInput struct {
	Kind     record.InputKind `json:"kind"`
	Key      string           `json:"key,omitempty"`
	X        float64          `json:"x"`
	Y        float64          `json:"y"`
	Path     []record.Point   `json:"path,omitempty"`
	Text     string           `json:"text,omitempty"`
	Selector string           `json:"selector,omitempty"`
}

func export(s record.Step) exported {
	in := s.Input
	return exported{s.Frame * 1000 / twin.FramesPerSecond, exportedInput{in.Kind, in.Key, in.At.X, in.At.Y, in.Path, in.Text, in.Selector}}
}

// Playwright writes a claim as a test in TypeScript that needs Playwright only. It
// expects of the game what it should do: it fails on a game that throws, hangs or
// does nothing.
func Playwright(w io.Writer, c *Claim, url string) error {
	before := []exported{}
	for _, s := range c.Prefix {
		before = append(before, export(s))
	}
	title := map[Kind]string{
		Works: "%s changes the game", Dead: "%s changes the game", Throws: "%s throws no error", Hangs: "the page answers after %s",
	}[c.Kind]
	values := map[string]any{
		"URL": url, "Before": before, "Last": export(record.Step{Frame: c.Frame, Input: c.Input}), "Title": fmt.Sprintf(title, report.Plain(c.Input.String())),
	}
	// What a game says becomes strings of a program: JSON's are JavaScript's.
	for name, v := range values {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("writing the Playwright test: %w", err)
		}
		values[name] = string(text)
	}
	values["Says"], values["File"], values["Kind"] = report.Plain(c.String()), PlaywrightName, string(c.Kind)
	values["Width"], values["Height"] = int(c.Window.Width), int(c.Window.Height)
	if err := playwright.Execute(w, values); err != nil {
		return fmt.Errorf("writing the Playwright test: %w", err)
	}
	return nil
}
