package opinion_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

var began = time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)

func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

// healthy is the record of a small keyboard game in which everything went well,
// but for one picture that is missing.
func healthy() *record.Record {
	return &record.Record{
		Version: record.RecordVersion, RunID: "run", Target: record.Target{URL: "http://localhost/ridge/", Mode: record.ModeStandard},
		Started: began, Finished: at(14), Environment: record.Environment{WebGL: "SwiftShader", Width: 1280, Height: 720},
		Load: record.LoadRecord{
			Success: true, URL: "http://localhost/ridge/", Status: 200, Title: "Ridge", Kind: "canvas2d", Ready: true, ReadyAfter: time.Second,
			Signals: []record.ReadySignal{{Name: "painting", Held: true}, {Name: "network idle", Held: true}},
		},
		Discover: record.DiscoverRecord{Coverage: true, Controls: []record.Control{
			{ID: "key:ArrowLeft", Type: record.ControlKey, Keys: []string{"ArrowLeft"}, Description: "key left arrow"},
		}},
		Explore: record.ExploreRecord{
			Start: record.StartRecord{Auto: true}, Played: 12 * time.Second,
			Trials: []record.Trial{{
				ControlID: "key:ArrowLeft", Outcome: record.Responsive, Reason: "its code ran and the picture changed because of it",
				Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
				Signals: []record.Signal{{Name: "picture", With: 0.1, P: 0.01, Holds: true}},
			}},
		},
		Health: record.HealthRecord{
			FPS: 58, FailedLoads: []record.FailedLoad{{URL: "http://localhost/ridge/tree.png", Type: "Image", Status: 404, SameSite: true}},
			ConsoleErrors: []record.ErrorGroup{{Text: "tree.png could not be drawn", Count: 2, First: 2 * time.Second}},
		},
		Twins: &record.TwinRecord{
			Opened: true, Repeatable: true, Exhausted: true,
			Observations: []record.Observation{{
				Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "ArrowLeft"}, Offer: "key", Pixels: 120, Later: 90, New: true,
				Repeats: []record.Repeat{{Pixels: 80, New: true}},
			}},
			Modalities: []record.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Presses: 40, Ran: true}},
			Alive:      record.AliveRecord{Seconds: 60, Responds: true},
		},
		Actions: []record.Action{
			{Time: at(3), Phase: record.PhaseExplore, Kind: "keypress", Target: "ArrowLeft", Success: true, Effect: "moved"},
			{Time: at(4), Phase: record.PhaseExplore, Kind: "keypress", Target: "ArrowLeft", Success: true, Effect: "moved"},
			{Time: at(6), Phase: record.PhaseExplore, Kind: "click", Target: "Pause", Success: false, Error: "not there"},
		},
		Screenshots: []record.Screenshot{
			{Stage: record.StageInitialLoad, Path: "screenshots/1-load.png", Time: at(1)},
			{Stage: record.StageAfterInteraction, Path: "screenshots/2-left.png", Time: at(3.5), Note: "after the left arrow"},
			{Stage: "progress", Path: "screenshots/3-same.png", Time: at(4)},
			{Stage: record.StageFinalState, Path: "screenshots/4-end.png", Time: at(13)},
		},
	}
}

// measured is a report of the record as the heuristic evaluator writes it, with
// words of its own so that these tests do not hang on that evaluator's.
func measured(states ...record.CheckState) *record.Report {
	rep := &record.Report{
		Status: record.Pass, Summary: "The game can be played.", Confidence: 0.95, Evaluator: "heuristic", Threshold: 50, Timestamp: at(14),
		Issues: []record.Issue{{Severity: record.Minor, Description: "A resource of type image could not be loaded: tree.png (status 404).", Evidence: "http://localhost/ridge/tree.png"}},
	}
	for i, name := range []record.CheckName{record.GameLoaded, record.ControlsResponsive, record.GameStable} {
		state := record.Proven
		if i < len(states) {
			state = states[i]
		}
		rep.Checks = append(rep.Checks, record.Check{Name: name, State: state, Reason: "It was measured."})
		switch state {
		case record.Proven:
			rep.PlayabilityScore += record.Points[name]
		case record.Disproven:
			rep.Status = record.Fail
		case record.Unknown:
			if rep.Status == record.Pass {
				rep.Status = record.VerdictError
			}
		}
	}
	for i, name := range metadata.MetricNames {
		score := 90
		if rep.Check(map[string]record.CheckName{
			metadata.MetricLoad: record.GameLoaded, metadata.MetricVisual: record.GameLoaded, metadata.MetricControls: record.ControlsResponsive,
			metadata.MetricPlayability: record.ControlsResponsive, metadata.MetricTechnical: record.GameStable,
		}[name]).State == record.Disproven {
			score = 10
		}
		rep.Metrics = append(rep.Metrics, record.Metric{Name: name, Score: score, Weight: []float64{0.15, 0.2, 0.2, 0.3, 0.15}[i], Justification: "It was measured."})
	}
	rep.OverallScore = 90
	return rep
}

// album is the pictures of the record: the third shows what the second does.
func album(t testing.TB) func(context.Context, string) ([]byte, error) {
	files := map[string][]byte{
		"screenshots/1-load.png": drawing(t, 0), "screenshots/2-left.png": drawing(t, 60),
		"screenshots/3-same.png": drawing(t, 60), "screenshots/4-end.png": drawing(t, 200),
	}
	return func(_ context.Context, path string) ([]byte, error) {
		if data, ok := files[path]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}
}

// drawing is a figure on a ground, x pixels from the left.
func drawing(t testing.TB, x int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{40, 60, 90, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(x, 90, x+40, 180), image.NewUniform(color.RGBA{240, 200, 60, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type mark struct {
	Score         int    `json:"score"`
	Justification string `json:"justification"`
}

type issue struct {
	Severity    string   `json:"severity"`
	Description string   `json:"description"`
	Evidence    []string `json:"evidence"`
}

// said is a model's reply.
type said struct {
	Reasoning          string          `json:"reasoning"`
	GameLoaded         string          `json:"gameLoaded"`
	ControlsResponsive string          `json:"controlsResponsive"`
	GameStable         string          `json:"gameStable"`
	Metrics            map[string]mark `json:"metrics,omitempty"`
	Issues             []issue         `json:"issues"`
}

func (s said) String() string {
	if s.Issues == nil {
		s.Issues = []issue{}
	}
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// marks are the five, all alike but for those given.
func marks(all int, but map[string]mark) map[string]mark {
	out := map[string]mark{}
	for _, name := range metadata.MetricNames {
		out[name] = mark{all, "It looks right in P1. It still does in P2. Nothing is cut off. A fourth sentence."}
	}
	for name, m := range but {
		out[name] = m
	}
	return out
}

// fails is a model that never answers.
func fails(kind error) *modeltest.Fake {
	return modeltest.NewFake("test/fails", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return nil, &model.Error{Kind: kind, Model: "test/fails", Message: "the vendor's own words"}
	})
}

// goldenJSON compares a value as JSON with a file.
func goldenJSON(t *testing.T, name string, value any) {
	t.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/"+name+".json.golden", string(data)+"\n")
}
