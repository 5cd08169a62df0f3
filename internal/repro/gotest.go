package repro

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// GoTestName is how the exported Go test is called.
const GoTestName = "repro_test.go"

// GoTest writes a claim as a test in Go that needs the package reprotest of this
// module. It expects of the game what it should do, like Playwright's.
func GoTest(w io.Writer, c *Claim, url string) error {
	want := map[Kind]string{Works: "Changes", Dead: "Changes", Throws: "NoError", Hangs: "Answers"}[c.Kind]
	if want == "" {
		return fmt.Errorf("writing the Go test: nobody can test that an input %q", c.Kind)
	}
	var b bytes.Buffer
	// The tag keeps it out of go test ./... where results lie within a module.
	fmt.Fprintf(&b, `//go:build playtest

// %s
//
// Written by playtest. It passes when the game does what it should:
//
//	GAME_URL=http://localhost:8080/ go test -count=1 %s
package repro_test

import (
	"os"
	"testing"

	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/reprotest"
)

func TestRepro(t *testing.T) {
	url := os.Getenv("GAME_URL")
	if url == "" {
		url = %s
	}
	reprotest.Run(t, url, reprotest.Case{
		Width: %d, Height: %d,
`, report.Plain(c.String()), GoTestName, strconv.QuoteToASCII(url), int(c.Window.Width), int(c.Window.Height))
	if len(c.Prefix) > 0 {
		b.WriteString("Before: []record.Step{\n")
		for _, s := range c.Prefix {
			reseeded := ""
			if s.Reseeded {
				reseeded = ", Reseeded: true"
			}
			fmt.Fprintf(&b, "{Frame: %d, Input: %s%s},\n", s.Frame, literal(s.Input), reseeded)
		}
		b.WriteString("},\n")
	}
	fmt.Fprintf(&b, "Frame: %d,\nInput: %s,\nWant: reprotest.%s,\nChromium: os.Getenv(\"CHROMIUM\"),\n})\n}\n", c.Frame, literal(c.Input), want)
	code, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("writing the Go test: %w", err)
	}
	if _, err := w.Write(code); err != nil {
		return fmt.Errorf("writing the Go test: %w", err)
	}
	return nil
}

// literal is an input as Go writes it. What a game says is quoted, and nothing in it
// can end the string.
func literal(in record.Input) string {
	var b strings.Builder
	text := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, ", %s: %s", name, strconv.QuoteToASCII(value))
		}
	}
	point := func(p record.Point) string {
		return "{X: " + strconv.FormatFloat(p.X, 'f', -1, 64) + ", Y: " + strconv.FormatFloat(p.Y, 'f', -1, 64) + "}"
	}
	fmt.Fprintf(&b, "record.Input{Kind: %s", strconv.QuoteToASCII(string(in.Kind)))
	text("Key", in.Key)
	if in.At != (record.Point{}) {
		b.WriteString(", At: record.Point" + point(in.At))
	}
	if len(in.Path) > 0 {
		b.WriteString(", Path: []record.Point{")
		for i, p := range in.Path {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(point(p))
		}
		b.WriteString("}")
	}
	text("Text", in.Text)
	text("Label", in.Label)
	text("Selector", in.Selector)
	if in.Held {
		b.WriteString(", Held: true")
	}
	return b.String() + "}"
}
