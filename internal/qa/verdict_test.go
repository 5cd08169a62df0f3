package qa_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// TestDeadControlsAreCaught plays four kinds of game twice, as they are and
// with their input swallowed: one that animates all the time, a still board,
// one that is only dragged and one that is typed at. They share a browser, as
// runs may. As it is, the still board is played by TestVerdictCanBeFollowed.
func TestDeadControlsAreCaught(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := serve(ctx, t)

	const days = 4
	for i, tt := range []struct {
		kind, game, fault string
	}{
		{"animates all the time", "ridge", "keys-swallowed"},
		{"still board", "noughts", "pointer-swallowed"},
		{"drag only", "marbles", "pointer-swallowed"},
		{"typing", "inkwell", "keys-swallowed"},
	} {
		if tt.game != followed {
			t.Run(tt.kind+", healthy", func(t *testing.T) {
				every(t, days, i)
				t.Parallel()
				_, report := play(ctx, t, b, server.URL(tt.game, 1))
				if report.Status != record.Pass {
					t.Errorf("%s is healthy: %s (%s)", tt.game, report.Status, report.Summary)
				}
			})
		}
		t.Run(tt.kind+", dead", func(t *testing.T) {
			every(t, days, i)
			t.Parallel()
			rec, report := play(ctx, t, b, server.FaultURL(tt.game, fault.ID(tt.fault, 1), 1))
			if report.Status != record.Fail || report.Check(record.ControlsResponsive).State != record.Disproven {
				t.Errorf("%s with %s: %s (%s), trials %+v", tt.game, tt.fault, report.Status, report.Summary, rec.Explore.Trials)
			}
		})
	}
}

// TestGamesThatComeToAStop plays games that answer, or seem to, and are dead all
// the same.
func TestGamesThatComeToAStop(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := serve(ctx, t)

	const days = 4
	for i, tt := range []struct {
		kind, game, fault string
		check             record.CheckName
	}{
		{"only what is held lights up, and no clock goes on", "skyhook", "clock-frozen", record.GameStable},
		{"stopped before the first look", "ridge", "animation-stops", record.GameStable},
		{"stopped, and loaded again it runs for some seconds", "tunnel", "animation-stops", record.GameStable},
		{"a button over the canvas that opens nothing", "harbour", "start-dead", record.ControlsResponsive},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			every(t, days, i)
			t.Parallel()
			rec, report := play(ctx, t, b, server.FaultURL(tt.game, fault.ID(tt.fault, 1), 1))
			if report.Status != record.Fail || report.Check(tt.check).State != record.Disproven {
				t.Errorf("%s with %s: %s (%s), trials %+v", tt.game, tt.fault, report.Status, report.Summary, rec.Explore.Trials)
			}
		})
	}
}

// TestIssuesAreNamed plays a game that can be played though something is wrong with
// it, and the same as it is.
func TestIssuesAreNamed(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := serve(ctx, t)

	for _, tt := range []struct{ game, fault, issue string }{
		{"noughts", "memory-growth", "The memory in use keeps growing"},
		{"noughts", "", ""},
	} {
		if tt.fault == "" && !*everyPage {
			continue
		}
		t.Run(tt.game+" "+tt.fault, func(t *testing.T) {
			t.Parallel()
			url := server.URL(tt.game, 1)
			if tt.fault != "" {
				url = server.FaultURL(tt.game, fault.ID(tt.fault, 1), 1)
			}
			_, report := play(ctx, t, b, url)
			if report.Status != record.Pass {
				t.Errorf("%s (%s), want a game that passes", report.Status, report.Summary)
			}
			named := func(i record.Issue) bool { return strings.HasPrefix(i.Description, tt.issue) }
			if tt.issue != "" && !slices.ContainsFunc(report.Issues, named) || tt.issue == "" && len(report.Issues) > 0 {
				t.Errorf("issues %+v, want %q", report.Issues, tt.issue)
			}
		})
	}
}

// followed is the game whose report is read closely.
const followed = "noughts"

