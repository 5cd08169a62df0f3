// Package playtest plays browser games and says whether they are playable.
//
// Give it an address: [Run] opens the game in Chromium, waits until it is ready,
// finds its start and its controls, plays it and watches everything. It ends with
// a [Report]: three checks (it loads, its controls respond, it stays alive), five
// scores, issues with their evidence, and a verdict. It needs no language model.
//
//	rec, report, err := playtest.Run(ctx, playtest.Target{URL: "http://localhost:8080/"}, nil)
//
// The [Record] holds everything that was measured, as plain data. [Judge] judges a
// saved one again, without a browser.
//
// The libraries below are of use on their own: package browser drives a Chromium,
// package stage acts, observes and extracts in plain words, package agent lets a
// model work on a page, package judge asks yes/no questions about pictures.
package playtest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// The words of a run. Package record has the others.
type (
	// Target says which game to play and how.
	Target = record.Target
	// Record is everything that a run measured.
	Record = record.Record
	// Report is the result of a run.
	Report = record.Report
	// Event is a sign of life of a run.
	Event = record.Event
)

// Evidence takes what a run leaves behind, at the moment it exists.
type Evidence interface {
	// Picture stores a PNG and returns its path relative to the results.
	Picture(name string, png []byte) (path string, err error)
	// File stores a log or another text.
	File(name string, data []byte) error
}

// Options of a run. The zero value is fine.
type Options struct {
	// Browser plays the game, in a context of its own. Nil launches a Chromium for
	// this run and closes it afterwards; the game then reaches public addresses and
	// the target's own, and nothing else. With a browser of yours, what it may reach
	// is yours to decide: see [browser.WithProxy].
	Browser *browser.Browser
	// AllowLocal lets the game reach local addresses other than the target's, too.
	AllowLocal bool
	// Evidence may be nil: then nothing is kept but the record.
	Evidence Evidence
	// Emit is told of progress. It must not block.
	Emit func(Event)
}

// Run plays the target and judges it. It returns an error only for a target or a
// browser that cannot be used; whatever goes wrong later is in the report.
// Cancelling the context ends the run early, with a report of what was found so far.
func Run(ctx context.Context, target Target, opts *Options) (*Record, *Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := target.Validate(); err != nil {
		return nil, nil, err
	}
	b := opts.Browser
	if b == nil {
		policy, err := egress.ForTarget(ctx, target.URL, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("the game's address: %w", err)
		}
		policy.Local = opts.AllowLocal
		proxy, err := egress.Listen(policy, &egress.Options{Upstream: http.ProxyFromEnvironment})
		if err != nil {
			return nil, nil, err
		}
		defer proxy.Close()
		launched, err := browser.Launch(ctx, &browser.LaunchOptions{Proxied: true, User: browser.AnyUser, StillImages: true})
		if err != nil {
			return nil, nil, fmt.Errorf("launch a browser: %w", err)
		}
		defer launched.Close()
		b, ctx = launched, browser.WithProxy(ctx, proxy)
	}
	inner := &qa.Options{Emit: opts.Emit, Version: record.Version}
	if opts.Evidence != nil {
		inner.Evidence = opts.Evidence
	}
	return qa.Run(ctx, b, target, inner)
}

// Judge judges a record by what was measured. The same record gives the same report.
func Judge(rec *Record) *Report { return qa.Measured(rec, rec.Finished) }
