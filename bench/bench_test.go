package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/bench"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		count, of int
		want      string
	}{
		{0, 0, "-"},
		{0, 10, "0/10 0.0 % [0.0, 27.8]"},
		{10, 10, "10/10 100.0 % [72.2, 100.0]"},
		{5, 10, "5/10 50.0 % [23.7, 76.3]"},
		{2, 100, "2/100 2.0 % [0.6, 7.0]"},
		{1, 300, "1/300 0.3 % [0.1, 1.9]"},
	} {
		if got := bench.NewRate(tt.count, tt.of).String(); got != tt.want {
			t.Errorf("%d of %d: %s, want %s", tt.count, tt.of, got, tt.want)
		}
	}
}

// states in the order of reports, by letter: true, false, undecided.
func states(letters string) map[record.CheckName]record.CheckState {
	words := map[byte]record.CheckState{'t': record.Proven, 'f': record.Disproven, 'u': record.Unknown}
	return map[record.CheckName]record.CheckState{
		record.GameLoaded: words[letters[0]], record.ControlsResponsive: words[letters[1]], record.GameStable: words[letters[2]],
	}
}

func result(game string, split games.Split, what string, seed int64, got record.Verdict, letters string, seconds float64) bench.Result {
	r := bench.Result{Instance: bench.Instance{Game: game, Split: split, Kind: bench.Healthy, Seed: seed, Want: record.Pass}, Seconds: seconds}
	if f, ok := fault.Get(what); ok {
		r.Fault, r.Kind, r.Want, r.Checks = f.Name, string(f.Kind), f.Verdict(), f.Checks
	}
	r.Outcome = bench.Outcome{Verdict: got, Checks: states(letters), Reason: "because", Confidence: 0.93, Baselines: map[string]record.Verdict{}}
	for _, b := range bench.Baselines {
		r.Outcome.Baselines[b.Name] = record.Pass
	}
	return r
}

func results() []bench.Result {
	const dev, exam = games.Development, games.Examination
	busy := result("ridge", dev, "busy-frames", 1, record.Pass, "ttt", 14)
	busy.Outcome.Issues = []string{"minor: frames take 70 ms"}
	hidden := result("ridge", dev, "canvas-hidden", 1, record.Pass, "ttt", 9)
	hidden.Excluded = "not plain"
	noisy := result("starfall", dev, "trap-console", 1, record.Pass, "ttt", 12)
	noisy.Outcome.Baselines["console errors"] = record.Fail
	return []bench.Result{
		result("ridge", dev, "", 1, record.Pass, "ttt", 10),
		result("ridge", dev, "", 2, record.Pass, "ttt", 11),
		result("starfall", dev, "", 1, record.Pass, "ttt", 9),
		result("worm", exam, "", 1, record.Fail, "tft", 20),
		result("worm", exam, "", 2, record.Pass, "ttt", 18),
		result("ridge", dev, "keys-swallowed", 1, record.Fail, "tft", 15),
		result("ridge", dev, "keys-swallowed", 2, record.VerdictError, "tut", 25),
		result("ridge", dev, "animation-stops", 1, record.Fail, "tft", 8),
		result("worm", exam, "renderer-crash", 1, record.Fail, "tft", 7),
		result("worm", exam, "page-404", 1, record.Fail, "fuu", 1),
		result("worm", exam, "overlay", 1, record.Pass, "ttt", 13),
		busy, hidden, noisy,
	}
}

func TestTally(t *testing.T) {
	s := bench.Tally(results())
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "summary.txt"), text.String())
	golden.Check(t, filepath.Join("testdata", "summary.md"), s.Markdown("Verdicts", "Made up."))
	golden.Check(t, filepath.Join("testdata", "short.md"), s.Short("Verdicts", "Made up.", "results.jsonl.gz"))
}

