//go:build slim || nomodels

package provider

import "github.com/playtest-dev/playtest/model/provider"

func openers() map[provider.API]provider.Opener { return nil }
