package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/model"
)

// models makes one tiny call to each model that is set up. A machine without
// any is fine: everything that needs no model works.
func (d *doctor) models(cmd *cobra.Command, chain string) error {
	cfg, err := config.Load(nil)
	if err != nil {
		return err
	}
	refs := provider.Trial(cfg)
	if chain != "" {
		if refs, err = model.ParseChain(chain); err != nil {
			return usage(cmd, "--model: %v", err)
		}
	}
	if len(refs) == 0 {
		d.lacks("models", "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or see docs/models.md", "no key is set: games are judged without a model")
		return nil
	}
	gateway, err := provider.Chain(cfg, refs, nil)
	if err != nil {
		return err
	}
	for _, c := range gateway.Check(cmd.Context()) {
		if c.Err != nil {
			d.fail(c.Model, "check the key, the model's name and the provider's address", "does not answer: %s", oneLine(c.Err.Error()))
			continue
		}
		price := "price unknown"
		if c.Price != nil {
			price = fmt.Sprintf("$%g in, $%g out per million tokens", c.Price.Input, c.Price.Output)
		}
		d.ok(c.Model, "answered in %s; %s; %s; this call %s", c.Latency.Round(time.Millisecond), abilities(c.Capabilities), price, c.Cost)
	}
	return nil
}

func abilities(c model.Capabilities) string {
	var can []string
	for _, a := range []struct {
		name string
		has  bool
	}{{"images", c.Images}, {"tools", c.Tools}, {"streaming", c.Streaming}, {"computer use", c.ComputerUse}} {
		if a.has {
			can = append(can, a.name)
		}
	}
	return strings.Join(append(can, fmt.Sprintf("structured output: %v", c.Structured)), ", ")
}