// TestStore: what was stored says the same, and of an instance that was run again the last result.
func TestStore(t *testing.T) {
	all := results()
	want := bench.Tally(all).Markdown("Verdicts", "Made up.")
	again := all[3]
	again.Outcome.Verdict = record.Pass
	file := filepath.Join(t.TempDir(), "results.jsonl.gz")
	if err := bench.Store(file, append([]bench.Result{again}, all...)); err != nil {
		t.Fatal(err)
	}
	stored, err := bench.ReadSummary(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := stored.Groups[0].Runs; n != len(all)-1 {
		t.Errorf("%d runs, want %d: one of the %d is excluded and one was run twice", n, len(all)-1, len(all)+1)
	}
	if stored.Groups[0].HealthyFailed.Count != 1 {
		t.Error("the first result of an instance was believed, not the last")
	}
	if err := bench.Store(file, all); err != nil {
		t.Fatal(err)
	}
	if stored, err = bench.ReadSummary(file); err != nil {
		t.Fatal(err)
	}
	if got := stored.Markdown("Verdicts", "Made up."); got != want {
		t.Errorf("after it was stored:\n%s\nbefore:\n%s", got, want)
	}
	data, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "summary.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if stored, err = bench.ReadSummary(file); err != nil {
		t.Fatal(err)
	}
	if got := stored.Markdown("Verdicts", "Made up."); got != want {
		t.Errorf("from a summary:\n%s\nbefore:\n%s", got, want)
	}
}

func TestTallyOfNothing(t *testing.T) {
	var text strings.Builder
	if err := bench.Tally(nil).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "healthy games failed") {
		t.Errorf("got %q", text.String())
	}
}

func TestBaselines(t *testing.T) {
	moving := []record.HealthSample{{Acting: false, Changed: 0.5}, {Acting: true, Changed: 0.2}}
	sent := []record.Action{{Success: true}, {Success: true}, {Success: false}}
	noise := []record.ErrorGroup{{Text: "404", Count: 3}}
	for name, tt := range map[string]struct {
		rec  record.Record
		want string // picture difference, console errors, action success rate
	}{
		"healthy":     {record.Record{Load: record.LoadRecord{Status: 200}, Health: record.HealthRecord{Samples: moving}, Actions: sent}, "pass pass pass"},
		"noisy":       {record.Record{Load: record.LoadRecord{Status: 200}, Health: record.HealthRecord{Samples: moving, ConsoleErrors: noise}, Actions: sent}, "pass fail pass"},
		"still":       {record.Record{Load: record.LoadRecord{Status: 200}, Actions: sent}, "fail pass pass"},
		"not there":   {record.Record{Load: record.LoadRecord{Status: 404}}, "fail fail fail"},
		"not sending": {record.Record{Load: record.LoadRecord{Status: 200}, Actions: []record.Action{{}, {}, {Success: true}}}, "fail pass pass"},
	} {
		var got []string
		for _, b := range bench.Baselines {
			got = append(got, string(b.Judge(&tt.rec)))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, " "), tt.want)
		}
	}
}

func entrant(name string, kind string) bench.Entrant {
	return bench.Entrant{
		Game: games.Game{Name: name, Kind: kind, Split: games.Development, Start: games.Start{Type: "auto"},
			Controls: []games.Control{{Type: "key", Keys: []string{"KeyA", "KeyB"}}}},
		Address: func(f string, seed int64) (string, func(), error) {
			return fmt.Sprintf("http://%s/%s@%d", name, f, seed), func() {}, nil
		},
	}
}

