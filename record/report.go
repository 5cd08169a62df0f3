package record

import (
	"math"
	"time"

	"github.com/playtest-dev/playtest/metadata"
)

// Verdict is the outcome of a run.
type Verdict string

// The verdicts. VerdictError means that the game could not be judged.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	VerdictError Verdict = "error"
)

// Who judges: measurement alone, or a model beside it that is sent what was measured,
// or the pictures too.
const (
	EvaluatorHeuristic = "heuristic"
	EvaluatorData      = "data"
	EvaluatorVision    = "vision"
)

// Evaluators are all of them, the usual one first.
var Evaluators = []string{EvaluatorHeuristic, EvaluatorData, EvaluatorVision}

// CheckName names one of the three checks.
type CheckName string

// The checks, in the order of reports.
const (
	GameLoaded         CheckName = "gameLoaded"
	ControlsResponsive CheckName = "controlsResponsive"
	GameStable         CheckName = "gameStable"
)

// Points are what a check adds to the playability score when it is proven.
var Points = map[CheckName]int{GameLoaded: 30, ControlsResponsive: 40, GameStable: 30}

// CheckState is what is known of a check.
type CheckState string

// The states of a check.
const (
	Proven    CheckState = "true"
	Disproven CheckState = "false"
	Unknown   CheckState = "undecided"
)

// Check is a yes/no question about the game, with what was measured to answer it.
type Check struct {
	Name  CheckName  `json:"name"`
	State CheckState `json:"state"`
	// Reason is a sentence for a person.
	Reason string `json:"reason"`
	// Cause is a word for a program when the check is not proven: environment,
	// not_started, unsupported_input, dead_controls, hung, crashed, ...
	Cause string `json:"cause,omitempty"`
	// Confidence says how sure the state is, 0 to 1; 0 when nobody said.
	Confidence float64  `json:"confidence,omitempty"`
	Measured   []Signal `json:"measured,omitempty"`
	Evidence   []string `json:"evidence,omitempty"`
}

// Metric is a score from 0 to 100 with its justification.
type Metric struct {
	Name          string  `json:"name"`
	Score         int     `json:"score"`
	Weight        float64 `json:"weight"`
	Justification string  `json:"justification"`
}

// Overall is the weighted mean of the metrics, to a tenth.
func Overall(metrics []Metric) float64 {
	sum := 0.0
	for _, m := range metrics {
		sum += float64(m.Score) * m.Weight
	}
	return math.Round(sum*10) / 10
}

// Severity of an issue. Rubrics name severities too, so the type is theirs.
type Severity = metadata.Severity

// The severities.
const (
	Critical = metadata.Critical
	Major    = metadata.Major
	Minor    = metadata.Minor
)

// Issue is something a developer may want to mend.
type Issue struct {
	Severity    Severity `json:"severity"`
	Description string   `json:"description"`
	Evidence    string   `json:"evidence,omitempty"`
	// At is when it showed, in seconds since the page was opened; 0 when it
	// belongs to no moment. Time is the same on the clock, or the end of play.
	At   float64   `json:"at,omitempty"`
	Time time.Time `json:"time,omitzero"`
	// By names the model that raised the issue; empty when it was measured.
	By string `json:"by,omitempty"`
}

// ReportVersion is the version of the Report's form. Version 1 had no version
// and gave times in nanoseconds; see [Report.UnmarshalJSON].
const ReportVersion = 2

// Report is the result of a run. Its times are RFC 3339 or seconds.
type Report struct {
	Version          int     `json:"version"`
	Status           Verdict `json:"status"`
	Summary          string  `json:"summary"`
	PlayabilityScore int     `json:"playability_score"`
	OverallScore     float64 `json:"overall_score"`
	// Confidence says how sure the status is, 0 to 1; 0 of a run that is undecided.
	Confidence float64 `json:"confidence"`
	// GameLoaded, ControlsResponsive and GameStable say whether each check is
	// proven. Checks tells a check that is disproven from one that is undecided.
	GameLoaded         bool            `json:"gameLoaded"`
	ControlsResponsive bool            `json:"controlsResponsive"`
	GameStable         bool            `json:"gameStable"`
	Checks             []Check         `json:"checks"`
	Metrics            []Metric        `json:"metrics"`
	Issues             []Issue         `json:"issues"`
	Controls           []ControlResult `json:"controls"`
	// Declared are the actions and axes of the metadata, critical ones first,
	// Indicators its loading and success indicators. None without metadata.
	Declared    []DeclaredResult  `json:"declared,omitempty"`
	Indicators  []IndicatorResult `json:"indicators,omitempty"`
	Screenshots []Screenshot      `json:"screenshots"`
	Video       *Video            `json:"video,omitempty"`
	// Play is how much the game was played once its controls were known, Agent
	// what the agent of the agent mode claims; nil where there was none.
	Play  *Play         `json:"play,omitempty"`
	Agent *AgentVerdict `json:"agent,omitempty"`
	// Achieved is what the play of a model brought about, by measurement.
	Achieved  *Achieved      `json:"achieved,omitempty"`
	Timestamp time.Time      `json:"timestamp"`
	Evaluator string         `json:"evaluator"`
	Threshold int            `json:"threshold"`
	Help      string         `json:"help,omitempty"` // what would help when the game could not be judged
	Opinion   *Opinion       `json:"opinion,omitempty"`
	Metadata  ReportMetadata `json:"metadata"`
}

