package model

import (
	"context"
	"time"
)

// Checked is how a model answered one tiny call.
type Checked struct {
	Model        string        `json:"model"`
	Latency      time.Duration `json:"latency"`
	Version      string        `json:"version,omitempty"`
	Capabilities Capabilities  `json:"capabilities"`
	// Price is nil when it is not known.
	Price *Price `json:"price,omitempty"`
	Cost  Cost   `json:"cost"`
	Err   error  `json:"-"`
}

// checkTokens is more than a word; room for thinking comes on top.
const checkTokens = 64

// Check makes one tiny call to each model, one after the other so that the
// latencies are honest, and reports what came of it. Each call has the
// purpose's usual deadline.
func (g *Gateway) Check(ctx context.Context) []Checked {
	var results []Checked
	for _, l := range g.links {
		alone := *g
		alone.links = []*link{l}
		alone.opts.Cache = nil
		alone.opts.Attempts = 1
		c := Checked{Model: l.model.Name(), Capabilities: l.caps}
		if price, ok := g.prices.For(c.Model); ok {
			c.Price = &price
		}
		resp, err := alone.Run(nil).Generate(ctx, &Request{
			Purpose:   "check",
			Messages:  []Message{UserText("Answer with the single word ready.")},
			MaxTokens: checkTokens,
			Effort:    LowEffort,
		})
		if err != nil {
			c.Err = err
		} else {
			c.Latency, c.Version, c.Cost = resp.Latency, resp.Version, resp.Cost
		}
		results = append(results, c)
	}
	return results
}
