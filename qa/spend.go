package qa

import (
	"time"

	"playtest"
	"playtest/agent/computer"
	"playtest/model"
	"playtest/qa/evaluate"
)

// ledger is the book of what the run's models cost, nil when there is none.
func (o *Options) ledger() *model.Ledger {
	m := o.Model
	if m == nil && o.Computer != nil {
		m = o.Computer.Model()
	}
	if run, ok := m.(*model.Run); ok && run != nil {
		return run.Ledger()
	}
	return nil
}

// spent sums up what models were paid for since the run began. It is in the
// record because a record can be judged long after its ledger is gone.
func (r *run) spent() *playtest.Spending {
	ledger := r.opts.ledger()
	if ledger == nil {
		return nil
	}
	var s playtest.Spending
	cost := model.Cost{Known: true}
	for _, e := range ledger.Entries()[r.before:] {
		s.Calls++
		s.Tokens += e.Usage.Total()
		if e.Purpose == "decision" || e.Purpose == computer.Purpose {
			s.VisionTokens += e.Usage.Total()
		}
		cost = cost.Add(e.Cost)
		if !e.Cost.Known {
			s.Unpriced++
		}
	}
	if s.Calls == 0 {
		return nil
	}
	s.Cost = cost.Amount.Dollars()
	return &s
}

// Measured judges a record by measurement alone, with what playing it cost.
func Measured(rec *playtest.Record, now time.Time) *playtest.Report {
	rep := evaluate.Evaluate(rec, now)
	if s := rec.Spent; s != nil {
		rep.Metadata.EstimatedCost += s.Cost
		rep.Metadata.VisionAnalysisTokens += s.VisionTokens
		rep.Metadata.UnpricedCalls += s.Unpriced
	}
	if why := unplayed(rec); why != "" {
		rep.Issues = append(rep.Issues, playtest.Issue{
			Severity: playtest.Major, Evidence: why,
			Description: "The agent could not play the game, and in agent mode nobody takes over. What was measured before it began stands.",
		})
		if rep.Status == playtest.Pass {
			rep.Status, rep.Summary = playtest.VerdictError, "The game could not be judged: the agent that was to play it could not work."
			rep.Help = "playtest doctor --models tries the models that are set up; --mode standard needs none"
		}
	}
	return rep
}

// unplayed says why an agent could not play, "" when it did or was not to.
func unplayed(rec *playtest.Record) string {
	if rec.Target.Mode != playtest.ModeAgent || rec.Interrupted != "" || len(rec.Phases) == 0 {
		return ""
	}
	last := rec.Phases[len(rec.Phases)-1]
	if last.Phase != playtest.PhaseExplore {
		return ""
	}
	return last.Error
}
