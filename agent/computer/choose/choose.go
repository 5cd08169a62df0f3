// Package choose picks the driver that speaks a model's language.
package choose

import (
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/anthropic"
	"github.com/playtest-dev/playtest/agent/computer/google"
	"github.com/playtest-dev/playtest/agent/computer/openai"
	"github.com/playtest-dev/playtest/model"
)

// Driver is the driver for a model, by the vendor in its name, with the newest
// tool version that the model is known to take.
func Driver(m model.Model) (computer.Driver, error) {
	if m == nil {
		return nil, fmt.Errorf("choose a driver: %w", model.ErrNoModel)
	}
	vendor, _, _ := strings.Cut(m.Name(), "/")
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
