package model

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
)

// Options adjusts a gateway. Zero values take the defaults.
type Options struct {
	// Prices is DefaultPrices unless given.
	Prices *Prices
	// Deadlines is how long each provider of the chain may take, retries
	// included, by purpose and then by place in the chain; the last one holds
	// for the places after it. Purposes that are not named take those of "".
	Deadlines map[string][]time.Duration
	// Attempts is how often one provider is asked (2).
	Attempts int
	// InFlight is how many calls to one provider may be under way (8). Calls
	// beyond that wait for their turn.
	InFlight int
	Breaker  BreakerOptions
	// Providers are shared with other gateways of the process; the gateway has its
	// own when nil.
	Providers *Providers
	// Cache, when set, answers repeated requests without a call.
	Cache *Cache
	// AllowUnknownPrice makes calls under a budget even when their price is
	// not known. They then count as nothing against it.
	AllowUnknownPrice bool
	Logger            *slog.Logger
	TracerProvider    trace.TracerProvider
}

// defaultDeadlines: a decision in a running game is worth little after some
// seconds, an agent's turn may think for long, and a turn at a computer waits
// for a minute in all before its last attempt.
var defaultDeadlines = map[string][]time.Duration{
	"":         {60 * time.Second},
	"decision": {5 * time.Second, 10 * time.Second},
	"agent":    {2 * time.Minute},
	"computer": {4 * time.Minute},
}

// Gateway is a chain of models behind one door. What providers share across
// runs is here: health, calls in flight, prices. A [Run] adds what belongs to
// one run: its ledger and its budgets.
type Gateway struct {
	opts   Options
	links  []*link
	prices *Prices
	log    *slog.Logger
	tracer trace.Tracer
}

// link is one place in the chain. Links of the same provider share their
// breaker and their slots.
type link struct {
	model   Model
	caps    Capabilities
	breaker *breaker
	slots   chan struct{}
}

// NewGateway puts the models behind a gateway, the preferred one first.
func NewGateway(chain []Model, opts *Options) (*Gateway, error) {
	if len(chain) == 0 {
		return nil, ErrNoModel
	}
	g := &Gateway{log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		g.opts = *opts
	}
	if g.opts.Attempts <= 0 {
		g.opts.Attempts = 2
	}
	if g.opts.InFlight <= 0 {
		g.opts.InFlight = 8
	}
	if g.opts.Logger != nil {
		g.log = g.opts.Logger
	}
	g.prices = g.opts.Prices
	if g.prices == nil {
		g.prices = DefaultPrices()
	}
	provider := g.opts.TracerProvider
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	g.tracer = provider.Tracer("playtest/model")

	shared := g.opts.Providers
	if shared == nil {
		shared = &Providers{}
	}
	for _, m := range chain {
		vendor, _, ok := strings.Cut(m.Name(), "/")
		if !ok || slices.ContainsFunc(g.links, func(l *link) bool { return l.model.Name() == m.Name() }) {
			return nil, fmt.Errorf("chain: %q is not a vendor/name that appears once", m.Name())
		}
		l := shared.link(vendor, g.opts)
		g.links = append(g.links, &link{model: m, caps: Describe(m), breaker: l.breaker, slots: l.slots})
	}
	return g, nil
}

// Models are the chain's models in order.
func (g *Gateway) Models() []Model {
	models := make([]Model, len(g.links))
	for i, l := range g.links {
		models[i] = l.model
	}
	return models
}

// Price is what is known of a model's price.
func (g *Gateway) Price(name string) (Price, bool) { return g.prices.For(name) }

// deadline is how long the place-th provider may take for a request. Deadlines
// that a user has set hold as they are; ours grow with the bound on the answer,
// because sixteen thousand tokens cannot be written in a minute.
func (g *Gateway) deadline(req *Request, caps Capabilities, place int) time.Duration {
	at := func(times []time.Duration) time.Duration { return times[min(place, len(times)-1)] }
	if times := g.opts.Deadlines[req.Purpose]; len(times) > 0 {
		return at(times)
	}
	if times := defaultDeadlines[req.Purpose]; len(times) > 0 && req.Purpose != "" {
		if urgent[req.Purpose] {
			return at(times)
		}
		return at(times) + writingTime(bounded(req, caps).Limit())
	}
	if times := g.opts.Deadlines[""]; len(times) > 0 {
		return at(times)
	}
	return at(defaultDeadlines[""]) + writingTime(bounded(req, caps).Limit())
}

// RunOptions is what belongs to one run.
type RunOptions struct {
	// Budgets all pay for every call: the run's own, and a batch's, say.
	Budgets []*Budget
	// Ledger is a new one unless given.
	Ledger *Ledger
	// Account, when given, is charged before every call.
	Account Account
}

// Run is the gateway as one run sees it. It is a [Streamer], and safe for use
// by many goroutines.
type Run struct {
	gateway *Gateway
	budgets []*Budget
	ledger  *Ledger
	books   Account // may be nil
}

// Run starts the books of a run.
func (g *Gateway) Run(opts *RunOptions) *Run {
	r := &Run{gateway: g}
	if opts != nil {
		r.budgets, r.ledger, r.books = opts.Budgets, opts.Ledger, opts.Account
	}
	if r.ledger == nil {
		r.ledger = &Ledger{}
	}
	return r
}

// Name is that of the preferred model.
func (r *Run) Name() string { return r.gateway.links[0].model.Name() }

// Capabilities are those of the preferred model.
func (r *Run) Capabilities() Capabilities { return r.gateway.links[0].caps }

// Ledger is the run's book of calls.
func (r *Run) Ledger() *Ledger { return r.ledger }
