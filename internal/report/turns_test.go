package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// modelled is a run whose live page was played by a model.
func modelled(agent *record.AgentVerdict, ended string, decisions []record.Decision, actions []record.Action, shots ...record.Screenshot) (*record.Report, *record.Record) {
	rep, rec := twinned()
	const address = "http://127.0.0.1:1/"
	for i := range actions {
		if actions[i].URL == "" {
			actions[i].URL = address
		}
	}
	first := record.Action{Time: at(5), Kind: "click", Target: "Play", Success: true}
	rec.Actions, rec.Decisions = append([]record.Action{first}, actions...), decisions
	rec.Explore.Agent, rec.Explore.Ended = agent, ended
	rec.Screenshots = append([]record.Screenshot{{Stage: "explored", Path: "screenshots/0.png", Time: at(9), Note: "when its controls were known"}}, shots...)
	rep.Agent, rep.Screenshots, rep.Metadata.ActionHistory = agent, rec.Screenshots, record.Reported(rec.Actions)
	return rep, rec
}

func taken(seconds float64, name string) record.Screenshot {
	return record.Screenshot{Stage: record.StageAfterInteraction, Path: "screenshots/" + name + ".png", Time: at(seconds), Note: "after"}
}

// The turns of a model can be followed on the page: the screen that it saw, with a mark
// where it clicked, what it thought, what it did, and what came of it.
func TestTurnsOfAnAgent(t *testing.T) {
	rep, rec := modelled(&record.AgentVerdict{Success: true, Message: "It is won.", Stop: "closed", Steps: 3, Actions: 2, Effective: 1}, "",
		[]record.Decision{
			{Time: at(8), What: "play", Why: "it is time"}, // of the run, not of the model
			{Time: at(10), Layer: "agent", What: "clickAt at 640,360", Why: "The <door> is in the middle."},
			{Time: at(12), Layer: "agent", What: "drag from 0,0 to 640,180", Why: "And now along the wall."},
			{Time: at(14), Layer: "agent", What: "end: the task is done", Why: "It is won."},
		},
		[]record.Action{
			{Time: at(10), Kind: "click", Target: "at 640,360", Success: true, Effect: "elements changed", Reasoning: "The <door> is in the middle.", Picture: "screenshots/1.png", At: []record.Spot{{X: 0.5, Y: 0.5}}},
			{Time: at(12.1), Kind: "drag", Target: "from 0,0 to 640,180", Error: "it is gone", URL: "http://127.0.0.1:1/inside", Picture: "screenshots/2.png", At: []record.Spot{{}, {X: 0.5, Y: 0.25}}},
		}, taken(11, "1"), taken(13, "2"))
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, nil); err != nil {
		t.Fatal(err)
	}
	turns, rest := section(t, b.String(), "turns")
	story, _ := section(t, rest, "story")
	golden.Check(t, filepath.Join("testdata", "turns.html.golden"), turns)
	for _, want := range []string{
		"3 turns of the agent", "The &lt;door&gt; is in the middle.", `src="screenshots/0.png"`, `<i class="hit" style="left:50.00%;top:50.00%"></i>`,
		"click at 640,360", "elements changed", `d="M0.0000,0.0000 0.5000,0.2500"`, "it could not be done: it is gone", "at http://127.0.0.1:1/inside",
		"end: the task is done",
	} {
		if !strings.Contains(turns, want) {
			t.Errorf("the turns lack %q", want)
		}
	}
	for _, once := range []string{"screenshots/1.png", "screenshots/2.png", "along the wall"} {
		if strings.Contains(story, once) {
			t.Errorf("%q is told outside of the turns, too", once)
		}
	}
	if strings.Contains(turns, "http://127.0.0.1:1/<") || strings.Contains(turns, "it is time") || !strings.Contains(rest, "click Play") || !strings.Contains(rest, "it ended the task itself") {
		t.Errorf("the turns are mixed with the rest:\n%s", turns)
	}
}

