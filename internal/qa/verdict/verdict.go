// Package verdict judges a record: three checks from what was observed, each
// proven, disproven or undecided with a reason and a confidence. It is a pure
// function of the record and the only place that judges.
package verdict

import (
	"github.com/playtest-dev/playtest/record"
)

// Checks answers the three checks.
func Checks(rec *record.Record) []record.Check { return Rules{}.Checks(rec) }

// Rules can be switched off one by one, to find out what each of them decides.
type Rules struct {
	// Off names the rules that do not count.
	Off map[string]bool
}

// The names of the rules.
const (
	RuleProgress  = "progress"  // an input goes on changing the screen
	RuleFuture    = "future"    // a small effect grows: the game takes another course
	RuleAgain     = "again"     // an input has effects at different moments
	RuleChoices   = "choices"   // at one moment two keys have different effects
	RulePlaces    = "places"    // inputs change things at three places, each its own
	RuleCombined  = "combined"  // inputs lead to more pictures than there are inputs
	RuleStory     = "story"     // one new screen after the other
	RuleTransient = "transient" // an effect that passes and comes again
	RuleHover     = "hover"     // something follows the pointer
	RuleAchieved  = "achieved"  // a model's play led to several screens
	RuleThrows    = "throws"    // inputs end in errors
	RuleUnplayed  = "unplayed"  // a script failed, and beyond its start nothing plays it
	RuleDead      = "dead"      // everything was tried and nothing answers
	RuleWaits     = "waits"     // a page that listens, and has no dead button, may wait for something else
	RuleUnheard   = "unheard"   // inputs arrive, and the game's handlers do not run
	RuleUnseen    = "unseen"    // the game draws, and its canvas cannot be seen
	RuleUnlike    = "unlike"    // the game does not run under the stepped clock
	RuleRefused   = "refused"   // playtest kept the page from something that the game may need
	RuleScript    = "script"    // a script is missing and nothing happens
	RuleBlank     = "blank"     // nothing can be seen
	RuleWithheld  = "withheld"  // at the end inputs are kept from the game that it was given before
	RuleDies      = "dies"      // controls stop working while nothing new is shown
	RuleRuns      = "runs"      // what stands still while its code goes on may have come to its end
	RuleStops     = "stops"     // it moved by itself, and then never again
	RuleClock     = "clock"     // the game's clock races or stands still
	RuleStorm     = "storm"     // an error comes again and again
	RuleVanishes  = "vanishes"  // the picture goes blank while it is played
	RuleIncidents = "incidents" // crash, hang, departure, reload loop
)

// Names lists the rules.
var Names = []string{RuleProgress, RuleFuture, RuleAgain, RuleChoices, RulePlaces, RuleCombined, RuleStory, RuleTransient, RuleHover, RuleAchieved, RuleThrows, RuleUnplayed, RuleDead, RuleWaits, RuleUnheard, RuleUnseen, RuleUnlike, RuleRefused, RuleScript, RuleBlank, RuleWithheld, RuleDies, RuleRuns, RuleStops, RuleClock, RuleStorm, RuleVanishes, RuleIncidents}

func (r Rules) on(name string) bool { return !r.Off[name] }

// Checks answers the three checks with these rules.
func (r Rules) Checks(rec *record.Record) []record.Check {
	f := facts{Rules: r, rec: rec, twins: rec.Twins}
	if f.twins == nil {
		f.twins = &record.TwinRecord{}
	}
	f.evidence = f.proof()
	return []record.Check{f.loaded(), f.controls(), f.stable()}
}

// facts are a record with what is asked of it several times.
type facts struct {
	Rules
	rec      *record.Record
	twins    *record.TwinRecord
	evidence evidence
}

func proven(name record.CheckName, confidence float64, reason string) record.Check {
	return record.Check{Name: name, State: record.Proven, Confidence: confidence, Reason: reason}
}

func disproven(name record.CheckName, cause, reason string) record.Check {
	return record.Check{Name: name, State: record.Disproven, Cause: cause, Confidence: sure(cause), Reason: reason}
}

func unknown(name record.CheckName, cause, reason string) record.Check {
	return record.Check{Name: name, State: record.Unknown, Cause: cause, Reason: reason}
}
