package model

import (
	"sync"
	"time"
)

// BreakerOptions says when a provider is left alone. Zero values take the
// defaults.
type BreakerOptions struct {
	// Window is how many of a provider's last calls are looked at (10), and
	// Failures how many of them must have failed (5).
	Window   int
	Failures int
	// Cooldown is how long it is left alone at first (30 s). It doubles with
	// every probe that fails, up to MaxCooldown (5 min).
	Cooldown    time.Duration
	MaxCooldown time.Duration
}

func (o BreakerOptions) withDefaults() BreakerOptions {
	if o.Window <= 0 {
		o.Window = 10
	}
	if o.Failures <= 0 {
		o.Failures = 5
	}
	if o.Cooldown <= 0 {
		o.Cooldown = 30 * time.Second
	}
	if o.MaxCooldown <= 0 {
		o.MaxCooldown = 5 * time.Minute
	}
	return o
}

// breaker keeps calls away from a provider that keeps failing.
//
//	closed --failures--> open --cooldown--> half open --probe fails--> open, longer
//	   ^                                        |
//	   +-------------- probe succeeds ----------+
//
// It looks at a window and not at a row of failures, because a provider that
// answers every other time is not healthy either.
type breaker struct {
	opts BreakerOptions

	mu       sync.Mutex
	outcomes []bool // true: failed; the last Window calls
	cooldown time.Duration
	until    time.Time // open until then; zero when closed
	pause    time.Time // the provider asked not to be called before then
	probing  bool
}

func newBreaker(opts BreakerOptions) *breaker {
	opts = opts.withDefaults()
	return &breaker{opts: opts, cooldown: opts.Cooldown}
}

// outcome is what a call says about the provider's health.
type outcome int

const (
	neutral outcome = iota // nothing: refused, canceled, a bad request
	healthy
	ill
)

// allow reports whether a call may be made now; if so, the call must be
// followed by done, with the same probe value.
func (b *breaker) allow(now time.Time) (probe bool, wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.pause) {
		return false, b.pause.Sub(now), false
	}
	if b.until.IsZero() {
		return false, 0, true
	}
	if now.Before(b.until) {
		return false, b.until.Sub(now), false
	}
	if b.probing {
		return false, 0, false
	}
	b.probing = true
	return true, 0, true
}

// done tells how an allowed call went.
func (b *breaker) done(now time.Time, probe bool, o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
		switch o {
		case healthy:
			b.until, b.cooldown, b.outcomes = time.Time{}, b.opts.Cooldown, nil
		case ill:
			b.cooldown = min(2*b.cooldown, b.opts.MaxCooldown)
			b.until = now.Add(b.cooldown)
		}
		return
	}
	// Late answers of calls made before it opened say nothing new.
	if o == neutral || !b.until.IsZero() {
		return
	}
	b.outcomes = append(b.outcomes, o == ill)
	if extra := len(b.outcomes) - b.opts.Window; extra > 0 {
		b.outcomes = b.outcomes[extra:]
	}
	failed := 0
	for _, f := range b.outcomes {
		if f {
			failed++
		}
	}
	if failed >= b.opts.Failures {
		b.until = now.Add(b.cooldown)
	}
}

// leave keeps calls away for as long as the provider asked.
func (b *breaker) leave(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until.After(b.pause) {
		b.pause = until
	}
}
