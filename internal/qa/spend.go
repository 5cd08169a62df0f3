package qa

import (
	"time"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
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
func (r *run) spent() *record.Spending {
	ledger := r.opts.ledger()
	if ledger == nil {
		return nil
	}
	var s record.Spending
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
func Measured(rec *record.Record, now time.Time) *record.Report {
	rep := evaluate.Evaluate(rec, now)
	if s := rec.Spent; s != nil {
		rep.Metadata.EstimatedCost += s.Cost
		rep.Metadata.VisionAnalysisTokens += s.VisionTokens
		rep.Metadata.UnpricedCalls += s.Unpriced
	}
	if why := unplayed(rec); why != "" {
		rep.Issues = append(rep.Issues, record.Issue{
			Severity: record.Major, Evidence: why,
			Description: "The agent could not play the game, and in agent mode nobody takes over. What was measured before it began stands.",
		})
		if rep.Status == record.Pass {
			rep.Status, rep.Summary = record.VerdictError, "The game could not be judged: the agent that was to play it could not work."
			rep.Help = "playtest doctor --models tries the models that are set up; --mode standard needs none"
		}
	}
	return rep
}

// unplayed says why an agent could not play, "" when it did or was not to.
func unplayed(rec *record.Record) string {
	if rec.Target.Mode != record.ModeAgent || rec.Interrupted != "" || len(rec.Phases) == 0 {
		return ""
	}
	last := rec.Phases[len(rec.Phases)-1]
	if last.Phase != record.PhaseExplore {
		return ""
	}
	return last.Error
}
