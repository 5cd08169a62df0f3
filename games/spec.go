package games

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// spec is game.json; Game is what the rest of the program sees of it.
type spec struct {
	Title       string    `json:"title"`
	Kind        string    `json:"kind"`
	Engine      string    `json:"engine"`
	Genre       string    `json:"genre"`
	Split       Split     `json:"split"`
	Description string    `json:"description"`
	Seeded      bool      `json:"seeded"`
	Start       Start     `json:"start"`
	Controls    []Control `json:"controls"`
	Awkward     []string  `json:"awkward"`
	Ends        string    `json:"ends"`
}

var (
	kinds        = []string{"dom", "canvas2d", "webgl", "iframe"}
	splits       = []string{string(Development), string(Examination)}
	startTypes   = []string{"auto", "dom-button", "painted-button", "any-key", "key", "double-click", "menus", "link", "click"}
	controlTypes = []string{"key", "click", "drag", "type", "hold", "hover", "touch"}

	keyCode = regexp.MustCompile(`^(Key[A-Z]|Digit[0-9]|Arrow(Left|Right|Up|Down)|Space|Enter|Escape|Backspace|Tab|F[0-9]{1,2}|[A-Z][A-Za-z]+(Left|Right))$`)
)

// Parse reads a game.json. Unknown fields, unknown words and missing parts are errors that name the field.
func Parse(data []byte) (Game, error) {
	var s spec
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Game{}, fmt.Errorf("read description: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Game{}, errors.New("read description: text after the closing brace")
	}
	if err := s.check(); err != nil {
		return Game{}, err
	}
	if s.Engine == "" {
		s.Engine = "vanilla"
	}
	return Game{
		Title: s.Title, Kind: s.Kind, Engine: s.Engine, Genre: s.Genre, Split: s.Split, Description: s.Description,
		Start: s.Start, Controls: s.Controls, Awkward: s.Awkward, Ends: s.Ends, Seeded: s.Seeded,
	}, nil
}

func (s *spec) check() error {
	for _, f := range []struct{ field, value string }{
		{"title", s.Title}, {"genre", s.Genre}, {"description", s.Description},
	} {
		if strings.TrimSpace(f.value) == "" {
			return fmt.Errorf("%s: missing", f.field)
		}
	}
	for _, f := range []struct {
		field, value string
		known        []string
	}{
		{"kind", s.Kind, kinds}, {"split", string(s.Split), splits}, {"start.type", s.Start.Type, startTypes},
	} {
		if err := oneOf(f.field, f.value, f.known); err != nil {
			return err
		}
	}
	if s.Start.Type == "key" && !keyCode.MatchString(s.Start.Target) {
		return fmt.Errorf("start.target: %q is no KeyboardEvent.code", s.Start.Target)
	}
	if (s.Start.Type == "dom-button" || s.Start.Type == "painted-button" || s.Start.Type == "link") && s.Start.Target == "" {
		return errors.New("start.target: missing, it is the text on what is clicked")
	}
	if s.Start.Type == "menus" && len(s.Start.Steps) < 2 {
		return errors.New("start.steps: menus need at least two steps")
	}
	if s.Ends != "" {
		if n, err := strconv.ParseFloat(s.Ends, 64); err != nil || n <= 0 {
			return fmt.Errorf("ends: %q is no number of seconds", s.Ends)
		}
	}
	if len(s.Controls) == 0 {
		return errors.New("controls: missing")
	}
	for i, c := range s.Controls {
		if err := c.check(); err != nil {
			return fmt.Errorf("controls[%d].%w", i, err)
		}
	}
	return nil
}

func (c Control) check() error {
	if err := oneOf("type", c.Type, controlTypes); err != nil {
		return err
	}
	if c.Type == "key" && len(c.Keys) == 0 {
		return errors.New("keys: missing")
	}
	if len(c.Keys) == 0 && c.Target == "" {
		return errors.New("target: missing, there are no keys either")
	}
	if c.Changes == "" {
		return errors.New("changes: missing")
	}
	for _, k := range c.Keys {
		if !keyCode.MatchString(k) {
			return fmt.Errorf("keys: %q is no KeyboardEvent.code", k)
		}
	}
	return nil
}

func oneOf(field, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	if value == "" {
		return fmt.Errorf("%s: missing", field)
	}
	return fmt.Errorf("%s: unknown %q, did you mean %q", field, value, nearest(value, known))
}
