package report_test

import (
	"time"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

var began = time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)

func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

// played is a run of a small platformer with one dead control: every part of a
// report has something in it.
func played() (*record.Report, *record.Record) {
	jump := record.Control{
		ID: "key:Space", Type: record.ControlKey, Keys: []string{"Space"}, Description: "jumps", Confidence: 0.96,
		Sources: []string{"coverage", "listener"},
		Reaches: []record.CodePlace{
			{Function: "emit", URL: "http://127.0.0.1:8080/phaser.min.js", Line: 1, Library: true},
			{Function: "Player.jump", URL: "http://127.0.0.1:8080/ridge/main.js?v=2", Line: 214, Column: 5},
		},
	}
	steer := record.Control{
		ID: "key:ArrowLeft", Type: record.ControlKey, Keys: []string{"ArrowLeft", "KeyA"}, Description: "walks left",
		Confidence: 0.9, Declared: "Move", Critical: true, Sources: []string{"metadata"},
	}
	click := record.Control{ID: "click:canvas", Type: record.ControlClick, Description: "a click on the canvas"}
	pause := record.Control{ID: "click:pause", Type: record.ControlClick, Text: "Pause <b>now</b>", Description: "a button at the top"}
	actions := []record.Action{
		{Time: at(1.5), Phase: record.PhaseExplore, Kind: "click", Target: "Play", Success: true, Effect: "started"},
		{Time: at(3.0), Phase: record.PhaseExplore, Kind: "keypress", Target: "Space", Success: true, Effect: "moved"},
		{Time: at(3.2), Phase: record.PhaseExplore, Kind: "keypress", Target: "Space", Success: true, Effect: "moved"},
		{Time: at(3.4), Phase: record.PhaseExplore, Kind: "keypress", Target: "ArrowLeft", Success: true},
		{Time: at(9.0), Phase: record.PhaseExplore, Kind: "hold", Target: "KeyA", Success: false},
	}
	shots := []record.Screenshot{
		{Stage: record.StageInitialLoad, Path: "screenshots/1-phase1-initial-load.png", Time: at(1)},
		{Stage: record.StageAfterInteraction, Path: "screenshots/2-phase3-jump.png", Time: at(3.3), Note: "after the first jump"},
		{Stage: record.StageFinalState, Path: "screenshots/3-phase3-final.png", Time: at(12)},
	}
	env := record.Environment{
		Playtest: "0.1.0", Browser: "Chromium 156", Width: 1280, Height: 720, WebGL: "SwiftShader", Cores: 2,
	}
	report := &record.Report{
		Status:           record.Fail,
		Summary:          "The game loads and stays alive, but walking left does nothing.",
		PlayabilityScore: 60, OverallScore: 71.25, Confidence: 0.93,
		Checks: []record.Check{
			{Name: record.GameLoaded, State: record.Proven, Reason: "The canvas paints 58 frames a second.",
				Measured: []record.Signal{{Name: "picture", With: 0.82, Without: 0, P: 0.001, Holds: true, Detail: "share of the game's area that is painted"}}},
			{Name: record.ControlsResponsive, State: record.Disproven, Cause: "dead_controls",
				Reason: "One of two controls that the metadata calls critical changes nothing.", Evidence: []string{"screenshots/2-phase3-jump.png"}},
			{Name: record.GameStable, State: record.Unknown, Reason: "It was watched for two seconds only."},
		},
		Metrics: []record.Metric{
			{Name: metadata.MetricLoad, Score: 95, Weight: 15, Justification: "Ready after 0.8 s. Every file arrived."},
			{Name: metadata.MetricControls, Score: 40, Weight: 20, Justification: "Space responds. ← and A do not."},
		},
		Issues: []record.Issue{
			{Severity: record.Minor, Description: "A font is missing.", Evidence: "GET /fonts/pixel.woff2 404"},
			{Severity: record.Critical, Description: "Walking left does nothing.", Evidence: "6 presses of ArrowLeft against 6 of F8", At: 3.4},
			{Severity: record.Major, Description: "Nothing says how to play.", Evidence: "screenshots/1-phase1-initial-load.png", By: "test/<model>"},
		},
		Opinion: &record.Opinion{
			Evaluator: "vision", Model: "test/<model>", Reasoning: "It looks fine to me.",
			Checks:         []record.OpinionCheck{{Name: record.ControlsResponsive, Says: record.Proven, Measured: record.Disproven}},
			Disagreements:  []string{"Asked whether its controls work the model says yes; measured was no."},
			Contradictions: []string{"Asked whether the game loaded the model says yes, and gives load 5 of 100."},
			Dropped:        []record.DroppedIssue{{Description: "It crashes on level <3>.", Why: "it cites no evidence"}},
			Answers: []record.Answer{
				{Question: "Is there a tutorial?", Expected: "YES", Answer: "NO", Reasoning: "None is shown."},
				{Question: "Is text cut off?", Expected: "NO", Answer: "NO", Reasoning: "All is legible.", Met: true},
			},
			Pictures: []string{"screenshots/1-phase1-initial-load.png"}, Tokens: 1200, Latency: 2,
		},
		Controls: []record.ControlResult{
			{Control: jump, Trial: record.Trial{
				ControlID: jump.ID, Outcome: record.Responsive, Reason: "Code ran that runs for no unbound key, and the picture followed.",
				Windows: 4, Negatives: 8, NegativeControl: "F8 and idling", Delivered: 8, Recognised: true, Reacted: true, Visible: true,
				Signals: []record.Signal{
					{Name: "new code", With: 3, Without: 0, P: 0.0002, Holds: true},
					{Name: "tiles", With: 14.5, Without: 6.25, P: 0.03, Holds: true},
					{Name: "document", With: 0, Without: 0, P: 1},
				},
				Before: "screenshots/jump-before.png", After: "screenshots/jump-after.png"}},
			{Control: click, Trial: record.Trial{
				ControlID: click.ID, Outcome: record.Responsive, Reason: "the same seconds played with it and without it differ by 1200 pixels, two without it by 0",
				Windows: 1, Negatives: 2, Signals: []record.Signal{{Name: record.SignalReplay, With: 1200, Holds: true}},
				Before: "screenshots/click-without.png", After: "screenshots/click-with.png"}},
			{Control: steer, Trial: record.Trial{
				ControlID: steer.ID, Outcome: record.Unresponsive, Reason: "Nothing differs from pressing F8.", Windows: 6, Negatives: 6,
				NegativeControl: "F8", Delivered: 12, Threw: "TypeError: dx is undefined"}},
			{Control: pause, Trial: record.Trial{ControlID: pause.ID, Outcome: record.Undecided, Before: "../../etc/passwd"}},
		},
		Declared: []record.DeclaredResult{
			{Name: "Move", Kind: metadata.BindAxis, Keys: []string{"ArrowLeft", "KeyA"}, Critical: true, Outcome: record.Unresponsive, Reason: "left (left arrow, A): no code ran for it and nothing changed"},
			{Name: "Climb", Kind: metadata.BindAxis, Keys: []string{"KeyW", "KeyS"}, Outcome: record.Responsive, Reason: "it answers to up (W)", Dead: []string{"down (S)"}},
		},
		Indicators: []record.IndicatorResult{
			{Kind: record.IndicatorLoading, Type: "element", Text: "element #game", Met: true, Detail: "#game was seen"},
			{Kind: record.IndicatorSuccess, Type: metadata.SuccessScoreChange, Text: "the score <rises>", Detail: `it stayed at "0" in 9 looks`},
		},
		Screenshots: shots,
		Play:        &record.Play{Seconds: 12, Presses: 30, Controls: []record.PressCount{{Input: "Space", Count: 30}}, States: 9, Progress: 1},
		Agent:       &record.AgentVerdict{Success: true, Message: "It <works>.", Stop: "closed", Steps: 5, Actions: 3, Effective: 2},
		Timestamp:   at(14), Evaluator: "heuristic", Threshold: 50,
		Metadata: record.ReportMetadata{
			SessionID: "20261114-093000-ridge", GameURL: "http://127.0.0.1:8080/ridge/", Duration: 13.4, GameType: "canvas2d",
			Engine: record.Engine{Name: "Phaser", Version: "3.90"}, Mode: record.ModeStandard,
			ConsoleErrors: []record.ConsoleError{{Level: record.LevelUncaught, Text: "TypeError: dx is undefined", Count: 3}}, ActionHistory: record.Reported(actions), ActionSuccessRate: 0.8, Environment: env,
			Reach: record.Reach{Functions: 88, Executed: 61}, Seed: 7,
		},
	}
	rec := &record.Record{
		Version: record.RecordVersion, RunID: report.Metadata.SessionID,
		Target:  record.Target{URL: report.Metadata.GameURL, Metadata: &metadata.Metadata{Title: "Ridge & <Runner>"}},
		Started: began, Finished: at(14), Environment: env,
		Load:     record.LoadRecord{Success: true, Kind: "canvas2d"},
		Discover: record.DiscoverRecord{Hypothesis: "Walks with the arrow keys, Space jumps."},
		Explore: record.ExploreRecord{Start: record.StartRecord{Needed: true, Started: true, Attempts: []record.StartAttempt{
			{Gesture: `click "Play" at 640,331`, Effect: true}}},
			Achieved: &record.Achieved{By: record.ModeAgent, Turns: 6, Effects: 4, Idle: 9, States: 5, Indicators: 1}},
		Decisions: []record.Decision{
			{Time: at(2), What: "start it", Why: "a button says so"},
			{Time: at(3), Layer: "2 vision", What: "click at 640,331", Why: "<b>the</b> door is open", Confidence: 0.9, Threshold: 0.7},
		},
		Health: record.HealthRecord{Samples: []record.HealthSample{
			{At: time.Second, Changed: 0.1}, {At: 2 * time.Second, Changed: 0.3, Acting: true}, {At: 4 * time.Second, Changed: 0.2}, {At: 6 * time.Second},
		}},
		Actions: actions, Screenshots: shots,
	}
	return report, rec
}

// unopened is a run that never got a page.
func unopened() *record.Report {
	return &record.Report{
		Status: record.VerdictError, Summary: "The game's address could not be opened.", Help: "Check the address.",
		Checks: []record.Check{
			{Name: record.GameLoaded, State: record.Unknown, Reason: "There was no browser."},
			{Name: record.ControlsResponsive, State: record.Unknown, Reason: "There was no page."},
			{Name: record.GameStable, State: record.Unknown, Reason: "There was no page."},
		},
		Timestamp: began,
		Metadata:  record.ReportMetadata{SessionID: "x", GameURL: "http://127.0.0.1:1/", Mode: record.ModeStandard},
	}
}
