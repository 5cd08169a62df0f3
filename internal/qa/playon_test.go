package qa

import (
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// Play takes what works in turn, what the metadata declares first, and leaves alone
// what lies beside the game.
func TestTurns(t *testing.T) {
	trial := func(id string, outcome record.Outcome) record.Trial {
		return record.Trial{ControlID: id, Outcome: outcome}
	}
	key := func(code string) record.Control {
		return record.Control{ID: "key:" + code, Type: record.ControlKey, Keys: []string{code}}
	}
	known := func(code string) record.Control {
		c := key(code)
		c.Reaches = []record.CodePlace{{}}
		return c
	}
	rec := &record.Record{
		Target: record.Target{Metadata: &metadata.Metadata{InputSchema: &metadata.InputSchema{Actions: []metadata.InputAction{
			{Name: "Fire", Keys: []string{"KeyF"}}, {Name: "Pause", Keys: []string{"KeyP"}},
		}}}},
		Discover: record.DiscoverRecord{Controls: []record.Control{
			key("ArrowLeft"), key("ArrowUp"), known("KeyD"), known("KeyP"),
			{ID: "click:mute", Type: record.ControlClick, Aside: true, Box: &record.Rect{Width: 20, Height: 20}},
			{ID: "click:board", Type: record.ControlClick, Description: "the board", Box: &record.Rect{Width: 500, Height: 500}},
		}},
		Explore: record.ExploreRecord{Trials: []record.Trial{
			trial("key:ArrowLeft", record.Responsive), trial("key:ArrowUp", record.Unresponsive),
			trial("click:mute", record.Responsive), trial("click:board", record.Responsive),
		}},
	}
	none := func(string) (game.Input, bool) { return game.Input{}, false }
	names := func(plan []turn) (out []string) {
		for _, t := range plan {
			out = append(out, t.name)
		}
		return out
	}
	rect := record.Rect{Width: 640, Height: 480}
	plan := turns(rec, rect, none)
	if got, want := names(plan), []string{"KeyF", "ArrowLeft", "the board", "KeyD"}; !slices.Equal(got, want) {
		t.Errorf("turns %q, want %q", got, want)
	}
	if at := plan[2].inputs; len(at) != 25 || at[0].At == at[1].At {
		t.Errorf("a board is played at %d places", len(at))
	}

	// Where the search played places of the board, those are played.
	rec.Actions = []record.Action{
		{Target: "click a", Reasoning: reasonPlay}, {Target: "click b", Reasoning: reasonPlay}, {Target: "click a", Reasoning: reasonPlay},
		{Target: "click c", Reasoning: "a trial"},
	}
	sent := func(name string) (game.Input, bool) { return game.Input{Kind: game.Click, Label: name}, true }
	if got, want := names(turns(rec, rect, sent)), []string{"KeyF", "click a", "click b", "ArrowLeft", "KeyD"}; !slices.Equal(got, want) {
		t.Errorf("turns %q, want %q", got, want)
	}

	// A game of which nothing works cannot be played.
	rec.Explore.Trials = []record.Trial{trial("click:mute", record.Responsive)}
	if plan := turns(rec, rect, none); plan != nil {
		t.Errorf("turns %q of a game of which nothing works", names(plan))
	}
}

// Play that there was before counts.
func TestPlayBefore(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	seconds, presses := before([]record.Action{
		{Time: at(1), Target: "Space", Reasoning: "a trial", Success: true},
		{Time: at(3), Target: "Space", Reasoning: reasonPlay, Success: true},
		{Time: at(6), Target: "Space", Reasoning: reasonPlay},
		{Time: at(8), Target: "Space", Reasoning: reasonPlay, Success: true, Took: time.Second},
	})
	if seconds != 6 || len(presses) != 1 || presses[0].Count != 2 {
		t.Errorf("%v seconds, %+v", seconds, presses)
	}
}
