package bench

import (
	"cmp"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// Summary is what a benchmark says, for all the games and for each split.
type Summary struct {
	Groups     []Group         `json:"groups"`
	Faults     []FaultRow      `json:"faults"`
	Wrong      []Result        `json:"wrong"`
	Excluded   []Result        `json:"excluded"`
	Seeds      int             `json:"seeds"`
	Builds     []string        `json:"builds"` // that the results are of, by commit
	Confidence []ConfidenceRow `json:"confidence"`
}

// Group is the outcome over some of the games.
type Group struct {
	Name  string `json:"name"` // all, development, examination
	Games int    `json:"games"`
	Runs  int    `json:"runs"`

	HealthyFailed Rate `json:"healthyFailed"`
	TrapsFailed   Rate `json:"trapsFailed"`
	IssuesFailed  Rate `json:"issuesFailed"`
	Missed        Rate `json:"missed"`     // broken games that passed
	Caught        Rate `json:"caught"`     // broken games that failed
	RightCheck    Rate `json:"rightCheck"` // broken games that failed on an accepted check
	Undecided     Rate `json:"undecided"`
	Right         Rate `json:"right"`
	IssuesNamed   Rate `json:"issuesNamed"`
	Flips         Rate `json:"flips"`     // game and fault whose seeds disagree
	Reversals     Rate `json:"reversals"` // those among them that passed with one seed and failed with another

	Median  float64 `json:"medianSeconds"`
	P95     float64 `json:"p95Seconds"`
	Dollars float64 `json:"dollars"`

	Verdicts  map[string]Cells                      `json:"verdicts"` // by kind
	Checks    map[record.CheckName]map[string]Cells `json:"checks"`   // by what must come out: true, false
	Baselines []BaselineRow                         `json:"baselines"`
}

// Cells count outcomes by name.
type Cells map[string]int

// BaselineRow is how a simpler rule does on the same runs.
type BaselineRow struct {
	Name          string `json:"name"`
	HealthyFailed Rate   `json:"healthyFailed"`
	TrapsFailed   Rate   `json:"trapsFailed"`
	Missed        Rate   `json:"missed"`
	Right         Rate   `json:"right"`
}

// FaultRow is how one fault fares over all games.
type FaultRow struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Right     Rate   `json:"right"`
	Undecided int    `json:"undecided"`
	Excluded  int    `json:"excluded"`
}

// ConfidenceRow compares a confidence that was claimed with how often the verdict was right.
type ConfidenceRow struct {
	Claimed float64 `json:"claimed"`
	Right   Rate    `json:"right"`
}

// Tally sums up results.
func Tally(results []Result) Summary {
	var s Summary
	var counted []Result
	for _, r := range results {
		s.Seeds = max(s.Seeds, int(r.Seed))
		if r.Build != "" && !slices.Contains(s.Builds, r.Build) {
			s.Builds = append(s.Builds, r.Build)
		}
		switch {
		case r.Excluded != "":
			s.Excluded = append(s.Excluded, r)
			continue
		case !r.Right():
			s.Wrong = append(s.Wrong, r)
		}
		counted = append(counted, r)
	}
	s.Groups = append(s.Groups, newGroup("all", counted))
	for _, split := range []games.Split{games.Development, games.Examination} {
		part := only(counted, func(r Result) bool { return r.Split == split })
		if len(part) > 0 && len(part) < len(counted) {
			s.Groups = append(s.Groups, newGroup(string(split), part))
		}
	}
	s.Faults = faultRows(counted, s.Excluded)
	s.Confidence = confidenceRows(counted)
	return s
}

// confidenceRows has a row for each confidence that verdicts were given with, the highest first.
func confidenceRows(results []Result) []ConfidenceRow {
	claims := map[float64][]Result{}
	for _, r := range results {
		if !undecided(r) {
			claim := math.Round(r.Outcome.Confidence*100) / 100
			claims[claim] = append(claims[claim], r)
		}
	}
	var rows []ConfidenceRow
	for claim, part := range claims {
		rows = append(rows, ConfidenceRow{claim, rate(part, sameVerdict)})
	}
	slices.SortFunc(rows, func(a, b ConfidenceRow) int { return cmp.Compare(b.Claimed, a.Claimed) })
	return rows
}

func sameVerdict(r Result) bool { return r.Outcome.Verdict == r.Want }
func failed(r Result) bool      { return r.Outcome.Verdict == record.Fail }
func passed(r Result) bool      { return r.Outcome.Verdict == record.Pass }
func undecided(r Result) bool   { return r.Outcome.Verdict == record.VerdictError }

func only(results []Result, is func(Result) bool) []Result {
	var part []Result
	for _, r := range results {
		if is(r) {
			part = append(part, r)
		}
	}
	return part
}

func count(results []Result, is func(Result) bool) int { return len(only(results, is)) }

