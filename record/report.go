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
	Severity    Severity      `json:"severity"`
	Description string        `json:"description"`
	Evidence    string        `json:"evidence,omitempty"`
	At          time.Duration `json:"at,omitempty"`
	// By names the model that raised the issue; empty when it was measured.
	By string `json:"by,omitempty"`
}

// Report is the result of a run.
type Report struct {
	Status           Verdict         `json:"status"`
	Summary          string          `json:"summary"`
	PlayabilityScore int             `json:"playability_score"`
	OverallScore     float64         `json:"overall_score"`
	Confidence       float64         `json:"confidence"`
	Checks           []Check         `json:"checks"`
	Metrics          []Metric        `json:"metrics"`
	Issues           []Issue         `json:"issues"`
	Controls         []ControlResult `json:"controls"`
	// Declared are the actions and axes of the metadata, critical ones first,
	// Indicators its loading and success indicators. None without metadata.
	Declared    []DeclaredResult  `json:"declared,omitempty"`
	Indicators  []IndicatorResult `json:"indicators,omitempty"`
	Screenshots []Screenshot      `json:"screenshots"`
	Timestamp   time.Time         `json:"timestamp"`
	Evaluator   string            `json:"evaluator"`
	Threshold   int               `json:"threshold"`
	Help        string            `json:"help,omitempty"` // what would help when the game could not be judged
	Opinion     *Opinion          `json:"opinion,omitempty"`
	Metadata    ReportMetadata    `json:"metadata"`
}

// ControlResult joins a control with the trial that decided about it.
type ControlResult struct {
	Control Control `json:"control"`
	Trial   Trial   `json:"trial"`
}

// ReportMetadata describes the run behind a report.
type ReportMetadata struct {
	SessionID            string      `json:"sessionId"`
	GameURL              string      `json:"gameUrl"`
	Duration             float64     `json:"duration"` // seconds
	GameType             string      `json:"gameType"`
	Engine               Engine      `json:"engine"`
	Mode                 Mode        `json:"mode"`
	ConsoleErrors        []string    `json:"consoleErrors"`
	ActionHistory        []Action    `json:"actionHistory"`
	ActionSuccessRate    float64     `json:"actionSuccessRate"`
	EstimatedCost        float64     `json:"estimatedCost"`           // dollars, for all models of the run
	UnpricedCalls        int         `json:"unpricedCalls,omitempty"` // that are not in EstimatedCost: their price is not known
	VisionAnalysisTokens int         `json:"visionAnalysisTokens"`
	Environment          Environment `json:"environment"`
	Reach                Reach       `json:"codeReach"`
	Seed                 int64       `json:"seed"`
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
