//go:build nomodels

// Package choose picks the driver that speaks a model's language. Built with the tag
// nomodels there is none: drivers are written in the words of the vendors' SDKs.
package choose

import (
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

var errNone = &model.Error{Kind: model.ErrUnsupported, Message: "this program was built without models (tag nomodels)"}

// Driver refuses every model.
func Driver(model.Model) (computer.Driver, error) { return nil, errNone }

// Browser refuses every model.
func Browser(model.Model) (computer.Driver, error) { return nil, errNone }
