package main

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/record"
)

// proof is what it took a standard run to show that a control works.
type proof struct {
	took    time.Duration
	inputs  int
	starts  int // inputs that led to another screen
	verdict record.Verdict
}

// standard has every game played three times by standard runs.
func standard(ctx context.Context, b *browser.Browser, each func(do func(name, url string) error) error) error {
	var all [3]proof
	var judged [3]int
	games := 0
	fmt.Println("| game | verdict | seconds to the first control that works | inputs until then | gestures to start it |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	err := each(func(name, url string) error {
		got, err := threeTimes(ctx, url, func(url string, memory knowledge.Store) (proof, error) { return prove(ctx, b, url, memory) })
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %s | %s | %s |\n", name,
			row(got, func(p proof) string { return string(p.verdict) }),
			row(got, func(p proof) string { return fmt.Sprintf("%.1f", p.took.Seconds()) }),
			row(got, func(p proof) string { return fmt.Sprint(p.inputs) }),
			row(got, func(p proof) string { return fmt.Sprint(p.starts) }))
		games++
		for i, p := range got {
			all[i].took, all[i].inputs, all[i].starts = all[i].took+p.took, all[i].inputs+p.inputs, all[i].starts+p.starts
			if p.verdict == record.Pass {
				judged[i]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Println()
	for i, kind := range kinds {
		fmt.Printf("%s: %d of %d games pass; %.1f s, %d inputs and %d gestures to start them until a control was shown to work\n",
			kind, judged[i], games, all[i].took.Seconds(), all[i].inputs, all[i].starts)
	}
	return nil
}

// prove is one standard run, up to the first control of the game that was shown
// to work; all of it where none was.
func prove(ctx context.Context, b *browser.Browser, url string, memory knowledge.Store) (proof, error) {
	rec, rep, err := qa.Run(ctx, b, record.Target{URL: url, Seed: 1}, &qa.Options{Book: knowledge.Open(memory, nil)})
	if err != nil {
		return proof{}, err
	}
	p := proof{verdict: rep.Status}
	for _, phase := range rec.Phases {
		if phase.Phase == record.PhaseDiscover {
			p.took += phase.Duration
		}
	}
	for _, o := range rec.Twins.Observations {
		if o.Stage != "search" {
			continue
		}
		p.inputs++
		if o.From != o.To {
			p.starts++
		}
	}
	return p, nil
}