func ofKind(results []Result, kind string) []Result {
	return only(results, func(r Result) bool { return r.Kind == kind })
}

func rate(results []Result, is func(Result) bool) Rate {
	return NewRate(count(results, is), len(results))
}

func newGroup(name string, results []Result) Group {
	healthy, traps := ofKind(results, Healthy), ofKind(results, string(fault.Trap))
	blemished, broken := ofKind(results, string(fault.Blemish)), ofKind(results, string(fault.Broken))
	g := Group{
		Name: name, Runs: len(results),
		HealthyFailed: rate(healthy, failed), TrapsFailed: rate(traps, failed), IssuesFailed: rate(blemished, failed),
		Missed: rate(broken, passed), Caught: rate(broken, failed),
		RightCheck: rate(broken, Result.Right), Undecided: rate(results, undecided), Right: rate(results, Result.Right),
		IssuesNamed: rate(blemished, Result.Named),
		Verdicts:    map[string]Cells{}, Checks: map[record.CheckName]map[string]Cells{},
	}
	g.Flips, g.Reversals = flips(results)
	names := map[string]bool{}
	var seconds []float64
	for _, r := range results {
		names[r.Game] = true
		seconds = append(seconds, r.Seconds)
		g.Dollars += r.Outcome.Dollars
		row := g.Verdicts[r.Kind]
		if row == nil {
			row = Cells{}
			g.Verdicts[r.Kind] = row
		}
		row[string(r.Outcome.Verdict)]++
	}
	g.Games, g.Median, g.P95 = len(names), quantile(seconds, 0.5), quantile(seconds, 0.95)
	for check := range record.Points {
		g.Checks[check] = checkMatrix(results, check)
	}
	for _, b := range Baselines {
		fails := func(r Result) bool { return r.Outcome.Baselines[b.Name] == record.Fail }
		g.Baselines = append(g.Baselines, BaselineRow{
			Name: b.Name, HealthyFailed: rate(healthy, fails), TrapsFailed: rate(traps, fails),
			Missed: rate(broken, func(r Result) bool { return !fails(r) }),
			Right:  rate(results, func(r Result) bool { return fails(r) == (r.Want == record.Fail) }),
		})
	}
	return g
}

// checkMatrix counts the states of one check where it must be true, and where it is the first that must be false. A
// broken game's other checks may be either.
func checkMatrix(results []Result, check record.CheckName) map[string]Cells {
	m := map[string]Cells{"true": {}, "false": {}}
	for _, r := range results {
		state := r.Outcome.Checks[check]
		switch {
		case r.Want == record.Pass:
			m["true"][string(state)]++
		case len(r.Checks) > 0 && r.Checks[0] == check:
			if state != record.Disproven && r.RightCheck() {
				m["false"]["other"]++ // another accepted check was disproven
			} else {
				m["false"][string(state)]++
			}
		}
	}
	return m
}

// flips counts the instances that were repeated and whose seeds disagree, and those of them of which one seed says the
// opposite of another.
func flips(results []Result) (disagree, opposite Rate) {
	verdicts := map[string]map[record.Verdict]int{}
	runs := map[string]int{}
	for _, r := range results {
		key := r.Game + "/" + r.Fault
		if verdicts[key] == nil {
			verdicts[key] = map[record.Verdict]int{}
		}
		verdicts[key][r.Outcome.Verdict]++
		runs[key]++
	}
	flipped, reversed, repeated := 0, 0, 0
	for key, v := range verdicts {
		if runs[key] < 2 {
			continue
		}
		repeated++
		if len(v) > 1 {
			flipped++
		}
		if v[record.Pass] > 0 && v[record.Fail] > 0 {
			reversed++
		}
	}
	return NewRate(flipped, repeated), NewRate(reversed, repeated)
}

func faultRows(counted, excluded []Result) []FaultRow {
	rows := map[string]*FaultRow{}
	var order []string
	row := func(r Result) *FaultRow {
		name := r.Fault
		if name == "" {
			name = Healthy
			if r.Kind != Healthy {
				name = "as it is"
			}
		}
		if rows[name] == nil {
			rows[name] = &FaultRow{Name: name, Kind: r.Kind}
			order = append(order, name)
		}
		return rows[name]
	}
	for _, r := range counted {
		f := row(r)
		f.Right.Of++
		if r.Right() {
			f.Right.Count++
		}
		if undecided(r) {
			f.Undecided++
		}
	}
	for _, r := range excluded {
		row(r).Excluded++
	}
	kinds := []string{Healthy, string(fault.Broken), string(fault.Blemish), string(fault.Trap)}
	slices.SortStableFunc(order, func(a, b string) int {
		return slices.Index(kinds, rows[a].Kind) - slices.Index(kinds, rows[b].Kind)
	})
	var all []FaultRow
	for _, name := range order {
		f := rows[name]
		f.Right = NewRate(f.Right.Count, f.Right.Of)
		all = append(all, *f)
	}
	return all
}
