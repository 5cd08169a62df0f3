// Package bench measures how often the verdict is right: every game healthy and with every fault, issue and
// trap that applies, over several seeds.
//
//	Plan -> Bench.Do (witness, then the run under test) -> Result, one JSON line each -> Tally -> table, JSON, Markdown
//
// What is under test is a function value, so that the arithmetic can be tested without a browser.
package bench

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// Healthy is the kind of an instance that has no fault in it.
const Healthy = "healthy"

// Entrant is a game that takes part in a benchmark.
type Entrant struct {
	games.Game
	// Address is where the game is served with a seed, and with the fault of that name in it unless it is empty.
	Address func(faultName string, seed int64) (url string, release func(), err error)
	// Want is the verdict of the game as it is, pass unless it is known to be broken.
	Want record.Verdict
	// Checks are those that a broken game may be failed on.
	Checks []record.CheckName
	// Faults limits the faults that are put in; nil means every one that applies.
	Faults []string
	// Alive reports why the game's server cannot be reached. Nil where it is our own.
	Alive func() error
}

// Instance is one run of a benchmark: a game, what was done to it, and what must come out.
type Instance struct {
	Game   string             `json:"game"`
	Split  games.Split        `json:"split"`
	Fault  string             `json:"fault,omitempty"`
	Kind   string             `json:"kind"` // healthy, fault, issue, trap
	Seed   int64              `json:"seed"`
	Want   record.Verdict     `json:"want"`
	Checks []record.CheckName `json:"checks,omitempty"`
}

// Key names an instance in the file of results.
func (i Instance) Key() string {
	what := i.Fault
	if what == "" {
		what = Healthy
	}
	return fmt.Sprintf("%s/%s@%d", i.Game, what, i.Seed)
}

// Selection narrows a plan.
type Selection struct {
	// Filter is a pattern of path.Match for game/fault, where a healthy game is game/healthy. Several are separated
	// by commas. Empty takes all.
	Filter string
	// Faults are names of faults and kinds (healthy, fault, issue, trap). Empty takes all.
	Faults []string
	// Seeds is how many seeds each instance is run with, 1, 2, 3 and so on.
	Seeds int
	// Split takes only development or examination games.
	Split games.Split
	// Drawn takes of each playable game, besides the game as it is, five faults and three traps, drawn by chance that is
	// the same each time and another for each game and seed.
	Drawn bool
	// Sample is how many instances are run with each seed, others with each, drawn by chance that is the same each
	// time. 0 takes all.
	Sample int
}

// Validate reports unknown names before anything is run.
func (s Selection) Validate() error {
	if s.Seeds < 1 {
		return fmt.Errorf("%d seeds: at least one is needed", s.Seeds)
	}
	if s.Sample < 0 {
		return fmt.Errorf("a sample of %d runs: it cannot be less than none", s.Sample)
	}
	for _, pattern := range s.patterns() {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("filter %q: %w", pattern, err)
		}
	}
	for _, name := range s.Faults {
		if _, ok := fault.Get(name); !ok && !slices.Contains([]string{Healthy, "fault", "issue", "trap"}, name) {
			return fmt.Errorf("%q is neither a fault nor one of healthy, fault, issue, trap", name)
		}
	}
	if s.Split != "" && s.Split != games.Development && s.Split != games.Examination {
		return fmt.Errorf("split %q is not development or examination", s.Split)
	}
	return nil
}

func (s Selection) patterns() []string {
	if s.Filter == "" {
		return nil
	}
	return strings.Split(s.Filter, ",")
}

func (s Selection) takes(i Instance) bool {
	what := i.Fault
	if what == "" {
		what = Healthy
	}
	if len(s.Faults) > 0 && !slices.Contains(s.Faults, what) && !slices.Contains(s.Faults, i.Kind) {
		return false
	}
	if s.Split != "" && i.Split != s.Split {
		return false
	}
	patterns := s.patterns()
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		if !strings.Contains(p, "/") {
			p += "/*"
		}
		ok, err := path.Match(p, i.Game+"/"+what)
		return err == nil && ok
	})
}

// Plan lists the instances. Seeds come outermost, so that an interrupted benchmark has seen every game, and the games take
// turns, so that those which are run side by side are not all of the heaviest.
func Plan(entrants []Entrant, s Selection) []Instance {
	var all []Instance
	for seed := int64(1); seed <= int64(s.Seeds); seed++ {
		var taken []Instance
		of := make([][]Instance, len(entrants))
		most := 0
		for n, e := range entrants {
			of[n] = instances(e, seed)
			if s.Drawn {
				of[n] = draw(of[n])
			}
			most = max(most, len(of[n]))
		}
		for turn := range most {
			for _, list := range of {
				if turn < len(list) && s.takes(list[turn]) {
					taken = append(taken, list[turn])
				}
			}
		}
		all = append(all, s.sample(taken)...)
	}
	return all
}

// draw leaves of a game's instances the game as it is and some faults and traps.
func draw(list []Instance) []Instance {
	left := map[string]int{Healthy: 1, string(fault.Broken): 5, string(fault.Trap): 3}
	h := fnv.New64a()
	_, _ = h.Write([]byte(list[0].Game))
	chance := rand.New(rand.NewPCG(h.Sum64(), uint64(list[0].Seed)))
	var taken []int
	for _, i := range chance.Perm(len(list)) {
		if kind := list[i].Kind; left[kind] > 0 {
			left[kind]--
			taken = append(taken, i)
		}
	}
	slices.Sort(taken)
	var out []Instance
	for _, i := range taken {
		out = append(out, list[i])
	}
	return out
}

// sample draws from the instances of a seed.
func (s Selection) sample(list []Instance) []Instance {
	if s.Sample == 0 || len(list) <= s.Sample {
		return list
	}
	drawn := rand.New(rand.NewPCG(uint64(list[0].Seed), 0)).Perm(len(list))[:s.Sample]
	slices.Sort(drawn)
	out := make([]Instance, len(drawn))
	for n, i := range drawn {
		out[n] = list[i]
	}
	return out
}

func instances(e Entrant, seed int64) []Instance {
	plain := Instance{Game: e.Name, Split: e.Split, Kind: Healthy, Seed: seed, Want: record.Pass}
	if e.Want == record.Fail {
		// Broken by nature: nothing can be learnt from breaking it further.
		plain.Kind, plain.Want, plain.Checks = string(fault.Broken), record.Fail, e.Checks
		return []Instance{plain}
	}
	all := []Instance{plain}
	for _, f := range fault.All() {
		if e.Faults != nil && !slices.Contains(e.Faults, f.Name) {
			continue
		}
		if ok, _ := f.Applies(e.Game); !ok {
			continue
		}
		i := plain
		i.Fault, i.Kind, i.Want, i.Checks = f.Name, string(f.Kind), f.Verdict(), f.Checks
		all = append(all, i)
	}
	return all
}
