// Package evaluate is phase 4 of a run: it judges a record. It needs nothing
// but the record, so a saved one can be judged again, by other rules, without
// a browser.
package evaluate

import (
	"fmt"
	"math"
	"strings"
	"time"

	verdicts "github.com/playtest-dev/playtest/internal/qa/verdict"
	"github.com/playtest-dev/playtest/record"
)

// Heuristic is the name of the evaluator that needs no model.
const Heuristic = record.EvaluatorHeuristic

// Evaluate judges a record by measurement alone. The same record gives the
// same report, but for the time of judging.
func Evaluate(rec *record.Record, now time.Time) *record.Report {
	rubric := rec.Target.Rubric.Resolved()
	checks := verdicts.Checks(rec)
	f := gather(rec, checks)
	r := &record.Report{
		Timestamp: now, Checks: checks, Evaluator: Heuristic, Threshold: rubric.Threshold,
		Screenshots: rec.Screenshots, Video: rec.Video, Metadata: runMetadata(rec),
	}
	if rec.Interrupted == record.BrowserLost {
		browserLost(r.Checks)
	}
	r.Declared, r.Indicators = declared(f, r.Check(record.ControlsResponsive).State), indicators(rec)
	for _, c := range r.Checks {
		if c.State == record.Proven {
			r.PlayabilityScore += record.Points[c.Name]
		}
	}
	r.Play, r.Agent, r.Achieved = play(f), rec.Explore.Agent, rec.Explore.Achieved
	r.Status = verdict(r.Checks, r.PlayabilityScore, rubric.Threshold)
	r.Issues = issues(f, r)
	r.Metrics = metrics(f, r, rubric)
	r.OverallScore = record.Overall(r.Metrics)
	r.Controls = controlResults(rec)
	r.Summary = summary(f, r)
	if r.Status != record.VerdictError {
		r.Confidence = verdicts.Confidence(checks)
	} else {
		r.Help = help(r.Checks)
	}
	return r
}

// browserLost takes back what speaks against the game: it may have been the
// browser's end that was seen. Nor was the game watched to the end.
func browserLost(checks []record.Check) {
	for i := range checks {
		if checks[i].State != record.Proven || checks[i].Name == record.GameStable {
			checks[i] = record.Check{Name: checks[i].Name, State: record.Unknown, Cause: causeBrowserLost, Reason: "The browser was lost while the game was played."}
		}
	}
}

const causeBrowserLost = "browser_lost"

// verdict applies the rule: a check proven false fails; a pass needs every
// check proven and the score; anything else could not be judged.
func verdict(checks []record.Check, score, threshold int) record.Verdict {
	unknown := false
	for _, c := range checks {
		switch c.State {
		case record.Disproven:
			return record.Fail
		case record.Unknown:
			unknown = true
		}
	}
	switch {
	case unknown:
		return record.VerdictError
	case score < threshold:
		return record.Fail
	}
	return record.Pass
}

func runMetadata(rec *record.Record) record.ReportMetadata {
	m := record.ReportMetadata{
		SessionID: rec.RunID, GameURL: rec.Target.URL, Duration: math.Round(rec.Finished.Sub(rec.Started).Seconds()*10) / 10,
		GameType: rec.Load.Kind, Engine: rec.Load.Engine, Mode: rec.Target.Mode, ActionHistory: record.Reported(rec.Actions), ActionCount: len(rec.Actions),
		Environment: rec.Environment, Reach: rec.Explore.Reach, Seed: rec.Target.Seed,
	}
	if m.Mode == "" {
		m.Mode = record.ModeStandard
	}
	if m.GameType == "" {
		m.GameType = "unknown"
	}
	m.ConsoleErrors = append(consoleErrors(rec, record.LevelError, rec.Health.ConsoleErrors), consoleErrors(rec, record.LevelUncaught, rec.Health.Exceptions)...)
	for _, a := range rec.Actions {
		if a.Success {
			m.SuccessfulActions++
		}
	}
	if m.ActionCount > 0 {
		m.ActionSuccessRate = math.Round(1000*float64(m.SuccessfulActions)/float64(m.ActionCount)) / 1000
	}
	return m
}

func consoleErrors(rec *record.Record, level string, groups []record.ErrorGroup) []record.ConsoleError {
	out := []record.ConsoleError{}
	for _, e := range groups {
		out = append(out, record.ConsoleError{Time: moment(rec, e.First), Level: level, Text: e.Text, URL: e.URL, Line: e.Line, Count: e.Count})
	}
	return out
}

// moment is the time on the clock of what happened so long after the page was
// opened, which its last attempt at loading did first.
func moment(rec *record.Record, after time.Duration) time.Time {
	opened := rec.Started
	for _, p := range rec.Phases {
		if p.Phase == record.PhaseLoad {
			opened = p.Started
		}
	}
	if opened.IsZero() {
		return time.Time{}
	}
	return opened.Add(after)
}

func controlResults(rec *record.Record) []record.ControlResult {
	out := []record.ControlResult{}
	for _, t := range rec.Explore.Trials {
		for _, c := range rec.Discover.Controls {
			if c.ID == t.ControlID {
				out = append(out, record.ControlResult{Control: c, Trial: t})
				break
			}
		}
	}
	return out
}

// summary is the verdict in one sentence.
func summary(f facts, r *record.Report) string {
	switch r.Status {
	case record.Pass:
		alive := fmt.Sprintf("%.0f seconds", f.played())
		if _, ok := f.playSeconds(); ok {
			alive += " of play"
		}
		return fmt.Sprintf("The game can be played: it loaded, it answered to %s and stayed alive for %s.", f.answered(), alive)
	case record.Fail:
		for _, c := range r.Checks {
			if c.State == record.Disproven {
				return "The game cannot be played: " + lowerFirst(c.Reason)
			}
		}
		return "The game does not reach the score it has to reach."
	}
	for _, c := range r.Checks {
		if c.State == record.Unknown {
			return "The game could not be judged: " + lowerFirst(c.Reason)
		}
	}
	return "The game could not be judged."
}

// played is how many seconds of the game were played, of its own time where it
// was stepped, or watched, in records that do not tell them apart.
func (f facts) played() float64 {
	if s, ok := f.playSeconds(); ok {
		return s
	}
	return f.rec.Explore.Played.Seconds()
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// help says what would make a judgement possible.
func help(checks []record.Check) string {
	for _, c := range checks {
		if c.State != record.Unknown {
			continue
		}
		switch c.Cause {
		case "offline":
			return "Check the address, and that this machine can reach the network and look up host names."
		case "environment":
			return "Try again on a machine that has what the game needs."
		case "unsupported_input":
			return "The game wants an input that cannot be given here; describe another one in the metadata if it has one."
		case "not_started":
			return "Tell in the metadata how the game is started and controlled, or try the adaptive mode with a model."
		case "still_runs":
			return "If that is the end of a round, let the game say so, or offer another one."
		case causeBrowserLost:
			return "Run it again. If the browser is lost each time, playtest doctor says what is wrong with it; a game that takes all memory ends it, too."
		case "interrupted":
			return "Let the run finish, with a longer --max-duration if need be."
		}
		return "Describe the game's controls in the metadata, or try again with --headed and look."
	}
	return ""
}