// TestVerdictCanBeFollowed: a report says for each control what it was held
// against and how strong the effect was, and shows it.
func TestVerdictCanBeFollowed(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := serve(ctx, t)
	var events []record.Event
	rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL(followed, 1), Seed: 1}, &qa.Options{Evidence: kept{}, Version: "7.8.9", Emit: func(e record.Event) {
		events = append(events, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if agent := report.Metadata.Environment.UserAgent; !strings.HasSuffix(agent, " playtest/7.8.9") || !strings.Contains(agent, "Chrome/") {
		t.Errorf("pages are told %q", agent)
	}
	if report.Status != record.Pass {
		t.Errorf("%s is healthy: %s (%s)", followed, report.Status, report.Summary)
	}
	for _, stage := range []string{record.StageInitialLoad, record.StageAfterInteraction, record.StageFinalState} {
		found := false
		for _, s := range report.Screenshots {
			found = found || s.Stage == stage
		}
		if !found {
			t.Errorf("no picture of the stage %s", stage)
		}
	}
	if !slices.ContainsFunc(rec.Screenshots, func(s record.Screenshot) bool {
		return slices.ContainsFunc(rec.Twins.Observations, func(o record.Observation) bool {
			return o.After == s.Path && s.Note == "the game with "+o.Input.String()
		})
	}) {
		t.Errorf("no picture says of which input it is: %+v", rec.Screenshots)
	}
	if len(rec.Screenshots) < 5 {
		t.Errorf("%d pictures, want at least 5", len(rec.Screenshots))
	}
	playedInTurn(t, rec, report)
	counted := func(e record.Event) bool {
		return e.Kind == record.EventProgress && e.Total >= int(record.DefaultPlay.Seconds()) && e.Done > 0 && e.Done <= e.Total
	}
	signs := slices.DeleteFunc(events, func(e record.Event) bool { return !counted(e) })
	if len(signs) < 3 {
		t.Errorf("how far play got is told %d times", len(signs))
	}
	followed := false
	for _, c := range report.Controls {
		if c.Trial.Outcome != record.Responsive {
			continue
		}
		followed = c.Trial.NegativeControl != "" && c.Trial.Negatives > 0 && c.Trial.Before != "" && c.Trial.After != "" && len(c.Trial.Signals) > 0
	}
	if !followed {
		t.Errorf("no responsive control with comparison and pictures: %+v", report.Controls)
	}
}

// playedInTurn looks whether a game was played for half a minute, with everything
// that works about as often as the rest, and with a picture for every ten seconds.
func playedInTurn(t *testing.T, rec *record.Record, report *record.Report) {
	t.Helper()
	p := report.Play
	if p == nil || p.Seconds < record.DefaultPlay.Seconds() || p.Presses < 30 || p.States < 1 || len(p.Controls) < 3 {
		t.Fatalf("it was played like this: %+v", p)
	}
	for _, c := range p.Controls {
		if share := p.Presses / len(p.Controls); c.Count < share/3 {
			t.Errorf("%s was pressed %d times of %d", c.Input, c.Count, p.Presses)
		}
	}
	// By the game's own time: a busy machine takes its time.
	shots := slices.DeleteFunc(slices.Clone(rec.Screenshots), func(s record.Screenshot) bool { return s.Stage != "playing" })
	if len(shots) < int(p.Seconds/10) || len(shots) != len(rec.Twins.Alive.Looks) {
		t.Errorf("%d pictures of %v seconds of play with %d looks", len(shots), p.Seconds, len(rec.Twins.Alive.Looks))
	}
	for i, l := range rec.Twins.Alive.Looks {
		if i > 0 && l.Seconds-rec.Twins.Alive.Looks[i-1].Seconds > 11 {
			t.Errorf("nobody looked at the game from %v to %v seconds", rec.Twins.Alive.Looks[i-1].Seconds, l.Seconds)
		}
	}
}

// serve serves the bundled games, with any fault, until the test ends.
func serve(ctx context.Context, t *testing.T) *games.Server {
	t.Helper()
	var faults fault.Switch
	server, err := games.Serve(ctx, &games.ServeOptions{Apply: faults.Apply})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// brief is how long games are played whose play is not what a test is about.
const brief = time.Second

type kept struct{}

func (kept) Picture(name string, _ []byte) (string, error) { return name, nil }
func (kept) File(string, []byte) error                     { return nil }

func play(ctx context.Context, t *testing.T, b *browser.Browser, url string) (*record.Record, *record.Report) {
	t.Helper()
	rec, report, err := qa.Run(ctx, b, record.Target{URL: url, Seed: 1, MaxDuration: 3 * time.Minute, Play: brief}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec, report
}
