package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// finding is what became of the runs.
type finding struct {
	wrong     []string // lost, repeated or missing
	misjudged []string // ended, with another verdict than the right one
	completed int
	attempts  int
	lost      int             // attempts that lost their worker
	resumed   int             // runs that were judged from a record that an earlier attempt stored
	kept      int             // files acknowledged
	verdicts  int             // right ones, where the right one is known
	rescues   []time.Duration // from the kill to the run being queued again
	again     []time.Duration // from the kill to the next attempt
}

func (f *finding) wrongly(format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// verify holds what the workers wrote down while they lived against what is
// stored.
func (c *conductor) verify(ctx context.Context) error {
	said, err := readNotes(c.notes())
	if err != nil {
		return err
	}
	f := &finding{}
	stored := map[string]int64{}
	for _, id := range c.accepted {
		if err := c.look(ctx, f, id, stored); err != nil {
			return err
		}
	}
	judgedTwice(f, said, stored)
	if err := c.evidence(ctx, f, said); err != nil {
		return err
	}
	f.wrong = append(f.wrong, c.late...)
	c.print(f)
	if n := len(f.wrong) + len(f.misjudged); n > 0 {
		return fmt.Errorf("%d things went wrong", n)
	}
	return nil
}

// look asks the store about an accepted run.
func (c *conductor) look(ctx context.Context, f *finding, id string, stored map[string]int64) error {
	run, err := c.db.Get(ctx, id)
	if err != nil {
		f.wrongly("run %s was accepted and is gone: %v", id, err)
		return nil
	}
	if run.Status != store.Completed {
		f.wrongly("run %s is %s: %s", id, run.Status, run.Error)
		return nil
	}
	f.completed++
	if want, known := c.want[id]; known {
		if run.Verdict == want {
			f.verdicts++
		} else {
			f.misjudged = append(f.misjudged, fmt.Sprintf("run %s of %s: %s, want %s: %s", id, run.URL, run.Verdict, want, run.Summary))
		}
	}
	if scores, err := c.db.Scores(ctx, id); err != nil || len(scores) != len(metadata.MetricNames)+1 {
		f.wrongly("run %s has %d scores, %v", id, len(scores), err)
	}
	checkpoints, err := c.db.Checkpoints(ctx, id)
	if err != nil {
		return err
	}
	for _, cp := range checkpoints {
		if cp.Phase == record.PhaseEvaluate {
			if _, twice := stored[id]; twice {
				f.wrongly("run %s was judged twice", id)
			}
			stored[id] = cp.Lease
		}
	}
	attempts, err := c.db.Attempts(ctx, id)
	if err != nil {
		return err
	}
	c.fenced(ctx, f, run, attempts)
	f.attempts += len(attempts)
	for i, a := range attempts {
		if a.Outcome != store.OutcomeLost {
			continue
		}
		f.lost++
		if killed, known := c.killed[a.Worker]; known && i+1 < len(attempts) {
			f.rescues = append(f.rescues, a.Ended.Sub(killed))
			f.again = append(f.again, attempts[i+1].Started.Sub(killed))
		}
	}
	return nil
}

// judgedTwice looks for work that was done again although its result was stored.
func judgedTwice(f *finding, said map[string][][]string, stored map[string]int64) {
	explored := map[string]int64{}
	for _, n := range said[noteExplored] {
		explored[n[0]] = number(n[1])
	}
	for _, n := range said[noteExploring] {
		if done, known := explored[n[0]]; known && number(n[1]) > done {
			f.wrongly("run %s was played again under lease %s although its record was complete under %d", n[0], n[1], done)
		}
	}
	for _, n := range said[noteEvaluating] {
		lease := number(n[1])
		if lease > stored[n[0]] {
			f.wrongly("run %s was judged under lease %d after it had been under %d", n[0], lease, stored[n[0]])
		}
		if done, known := explored[n[0]]; known && lease == stored[n[0]] && lease > done {
			f.resumed++
		}
	}
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // the notes are ours
	return n
}

// fenced looks whether everything about a run that has ended comes from its last
// attempt, and nothing from a worker that had lost it.
func (c *conductor) fenced(ctx context.Context, f *finding, run store.Run, attempts []store.Attempt) {
	for i, a := range attempts {
		if a.Ended.IsZero() {
			f.wrongly("run %s is over, its attempt under lease %d is not", run.ID, a.Lease)
		}
		if last := i == len(attempts)-1; last != (a.Outcome == string(store.Completed)) {
			f.wrongly("attempt %d of %d at run %s ended as %q", i+1, len(attempts), run.ID, a.Outcome)
		}
	}
	if run.Evidence != run.Lease || run.Manifest == "" {
		f.wrongly("run %s ended under lease %d and names the evidence of attempt %d", run.ID, run.Lease, run.Evidence)
	}
	if c.s.games {
		return
	}
	rep, err := c.db.Report(ctx, run.ID)
	want := fmt.Sprintf("judged under lease %d ", run.Lease)
	if err != nil || !strings.HasPrefix(rep.Summary, want) || !strings.HasPrefix(run.Summary, want) {
		f.wrongly("run %s ended under lease %d and says %q, %v", run.ID, run.Lease, run.Summary, err)
	}
}

// evidence looks whether everything is there that was acknowledged, of the
// attempts that died, too, and whether each run's is what the run names.
func (c *conductor) evidence(ctx context.Context, f *finding, said map[string][][]string) error {
	kept, err := evidence.Open(c.s.evidence, nil)
	if err != nil {
		return err
	}
	defer kept.Close()
	there := map[string]bool{} // run, attempt, name and hash
	for _, id := range c.accepted {
		run, err := c.db.Get(ctx, id)
		if err == nil && run.Evidence > 0 {
			if err := evidence.Verify(ctx, kept, id, int(run.Evidence), run.Manifest); err != nil {
				f.wrongly("evidence of run %s: %v", id, err)
			}
		}
		attempts, err := evidence.Attempts(ctx, kept, id)
		if err != nil {
			return err
		}
		for _, n := range attempts {
			if err := evidence.Verify(ctx, kept, id, n, ""); err != nil {
				f.wrongly("evidence of run %s: %v", id, err)
				continue
			}
			m, err := evidence.ReadManifest(ctx, kept, id, n)
			if err != nil {
				return err
			}
			for _, e := range m.Files {
				there[fmt.Sprint(id, " ", evidence.AttemptName(n, e.Name), " ", e.SHA256)] = true
			}
		}
	}
	versions := map[string][]string{} // hashes by run and name, in their order
	for _, n := range said[notePutting] {
		versions[n[0]+" "+n[1]] = append(versions[n[0]+" "+n[1]], n[2])
	}
	f.kept = len(said[noteKept])
	for _, n := range said[noteKept] {
		run, hash := n[0], n[2]
		name := evidence.AttemptName(int(number(n[3])), n[1])
		// A log that is written again replaces what the same attempt wrote
		// before, so a newer version of the attempt's will do.
		list := versions[run+" "+name]
		if !slices.ContainsFunc(list[max(0, slices.Index(list, hash)):], func(h string) bool { return there[run+" "+name+" "+h] }) {
			f.wrongly("%s of run %s was acknowledged and is gone", name, run)
		}
	}
	return nil
}

func (c *conductor) print(f *finding) {
	what := "SQLite, one worker"
	if c.db.Pool() != nil {
		what = "River on Postgres, two workers"
	}
	if !store.IsPostgres(c.s.db) && c.cuts+c.filled > 0 {
		what += ", on a disk of its own"
	}
	if strings.HasPrefix(c.s.evidence, "s3:") {
		what += ", evidence in a bucket"
	}
	took := time.Since(c.began)
	fmt.Printf("### %s\n\n| | |\n| --- | --- |\n", what)
	fmt.Printf("| workers killed | %d |\n| runs accepted | %d |\n| runs completed | %d |\n", len(c.killed), len(c.accepted), f.completed)
	for _, did := range []struct {
		what  string
		times int
	}{
		{"database crashed", c.crashes}, {"workers stopped that came back", c.stopped}, {"clock jumped", c.jumped},
		{"database or bucket away", c.cutOff}, {"power lost", c.cuts}, {"disk full", c.filled},
	} {
		if did.times > 0 {
			fmt.Printf("| %s | %d times |\n", did.what, did.times)
		}
	}
	if len(c.ends) > 0 {
		fmt.Printf("| told to stop, with %s of grace | %d times, %s |\n", grace, len(c.ends), spread(c.ends))
	}
	fmt.Printf("| attempts | %d, of which %d lost their worker |\n", f.attempts, f.lost)
	fmt.Printf("| judged from the record of an attempt that died | %d |\n", f.resumed)
	fmt.Printf("| files of evidence acknowledged | %d |\n", f.kept)
	if len(c.want) > 0 {
		fmt.Printf("| right verdicts | %d of %d |\n", f.verdicts, len(c.want))
	}
	fmt.Printf("| from the kill to the rescue | %s |\n| from the kill to the next attempt | %s |\n", spread(f.rescues), spread(f.again))
	fmt.Printf("| runs a minute | %.1f |\n| took | %s |\n", float64(f.completed)/took.Minutes(), took.Round(time.Second))
	fmt.Printf("| lost, repeated or missing | %d |\n", len(f.wrong))
	all := slices.Concat(f.wrong, f.misjudged)
	for _, w := range all[:min(len(all), shownWrongs)] {
		fmt.Printf("\n- %s", w)
	}
	fmt.Println()
}

// shownWrongs bounds what is listed: when something is broken, all of it is.
const shownWrongs = 30

func spread(times []time.Duration) string {
	slices.Sort(times)
	n := len(times)
	if n == 0 {
		return "no run lost its worker"
	}
	return fmt.Sprintf("median %.1f s, longest %.1f s", times[n/2].Seconds(), times[n-1].Seconds())
}
