//go:build !slim && !nomodels

package provider

import (
	"github.com/playtest-dev/playtest/model/provider"
	"github.com/playtest-dev/playtest/model/provider/clouds"
)

// openers are for models on clouds, which bring those clouds' SDKs. Built with the
// tag slim there are none: docs/releasing.md has the sizes.
func openers() map[provider.API]provider.Opener { return clouds.Openers() }
