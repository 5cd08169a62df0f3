package evaluate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// issues lists what a developer may want to mend, the worst first.
func issues(f facts, r *record.Report) []record.Issue {
	out := []record.Issue{}
	rec := f.rec
	h := rec.Health
	addAt := func(at time.Duration, s record.Severity, evidence, format string, args ...any) {
		i := record.Issue{Severity: s, Description: fmt.Sprintf(format, args...), Evidence: evidence, At: record.Seconds(at), Time: rec.Finished}
		if at > 0 {
			i.Time = moment(rec, at)
		}
		out = append(out, i)
	}
	add := func(s record.Severity, evidence, format string, args ...any) { addAt(0, s, evidence, format, args...) }
	for _, c := range r.Checks {
		if c.State == record.Disproven {
			addAt(showed(f, c), record.Critical, strings.Join(c.Evidence, " "), "%s", c.Reason)
		}
	}
	if f.broken != "" {
		sev := record.Major
		if len(f.answers) == 0 {
			sev = record.Critical
		}
		add(sev, "network.log", "%s.", upperFirst(f.broken))
	}
	declaredIssues(r.Declared, add)
	for _, c := range controlResults(rec) {
		if c.Trial.Threw != "" {
			add(record.Major, c.Trial.Threw, "Operating %s ends in an error.", c.Control.Description)
		}
	}
	for _, o := range throwing(rec) {
		add(record.Major, o.Threw, "Operating %s ends in an error.", o.Input)
	}
	for _, k := range deadKeys(f) {
		if t := f.trial("key:" + k); t != nil && (len(r.Declared) > 0 || t.Outcome == record.Responsive) {
			continue // it was named above, or works
		}
		add(record.Major, "code coverage", "The key %s does nothing, although its sisters work.", k)
	}
	if d := rec.Explore.Start.Dead; d != "" && rec.Explore.Start.Started {
		add(record.Minor, "", "The button %q did nothing when it was clicked.", clip(d))
	}
	for i, e := range h.Exceptions {
		if i == 5 {
			break
		}
		sev := record.Minor
		if e.Count >= 10 {
			sev = record.Major
		}
		times := "once"
		if e.Count > 1 {
			times = fmt.Sprintf("%d times", e.Count)
		}
		addAt(e.First, sev, fmt.Sprintf("%s:%d, %s", e.URL, e.Line, times), "Uncaught error: %s", strings.TrimPrefix(firstLine(e.Text), "Uncaught "))
	}
	n := 0
	for _, l := range h.FailedLoads {
		if n++; n > 6 {
			break
		}
		add(record.Minor, l.URL, "%s could not be loaded: %s (%s).", typeName(l.Type), shortURL(l.URL), l.Why())
	}
	for _, s := range h.Shader {
		add(record.Major, s, "A shader does not compile or link.")
	}
	if h.LongTasks.Share > 0.5 && h.LongTasks.Count > 20 {
		add(record.Major, fmt.Sprintf("%d tasks over 50 ms, longest %s", h.LongTasks.Count, h.LongTasks.Longest.Round(time.Millisecond)), "The main thread is busy %.0f %% of the time; the game will feel slow.", 100*h.LongTasks.Share)
	}
	if h.Hoards != nil {
		addAt(h.Hoards.At, record.Major, h.Hoards.What, "The memory in use keeps growing while the game is played.")
	}
	if t := f.rec.Twins; t != nil && t.Alive.Hoards() {
		a := t.Alive
		evidence := fmt.Sprintf("the memory in use grew from %.0f MB to %.0f MB in %.0f seconds of play; %.0f MB are left after a garbage collection", a.Heap[1], a.Heap[len(a.Heap)-1], a.Seconds, a.Kept)
		add(record.Major, evidence, "The memory in use keeps growing while the game is played.")
	}
	if t := f.rec.Twins; t != nil && t.HungOnce {
		add(record.Major, "played twice, with different random numbers", "The page hung in one of two games that differed in nothing but chance.")
	}
	for _, p := range r.Indicators {
		if !p.Met {
			add(record.Minor, p.Detail, "A %s indicator of the metadata was missed: %s.", p.Kind, p.Text)
		}
	}
	for i, p := range rec.Phases {
		if i+1 < len(rec.Phases) && p.Reason != "" && rec.Phases[i+1].Phase == p.Phase && (p.Phase != record.PhaseLoad || rec.Load.Failure == nil) {
			next := rec.Phases[i+1].Instead
			if next == "" {
				next = "the same was done again"
			}
			out = append(out, record.Issue{Severity: record.Minor, Time: p.Started.Add(p.Duration),
				Description: fmt.Sprintf("Attempt %d at phase %q failed: %s. Then %s.", p.Attempt, p.Phase, p.Reason, next)})
		}
	}
	for _, q := range h.Refused[:min(len(h.Refused), 5)] {
		i := q.Issue()
		i.Time = rec.Finished
		out = append(out, i)
	}
	return out
}

// throwing are inputs that ended in an error and had no effect, one for each error that no
// control ended in.
func throwing(rec *record.Record) (out []record.Observation) {
	if rec.Twins == nil {
		return nil
	}
	const most = 5
	told := map[string]bool{}
	for _, c := range controlResults(rec) {
		told[firstLine(c.Trial.Threw)] = true
	}
	for _, o := range rec.Twins.Observations {
		if line := firstLine(o.Threw); o.Threw != "" && !told[line] && len(out) < most {
			told[line] = true
			out = append(out, o)
		}
	}
	return out
}

// showed is when a check was seen to fail, as time since the page was opened; 0
// where that is no moment.
func showed(f facts, c record.Check) time.Duration {
	h := f.rec.Health
	switch c.Name {
	case record.GameStable:
		for _, in := range []*record.Incident{h.Crashed, h.Hung, h.Left, h.ReloadLoop, h.ContextLost} {
			if in != nil {
				return in.At
			}
		}
		if c.Cause == "exceptions" && len(h.Exceptions) > 0 {
			return slices.MaxFunc(h.Exceptions, func(a, b record.ErrorGroup) int { return cmp.Compare(a.Count, b.Count) }).First
		}
	case record.GameLoaded:
		return f.rec.Load.ReadyAfter
	}
	return 0
}

func typeName(t string) string {
	if t == "" {
		return "A resource"
	}
	return "A resource of type " + strings.ToLower(t)
}

// deadKeys are keys whose sisters the game's code knows: left without right. Many
// games use only one of up and down.
func deadKeys(f facts) []string {
	known := map[string]bool{}
	for _, c := range f.rec.Discover.Controls {
		if c.Type == record.ControlKey && len(c.Reaches) > 0 {
			known[c.Keys[0]] = true
		}
	}
	var out []string
	for _, pair := range [][2]string{{"ArrowLeft", "ArrowRight"}, {"KeyA", "KeyD"}} {
		for i := range pair {
			if known[pair[1-i]] && !known[pair[i]] {
				out = append(out, pair[i])
			}
		}
	}
	return out
}
