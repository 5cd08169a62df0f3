package feed_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/feed"
	"github.com/playtest-dev/playtest/record"
)

func TestFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var got []string
		f := feed.New("run", func(e record.Event) {
			line := fmt.Sprintf("%.0f %s %s: %s", time.Since(began).Seconds(), e.Phase, e.Kind, e.Message)
			if e.RunID != "run" {
				t.Errorf("%s is of run %q", line, e.RunID)
			}
			got = append(got, line)
		})
		say := func(phase, kind, message string) {
			f.Event(record.Event{Time: time.Now(), RunID: "run", Phase: phase, Kind: kind, Message: message})
		}
		say(record.PhaseLoad, record.EventPhase, "opening")
		time.Sleep(3 * time.Second)
		say(record.PhaseDiscover, record.EventPhase, "finding")
		say(record.PhaseDiscover, record.EventControl, "Space: the game answers")
		say(record.PhaseDiscover, record.EventControl, "Space: the game answers")
		rec := &record.Record{Discover: record.DiscoverRecord{Controls: []record.Control{{ID: "a", Description: "Space"}, {ID: "b", Description: "Enter"}, {ID: "c", Description: "Tab"}, {ID: "d"}}}}
		f.Checkpoint(record.PhaseDiscover, rec)
		rec.Explore.Trials = []record.Trial{{ControlID: "a", Outcome: record.Responsive}, {ControlID: "b", Outcome: record.Responsive}, {ControlID: "c", Outcome: record.Unresponsive}}
		f.Checkpoint(record.PhaseExplore, rec)
		f.Checkpoint(record.PhaseEvaluate, rec)
		time.Sleep(9 * time.Second)
		say(record.PhaseDiscover, record.EventProgress, "keys")
		time.Sleep(21 * time.Second)
		say(record.PhaseEvaluate, record.EventPhase, "judging")
		say(record.PhaseEvaluate, record.EventVerdict, "pass")
		time.Sleep(time.Minute)
		f.Close()
		want := []string{
			"0 load phase: opening",
			"3 load phase_ended: load took 3.0 seconds",
			"3 discover phase: finding",
			"3 discover control: Space: the game answers",
			"3 discover controls: discovered 4 controls",
			"3 explore control: Enter: the game answers",
			"12 discover progress: keys",
			"22 discover progress: still at it after 19 seconds: keys",
			"32 discover progress: still at it after 29 seconds: keys",
			"33 discover phase_ended: discover took 30.0 seconds",
			"33 evaluate phase: judging",
			"33 evaluate phase_ended: evaluate took 0.0 seconds",
			"33 evaluate verdict: pass",
		}
		if !slices.Equal(got, want) {
			t.Errorf("told\n%q\nwant\n%q", got, want)
		}
	})
}

// How many controls a search found is told when it ends, and once more when the record
// has others.
func TestDiscovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		f := feed.New("run", func(e record.Event) {
			if e.Kind == record.EventControls {
				got = append(got, fmt.Sprintf("%s: %s (%d)", e.Phase, e.Message, e.Done))
			}
		})
		say := func(phase, kind, message string) {
			f.Event(record.Event{Time: time.Now(), RunID: "run", Phase: phase, Kind: kind, Message: message})
		}
		say(record.PhaseDiscover, record.EventPhase, "finding")
		say(record.PhaseDiscover, record.EventControl, "Space: the game answers")
		f.Checkpoint(record.PhaseDiscover, &record.Record{})
		say(record.PhaseExplore, record.EventPhase, "playing")
		rec := &record.Record{Discover: record.DiscoverRecord{Controls: []record.Control{{ID: "a"}, {ID: "b"}}}}
		f.Checkpoint(record.PhaseExplore, rec)
		f.Checkpoint(record.PhaseEvaluate, rec)
		f.Close()
		if want := []string{"discover: discovered 1 control (1)", "explore: discovered 2 controls (2)"}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}