func TestPlan(t *testing.T) {
	entrants := []bench.Entrant{entrant("board", "dom"), entrant("racer", "canvas2d")}
	keys := func(s bench.Selection) []string {
		var keys []string
		for _, i := range bench.Plan(entrants, s) {
			keys = append(keys, i.Key())
		}
		return keys
	}
	for name, tt := range map[string]struct {
		choice bench.Selection
		want   []string
	}{
		"healthy":        {bench.Selection{Faults: []string{"healthy"}, Seeds: 2}, []string{"board/healthy@1", "racer/healthy@1", "board/healthy@2", "racer/healthy@2"}},
		"does not apply": {bench.Selection{Faults: []string{"canvas-hidden"}, Seeds: 1}, []string{"racer/canvas-hidden@1"}},
		"one game":       {bench.Selection{Filter: "racer", Faults: []string{"overlay", "healthy"}, Seeds: 1}, []string{"racer/healthy@1", "racer/overlay@1"}},
		"pattern":        {bench.Selection{Filter: "*/page-4*,board/overlay", Seeds: 1}, []string{"board/overlay@1", "board/page-404@1", "racer/page-404@1"}},
		"other split":    {bench.Selection{Split: games.Examination, Seeds: 1}, nil},
	} {
		if got := keys(tt.choice); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestDrawn: of each game five faults and three traps are drawn, others of each, the same each time.
func TestDrawn(t *testing.T) {
	entrants := []bench.Entrant{entrant("board", "dom"), entrant("racer", "canvas2d"), {Game: games.Game{Name: "wreck"}, Want: record.Fail}}
	s := bench.Selection{Seeds: 1, Drawn: true}
	plan := bench.Plan(entrants, s)
	if !slices.EqualFunc(plan, bench.Plan(entrants, s), func(a, b bench.Instance) bool { return a.Key() == b.Key() }) {
		t.Error("not the same ones each time")
	}
	kinds, faults := map[string]map[string]int{}, map[string][]string{}
	for _, i := range plan {
		if kinds[i.Game] == nil {
			kinds[i.Game] = map[string]int{}
		}
		kinds[i.Game][i.Kind]++
		faults[i.Game] = append(faults[i.Game], i.Fault)
	}
	all := map[string]int{"healthy": 1, "fault": 5, "trap": 3}
	if !maps.Equal(kinds["board"], all) || !maps.Equal(kinds["racer"], all) || !maps.Equal(kinds["wreck"], map[string]int{"fault": 1}) {
		t.Errorf("drew %v", kinds)
	}
	if slices.Equal(faults["board"], faults["racer"]) {
		t.Errorf("the same of both games: %v", faults["board"])
	}
}

// TestSample: each seed draws runs of its own, and the same ones each time.
func TestSample(t *testing.T) {
	entrants := []bench.Entrant{entrant("board", "dom"), entrant("racer", "canvas2d")}
	s := bench.Selection{Seeds: 2, Sample: 10}
	first := bench.Plan(entrants, s)
	if len(first) != 20 || !slices.EqualFunc(first, bench.Plan(entrants, s), func(a, b bench.Instance) bool { return a.Key() == b.Key() }) {
		t.Fatalf("%d runs, want the same 20 each time", len(first))
	}
	with := func(seed int64) (faults []string) {
		for _, i := range first {
			if i.Seed == seed {
				faults = append(faults, i.Game+"/"+i.Fault)
			}
		}
		return faults
	}
	if slices.Equal(with(1), with(2)) {
		t.Error("both seeds draw the same runs")
	}
	if all := (bench.Selection{Seeds: 1}); len(bench.Plan(entrants, bench.Selection{Seeds: 1, Sample: 10000})) != len(bench.Plan(entrants, all)) {
		t.Error("a sample that is larger than what there is does not take all")
	}
}

func TestSelectionMistakes(t *testing.T) {
	for _, s := range []bench.Selection{
		{Seeds: 0}, {Seeds: 1, Filter: "a[b/*"}, {Seeds: 1, Faults: []string{"no-such"}}, {Seeds: 1, Split: "other"}, {Seeds: 1, Sample: -1},
	} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// counter is a run under test that remembers what it was asked for.
type counter struct {
	mu   sync.Mutex
	urls []string
}

func (c *counter) run(_ context.Context, url string, _ int64) (bench.Outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.urls = append(c.urls, url)
	return bench.Outcome{Verdict: record.Pass, Checks: states("ttt")}, nil
}

func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	entrants := []bench.Entrant{entrant("board", "dom"), entrant("racer", "canvas2d")}
	plan := bench.Plan(entrants, bench.Selection{Faults: []string{"healthy", "overlay"}, Seeds: 2})
	var first, second counter
	do := func(c *counter, plan []bench.Instance) []bench.Result {
		results, err := bench.OpenFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defer results.Close()
		all, err := (&bench.Bench{Entrants: entrants, Run: c.run, Parallel: 2, Results: results}).Do(t.Context(), plan)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	do(&first, plan[:3])
	// The machine went down in the middle of a line.
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"game":"racer","fau`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	all := do(&second, plan)
	if len(all) != len(plan) {
		t.Errorf("%d results, want %d", len(all), len(plan))
	}
	for n, r := range all {
		if r.Key() != plan[n].Key() {
			t.Errorf("result %d is %s, want %s", n, r.Key(), plan[n].Key())
		}
	}
	if got := len(first.urls) + len(second.urls); got != len(plan) {
		t.Errorf("%d runs in all, want %d", got, len(plan))
	}
	var third counter
	do(&third, plan)
	if len(third.urls) != 0 {
		t.Errorf("run again: %v", third.urls)
	}
}

func TestResultsOfSomethingElse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("{}\nhello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := bench.OpenFile(file); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one about line 2", err)
	}
}

func TestTwoBenchmarksWithOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	first, err := bench.OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bench.OpenFile(file); !errors.Is(err, bench.ErrBusy) {
		t.Errorf("error %v, want %v", err, bench.ErrBusy)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := bench.OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheWitnessDoesNotSee(t *testing.T) {
	results, err := bench.OpenFile(filepath.Join(t.TempDir(), "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	var c counter
	b := &bench.Bench{Entrants: []bench.Entrant{entrant("board", "dom")}, Run: c.run, Results: results,
		Witness: func(_ context.Context, _ bench.Entrant, f fault.Fault, _ int64) (bool, string, error) {
			return f.Name != "overlay", "it shows through", nil
		}}
	all, err := b.Do(t.Context(), bench.Plan(b.Entrants, bench.Selection{Faults: []string{"healthy", "overlay", "page-404"}, Seeds: 1}))
	if err != nil {
		t.Fatal(err)
	}
	s := bench.Tally(all)
	if len(s.Excluded) != 1 || s.Excluded[0].Fault != "overlay" || s.Excluded[0].Excluded != "it shows through" {
		t.Errorf("excluded %+v", s.Excluded)
	}
	if len(c.urls) != 2 {
		t.Errorf("runs %v, want the healthy game and page-404", c.urls)
	}
}

func TestServerThatDied(t *testing.T) {
	results, err := bench.OpenFile(filepath.Join(t.TempDir(), "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	var c counter
	gone := entrant("gone", "dom")
	gone.Alive = func() error { return errors.New("connection refused") }
	b := &bench.Bench{Entrants: []bench.Entrant{gone, entrant("board", "dom")}, Run: c.run, Results: results}
	all, err := b.Do(t.Context(), bench.Plan(b.Entrants, bench.Selection{Faults: []string{"healthy"}, Seeds: 1}))
	var dead *bench.ServerError
	if !errors.As(err, &dead) || dead.Game != "gone" {
		t.Errorf("error %v, want one about the server of gone", err)
	}
	if len(all) != 1 || all[0].Game != "board" {
		t.Errorf("results %+v, want the one of board", all)
	}
	if _, kept := results.Done(bench.Instance{Game: "gone", Seed: 1}, ""); kept {
		t.Error("a result was kept for a game that was never opened")
	}
}

func TestInterrupted(t *testing.T) {
	results, err := bench.OpenFile(filepath.Join(t.TempDir(), "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench.Bench{Entrants: []bench.Entrant{entrant("board", "dom")}, Results: results,
		Run: func(context.Context, string, int64) (bench.Outcome, error) {
			cancel()
			return bench.Outcome{Verdict: record.VerdictError}, nil
		}}
	plan := bench.Plan(b.Entrants, bench.Selection{Faults: []string{"healthy"}, Seeds: 3})
	all, err := b.Do(ctx, plan)
	if !errors.Is(err, context.Canceled) || len(all) != 0 {
		t.Errorf("%d results and error %v, want none and canceled", len(all), err)
	}
	if _, kept := results.Done(plan[0], ""); kept {
		t.Error("half a run was kept")
	}
}

func TestWriteDocs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := os.WriteFile(file, []byte("# Benchmarks\n\nBy hand.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if err := bench.WriteDocs(file, "verdict", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := bench.WriteDocs(file, "other", "third"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "docs.md"), string(page))
	if err := os.WriteFile(file, []byte(strings.Replace(string(page), "end verdict", "end nothing", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if bench.WriteDocs(file, "verdict", "fourth") == nil {
		t.Error("a mark that has no end is accepted")
	}
}
