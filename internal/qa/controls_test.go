package qa_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

var everyGame = flag.Bool("controls.all", false, "find the controls of every bundled game, not of a handful")

// everyday is the game of the everyday suite: it is begun by a painted button.
const everyday = "starfall"

// finding is what a run found out about the controls of one game.
type finding struct {
	game                  games.Game
	found, missing, extra []string
	start, pointer        bool
	discovered, started   time.Duration
	startedBy             []string
	status                string
}

// TestControls plays bundled games without telling what their controls are,
// and compares what was found with what their authors wrote down.
func TestControls(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := serve(ctx, t)

	var table []finding
	for _, g := range games.All() {
		if !*everyGame && g.Name != everyday {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL(g.Name, 3), Seed: 1, MaxDuration: 2 * time.Minute, Play: brief}, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := compare(g, rec)
			f.status = strings.TrimSpace(string(report.Status) + " " + rec.Interrupted)
			table = append(table, f)
			// Not all of them need be found before a game is judged; the table says which were.
			if len(f.missing) > 0 && len(f.found) == 0 {
				t.Errorf("no keys found, not %v", f.missing)
			}
			if len(f.extra) > 1 {
				t.Errorf("keys found that the game does not know: %v", f.extra)
			}
			if !f.start {
				t.Errorf("not started (%s): %+v", g.Start.Type, rec.Explore.Start)
			}
			if !f.pointer {
				t.Errorf("no pointer control found")
			}
		})
	}
	if *everyGame || testing.Verbose() {
		printTable(table)
	}
}

// compare holds a record against the game's own description.
func compare(g games.Game, rec *record.Record) finding {
	f := finding{game: g}
	wantsPointer, wantsTyping := false, false
	pointer := false
	want := g.Keys()
	for _, c := range g.Controls {
		wantsPointer = wantsPointer || len(c.Keys) == 0
		wantsTyping = wantsTyping || c.Type == "type"
	}
	letters := false
	for _, c := range rec.Discover.Controls {
		switch {
		case c.Type == record.ControlKey && known(c, rec.Explore.Trials):
			f.found = append(f.found, c.Keys...)
		case c.Type == record.ControlTyping:
			letters = true
			f.found = append(f.found, c.Keys...)
		case c.Type == record.ControlClick, c.Type == record.ControlDrag, c.Type == record.ControlHover, c.Type == record.ControlTouch:
			pointer = true
		}
	}
	slices.Sort(f.found)
	f.found = slices.Compact(f.found)
	isLetter := func(k string) bool { return letters && wantsTyping && len(k) == 4 && strings.HasPrefix(k, "Key") }
	for _, k := range want {
		if !slices.Contains(f.found, k) && !isLetter(k) {
			f.missing = append(f.missing, k)
		}
	}
	for _, k := range f.found {
		// The key that starts the game is known to it, too.
		if !slices.Contains(want, k) && k != g.Start.Target && g.Start.Type != "any-key" {
			f.extra = append(f.extra, k)
		}
	}
	f.pointer = pointer || !wantsPointer
	s := rec.Explore.Start
	// A start that a trial of a control made is a start, too.
	f.start = s.Started || s.Auto && (g.Start.Type == "auto" || answered(rec))
	for _, a := range s.Attempts {
		if a.Effect {
			f.started, f.startedBy = a.After, append(f.startedBy, a.Gesture)
			if len(f.startedBy) >= max(1, len(g.Start.Steps)) {
				break // what comes later starts another round
			}
		}
	}
	for _, p := range rec.Phases {
		if p.Phase == record.PhaseDiscover {
			f.discovered += p.Duration
		}
	}
	return f
}

// answered reports whether some control did.
func answered(rec *record.Record) bool {
	for _, t := range rec.Explore.Trials {
		if t.Outcome == record.Responsive {
			return true
		}
	}
	return false
}

// known tells a key that the game knows from one that was only tried.
func known(c record.Control, trials []record.Trial) bool {
	for _, s := range c.Sources {
		if s != "default" {
			return true
		}
	}
	for _, t := range trials {
		if t.ControlID == c.ID && t.Outcome == record.Responsive {
			return true
		}
	}
	return false
}

func printTable(table []finding) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| game\t| start\t| keys expected\t| found\t| missing\t| extra\t| start ok\t| pointer\t| discover s\t| start s\t| verdict\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, f := range table {
		fmt.Fprintf(w, "| %s\t| %s\t| %d\t| %d\t| %s\t| %s\t| %v %s\t| %v\t| %.1f\t| %.1f\t| %s\t|\n", f.game.Name, f.game.Start.Type, len(f.game.Keys()), len(f.found),
			strings.Join(f.missing, " "), strings.Join(f.extra, " "), f.start, strings.Join(f.startedBy, ", "), f.pointer, f.discovered.Seconds(), f.started.Seconds(), f.status)
	}
	_ = w.Flush() // to the terminal
}
