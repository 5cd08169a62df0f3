//go:build nomodels

package provider

import (
	"fmt"

	"github.com/playtest-dev/playtest/model"
)

// adapt refuses. Built with the tag nomodels a program links no vendor's SDK, which
// is half of the command's size: docs/releasing.md has the numbers.
func adapt(_ Provider, ref model.Ref, _ *model.Traits) (model.Model, error) {
	return nil, fmt.Errorf("model %s: %w: this program was built without models (tag nomodels)", ref, model.ErrUnsupported)
}
