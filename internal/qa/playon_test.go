package qa

import (
	"slices"
	"testing"

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
	rec := &record.Record{
		Target: record.Target{Metadata: &metadata.Metadata{InputSchema: &metadata.InputSchema{Actions: []metadata.InputAction{
			{Name: "Fire", Keys: []string{"KeyF"}}, {Name: "Pause", Keys: []string{"KeyP"}},
		}}}},
		Discover: record.DiscoverRecord{Controls: []record.Control{
			key("ArrowLeft"), key("ArrowUp"),
			{ID: "click:mute", Type: record.ControlClick, Text: "Mute", Box: &record.Rect{Width: 20, Height: 20}},
			{ID: "click:board", Type: record.ControlClick, Description: "the board", Box: &record.Rect{Width: 500, Height: 500}},
		}},
		Explore: record.ExploreRecord{Trials: []record.Trial{
			trial("key:ArrowLeft", record.Responsive), trial("key:ArrowUp", record.Unresponsive),
			trial("click:mute", record.Responsive), trial("click:board", record.Responsive),
		}},
	}
	names := func(plan []turn) (out []string) {
		for _, t := range plan {
			out = append(out, t.name)
		}
		return out
	}
	rect := record.Rect{Width: 640, Height: 480}
	plan := turns(rec, rect)
	if got, want := names(plan), []string{"KeyF", "ArrowLeft", "the board"}; !slices.Equal(got, want) {
		t.Errorf("turns %q, want %q", got, want)
	}
	if at := plan[2].inputs; len(at) != 25 || at[0].At == at[1].At {
		t.Errorf("a board is played at %d places", len(at))
	}

	// A game of which nothing works cannot be played.
	rec.Explore.Trials = []record.Trial{trial("click:mute", record.Responsive)}
	if plan := turns(rec, rect); plan != nil {
		t.Errorf("turns %q of a game of which nothing works", names(plan))
	}
}
