//go:build !nomodels

// Package choose picks the driver that speaks a model's language.
package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/anthropic"
	"github.com/playtest-dev/playtest/agent/computer/google"
	"github.com/playtest-dev/playtest/agent/computer/openai"
	"github.com/playtest-dev/playtest/model"
)

// Driver is the driver for a model, by the tool that it takes and whoever serves
// it: a cloud's name or a proxy's tells nothing. Of several versions it is the
// newest that the model is known to take. A model that does not say is driven in
// the language of the vendor in its name.
func Driver(m model.Model) (computer.Driver, error) {
	if m == nil {
		return nil, fmt.Errorf("choose a driver: %w", model.ErrNoModel)
	}
	vendor, _, _ := strings.Cut(m.Name(), "/")
	if takes := model.Describe(m).Computer; len(takes) > 0 {
		vendor = whose(takes[0])
	}
	switch vendor {
	case "anthropic":
		return anthropic.New(m, nil)
	case "openai":
		return openai.New(m, nil)
	case "google":
		return google.New(m, nil)
	}
	return nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: "computers are used by models of anthropic, openai and google"}
}

// whose is the vendor that a type of computer tool is of.
func whose(kind string) string {
	switch {
	case kind == string(openai.Computer), kind == string(openai.Preview):
		return "openai"
	case kind == "computer_use":
		return "google"
	case strings.HasPrefix(kind, "computer_"):
		return "anthropic"
	}
	return ""
}

// Browser is the driver that works with the elements of a page besides places,
// for models that have such tools. It suits forms and text; what is painted on a
// canvas has no elements.
func Browser(m model.Model) (computer.Driver, error) {
	if m == nil {
		return nil, fmt.Errorf("choose a driver: %w", model.ErrNoModel)
	}
	if !slices.Contains(model.Describe(m).Browser, string(anthropic.Browser20260801)) {
		return nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: "it has no tools for a browser's elements"}
	}
	return anthropic.New(m, &anthropic.Options{Version: anthropic.Browser20260801})
}