// In adaptive play a turn has the answers of all layers that were asked, what a model
// says that it saw, and what was measured against its word.
func TestTurnsOfLayers(t *testing.T) {
	rep, rec := modelled(nil, "all 20 actions are used",
		[]record.Decision{
			{Time: at(10), Layer: "1 heuristic", What: "click at 1,1", Why: "a button", Confidence: 0.6, Threshold: 0.8},
			{Time: at(10.1), Layer: "2 vision", Saw: "A lamp.", What: "click at 640,360", Why: "it is dark", Confidence: 0.9, Threshold: 0.7},
			{Time: at(12), Layer: "1 heuristic", What: "nothing", Why: "it failed: no idea"},
			{Time: at(12.1), Layer: "2 vision", Saw: "Light.", What: "complete", Why: "it is lit", Confidence: 0.95, Threshold: 0.7},
			{Time: at(12.2), Layer: "measured", What: "do not believe it", Why: "nothing that was measured says so"},
			{Time: at(13), Layer: "1 heuristic", What: "press Space", Why: "a key", Confidence: 0.6, Threshold: 0.8},
			{Time: at(13.1), Layer: "heuristic", What: "press Space", Why: "no layer is sure; this is the surest answer: a key", Confidence: 0.6, Threshold: 0.8},
		},
		[]record.Action{
			{Time: at(11), Kind: "click", Target: "at 640,360", Success: true, Effect: "the picture changed because of it", Picture: "screenshots/1.png", At: []record.Spot{{X: 0.5, Y: 0.5}}},
			{Time: at(14), Kind: "keypress", Target: "Space", Success: true, Picture: "screenshots/2.png"},
			{Time: at(14.1), Kind: "keypress", Target: "Space", Success: true, Picture: "screenshots/2.png"},
		}, taken(11.5, "1"), taken(14.5, "2"))
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, nil); err != nil {
		t.Fatal(err)
	}
	turns, _ := section(t, b.String(), "turns")
	parts := strings.Split(turns, "<li class=\"card turn\">")[1:]
	if len(parts) != 3 {
		t.Fatalf("%d turns:\n%s", len(parts), turns)
	}
	for i, want := range [][]string{
		{"A lamp.", "vision, 90 % sure, more than 70 % needed", "“it is dark”", "1 other answer", "“a button”", "the picture changed because of it", "screenshots/0.png"},
		{"Light.", "<strong>complete</strong>", "nothing that was measured says so", "1 other answer", "screenshots/1.png"},
		{"Turn 3", "no layer is sure; this is the surest answer: a key", "keypress Space</strong> ×2", "nothing that was looked at changed", "It ended: all 20 actions are used."},
	} {
		for _, text := range want {
			if !strings.Contains(parts[i], text) {
				t.Errorf("turn %d lacks %q:\n%s", i+1, text, parts[i])
			}
		}
	}
}

// However much a model did and said, and whatever is said to be where the pointer went,
// the page stays readable.
func TestTurnsOfBadEvidence(t *testing.T) {
	nasty := "<script>alert(1)</script>\u202e" + strings.Repeat("word ", 4000)
	var decisions []record.Decision
	var actions []record.Action
	for i := range 500 {
		decisions = append(decisions, record.Decision{Time: at(float64(10 + i)), Layer: "agent", What: nasty, Why: nasty, Saw: nasty})
		actions = append(actions, record.Action{Time: at(float64(10 + i)), Kind: "click", Target: nasty[:40], Effect: nasty, Error: nasty, Picture: "../../etc/passwd", At: []record.Spot{{X: -1e300, Y: 2}, {X: 0.5, Y: 7}}})
	}
	rep, rec := modelled(&record.AgentVerdict{Stop: nasty[:20]}, nasty, decisions, actions)
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, nil); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 300<<10 {
		t.Errorf("the page has %d kB", b.Len()>>10)
	}
	for _, never := range []string{"<script", "passwd", "class=\"hit\"", "\u202e"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the page contains %q", never)
		}
	}
	if !strings.Contains(b.String(), "and 440 more turns") {
		t.Error("the page does not say how many turns it leaves out")
	}
}

// section cuts a section out of a page.
func section(t *testing.T, page, id string) (inside, rest string) {
	t.Helper()
	before, after, ok := strings.Cut(page, `<section aria-labelledby="`+id+`">`)
	if !ok {
		t.Fatalf("the page has no section %s", id)
	}
	inside, after, _ = strings.Cut(after, "</section>")
	return inside, before + after
}