// ControlResult joins a control with the trial that decided about it.
type ControlResult struct {
	Control Control `json:"control"`
	Trial   Trial   `json:"trial"`
}

// ReportMetadata describes the run behind a report.
type ReportMetadata struct {
	SessionID            string           `json:"sessionId"`
	GameURL              string           `json:"gameUrl"`
	Duration             float64          `json:"duration"` // seconds
	GameType             string           `json:"gameType"`
	Engine               Engine           `json:"engine"`
	Mode                 Mode             `json:"mode"`
	ConsoleErrors        []ConsoleError   `json:"consoleErrors"`
	ActionHistory        []ReportedAction `json:"actionHistory"`
	ActionCount          int              `json:"actionCount"`
	SuccessfulActions    int              `json:"successfulActions"` // that were sent; says nothing of the game
	ActionSuccessRate    float64          `json:"actionSuccessRate"`
	EstimatedCost        float64          `json:"estimatedCost"`           // dollars, for all models of the run
	UnpricedCalls        int              `json:"unpricedCalls,omitempty"` // that are not in EstimatedCost: their price is not known
	VisionAnalysisTokens int              `json:"visionAnalysisTokens"`
	Environment          Environment      `json:"environment"`
	Reach                Reach            `json:"codeReach"`
	Seed                 int64            `json:"seed"`
}

// ConsoleError is an error that the page logged or did not catch, with when it
// first came and how often.
type ConsoleError struct {
	Time time.Time `json:"time,omitzero"`
	// Level is error, or uncaught for an exception that nothing caught.
	Level string `json:"level"`
	Text  string `json:"text"`
	URL   string `json:"url,omitempty"`
	Line  int    `json:"line,omitempty"`
	Count int    `json:"count"`
}

// The levels of a ConsoleError.
const (
	LevelError    = "error"
	LevelUncaught = "uncaught"
)

// ReportedAction is an Action as reports tell it.
type ReportedAction struct {
	Time      time.Time `json:"time"`
	Phase     string    `json:"phase"`
	Kind      string    `json:"kind"`
	Target    string    `json:"target"`
	Success   bool      `json:"success"` // it was sent; says nothing of the game
	Effect    string    `json:"effect,omitempty"`
	Reasoning string    `json:"reasoning,omitempty"`
	URL       string    `json:"url,omitempty"`
	Picture   string    `json:"picture,omitempty"`
	Took      float64   `json:"took"` // seconds
	Error     string    `json:"error,omitempty"`
}

// Reported are the actions of a record as reports tell them.
func Reported(actions []Action) []ReportedAction {
	out := make([]ReportedAction, 0, len(actions))
	for _, a := range actions {
		out = append(out, ReportedAction{
			Time: a.Time, Phase: a.Phase, Kind: a.Kind, Target: a.Target, Success: a.Success, Effect: a.Effect,
			Reasoning: a.Reasoning, URL: a.URL, Picture: a.Picture, Took: Seconds(a.Took), Error: a.Error,
		})
	}
	return out
}

// Seconds is a duration as reports give it, to a millisecond.
func Seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// Play is how much of a game was played after its controls were found.
type Play struct {
	// Seconds of play, of the game's own time where that was stepped.
	Seconds float64 `json:"seconds"`
	// Presses counts the inputs, Controls those of each control.
	Presses  int          `json:"presses"`
	Controls []PressCount `json:"controls"`
	// States counts different pictures that were seen; 0 when nobody counted.
	States int `json:"states,omitempty"`
	// Progress counts the signs that the game got further: a score, a level, a
	// round that ended or began again.
	Progress int `json:"progress"`
}

// Check returns the check of that name.
func (r *Report) Check(name CheckName) Check {
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{Name: name, State: Unknown}
}
