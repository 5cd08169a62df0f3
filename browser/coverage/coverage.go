// Package coverage asks a page which of its code ran, and tells what ran
// because of an input from what runs anyway.
//
// It records V8's precise block coverage from before the page's first line. A
// [Sample] is the code that ran between two takes; samples of windows with an
// input, held against samples of windows without, name the code that the
// input reaches.
package coverage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/profiler"

	"github.com/playtest-dev/playtest/browser"
)

// ownScript marks the scripts that playtest evaluates in a page; they are left
// out of every sample.
const ownScript = "playtest:"

// Recorder records which code of a page runs.
type Recorder struct {
	page *browser.Page

	mu       sync.Mutex
	sessions map[*browser.Session]bool
	names    names
	stopped  bool

	reading   sync.Mutex
	announced map[*browser.Session]*announced // where the debugger is on
}

// Start records from now on, in every frame and worker the page has or gets.
// Functions that were compiled before have no blocks, so start before the
// navigation.
func Start(ctx context.Context, page *browser.Page) (*Recorder, error) {
	r := &Recorder{page: page, sessions: map[*browser.Session]bool{}, names: newNames(), announced: map[*browser.Session]*announced{}}
	var first error
	page.OnSession(func(s *browser.Session) {
		if err := r.record(ctx, s); err != nil && first == nil && s.Kind == "page" {
			first = err
		}
	})
	return r, first
}

func (r *Recorder) record(ctx context.Context, s *browser.Session) error {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if stopped {
		return nil
	}
	if _, err := cdp.Call(ctx, s, profiler.Enable, cdp.Empty{}); err != nil {
		return fmt.Errorf("enable profiler: %w", err)
	}
	yes, no := true, false
	_, err := cdp.Call(ctx, s, profiler.StartPreciseCoverage, profiler.StartPreciseCoverageParams{CallCount: &yes, Detailed: &yes, AllowTriggeredUpdates: &no})
	if err != nil {
		return fmt.Errorf("start coverage: %w", err)
	}
	r.mu.Lock()
	r.sessions[s] = true
	r.mu.Unlock()
	return nil
}

// Take returns the code that ran since the last take. A session that does not
// answer, such as a frame that just went away, is left out.
func (r *Recorder) Take(ctx context.Context) (Sample, error) {
	r.mu.Lock()
	var sessions []*browser.Session
	for s := range r.sessions {
		sessions = append(sessions, s)
	}
	r.mu.Unlock()
	live := map[*browser.Session]bool{}
	for _, s := range r.page.Sessions() {
		live[s] = true
	}
	type part struct {
		session *browser.Session
		result  profiler.TakePreciseCoverageResult
		err     error
	}
	parts := make(chan part, len(sessions))
	asked := 0
	for _, s := range sessions {
		if !live[s] {
			r.forgo(s)
			continue
		}
		asked++
		go func() {
			ctx, cancel := context.WithTimeout(ctx, takeTime)
			defer cancel()
			res, err := cdp.Call(ctx, s, profiler.TakePreciseCoverage, cdp.Empty{})
			parts <- part{s, res, err}
		}()
	}
	sample := Sample{}
	var failed error
	for range asked {
		p := <-parts
		if p.err != nil {
			failed = p.err
			if errors.Is(p.err, context.DeadlineExceeded) && p.session.Kind != "page" {
				r.forgo(p.session)
			}
			continue
		}
		r.mu.Lock()
		sample.add(string(p.session.TargetID), p.result.Result, &r.names)
		r.mu.Unlock()
	}
	if len(sample) == 0 && failed != nil {
		return sample, fmt.Errorf("take coverage: %w", failed)
	}
	return sample, nil
}

// takeTime is how long a busy main thread is waited for.
const takeTime = 10 * time.Second

// forgo leaves out a frame or worker that hangs, which would be waited for at
// every take.
func (r *Recorder) forgo(s *browser.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sessions, s)
}

// Forget empties V8's cache of compiled scripts, which would hand them to the
// next document of the page, where they report no blocks. Call it before the page
// is loaded again.
func (r *Recorder) Forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	r.unreadAll(ctx)
	for _, s := range r.page.Sessions() {
		// A session that is gone or hangs keeps its cache, and less will be seen.
		_, _ = cdp.Call(ctx, s, heapprofiler.CollectGarbage, cdp.Empty{})
	}
	r.mu.Lock()
	r.names.again()
	r.mu.Unlock()
}

// forgetTime is enough for the heap of a large game.
const forgetTime = 2 * time.Second

// Stop ends recording, so that the page runs at full speed again.
func (r *Recorder) Stop(ctx context.Context) {
	r.unreadAll(ctx)
	r.mu.Lock()
	r.stopped = true
	sessions := r.sessions
	r.sessions = map[*browser.Session]bool{}
	r.mu.Unlock()
	for s := range sessions {
		// A session that is gone has nothing to stop.
		_, _ = cdp.Call(ctx, s, profiler.StopPreciseCoverage, cdp.Empty{})
		_, _ = cdp.Call(ctx, s, profiler.Disable, cdp.Empty{})
	}
}

// Sample is the code that ran in a window, by script.
type Sample map[ScriptID]*Script

// ScriptID names a script of a target. A script that is loaded again keeps its
// name, so that samples from before and after can be compared.
type ScriptID struct{ Target, ID string }

// Script is the part of a script that ran.
type Script struct {
	URL string
	// Ran are the stretches of the source that ran.
	Ran Spans
	// Functions are those that ran, by their place.
	Functions []Function
}

// Function is a function of a script.
type Function struct {
	Name       string
	Start, End int
	Count      int
}

func (s Sample) add(target string, scripts []*profiler.ScriptCoverage, names *names) {
	for _, sc := range scripts {
		if strings.HasPrefix(sc.URL, ownScript) || strings.HasPrefix(sc.URL, "chrome-extension:") {
			continue
		}
		script := &Script{URL: sc.URL}
		var ranges []counted
		ran := false
		for _, f := range sc.Functions {
			for i, rg := range f.Ranges {
				ranges = append(ranges, counted{int(rg.StartOffset), int(rg.EndOffset), rg.Count > 0})
				if i == 0 && rg.Count > 0 {
					ran = true
					script.Functions = append(script.Functions, Function{Name: f.FunctionName, Start: int(rg.StartOffset), End: int(rg.EndOffset), Count: int(rg.Count)})
				}
			}
		}
		if !ran {
			continue
		}
		script.Ran = flatten(ranges)
		s[names.of(target, sc)] = script
	}
}

// functionAt returns the innermost function that ran around the offset.
func (sc *Script) functionAt(offset int) (Function, bool) {
	best, found := Function{}, false
	for _, f := range sc.Functions {
		if f.Start <= offset && offset < f.End && (!found || f.End-f.Start < best.End-best.Start) {
			best, found = f, true
		}
	}
	return best, found
}

// Union adds the code of other to s.
func (s Sample) Union(other Sample) {
	for id, sc := range other {
		mine, ok := s[id]
		if !ok {
			s[id] = &Script{URL: sc.URL, Ran: sc.Ran, Functions: sc.Functions}
			continue
		}
		mine.Ran = mine.Ran.Union(sc.Ran)
		mine.Functions = mergeFunctions(mine.Functions, sc.Functions)
	}
}

func mergeFunctions(a, b []Function) []Function {
	type place struct{ start, end int }
	have := make(map[place]bool, len(a))
	for _, f := range a {
		have[place{f.Start, f.End}] = true
	}
	out := a[:len(a):len(a)]
	for _, f := range b {
		if !have[place{f.Start, f.End}] {
			out = append(out, f)
		}
	}
	return out
}

// Subtract returns the code of s that other did not run.
func (s Sample) Subtract(other Sample) Sample {
	out := Sample{}
	for id, sc := range s {
		ran := sc.Ran
		if o, ok := other[id]; ok {
			ran = ran.Subtract(o.Ran)
		}
		if len(ran) > 0 {
			out[id] = &Script{URL: sc.URL, Ran: ran, Functions: sc.Functions}
		}
	}
	return out
}

// Turns reports whether a function that had run before ran a part of itself that it had
// not: it took a turn that it never took. Functions that ran for the first time, as those
// of a timer do, are none by themselves.
func (s Sample) Turns(before Sample) bool {
	for id, sc := range s.Subtract(before) {
		was, ok := before[id]
		if !ok {
			continue
		}
		for _, span := range sc.Ran {
			f, ok := sc.functionAt(span.Start)
			same := func(o Function) bool { return o.Start == f.Start && o.End == f.End }
			if ok && slices.ContainsFunc(was.Functions, same) {
				return true
			}
		}
	}
	return false
}

// Intersect returns the code that both ran.
func (s Sample) Intersect(other Sample) Sample {
	out := Sample{}
	for id, sc := range s {
		o, ok := other[id]
		if !ok {
			continue
		}
		if ran := sc.Ran.Intersect(o.Ran); len(ran) > 0 {
			out[id] = &Script{URL: sc.URL, Ran: ran, Functions: sc.Functions}
		}
	}
	return out
}

// Size is the length of the code that ran, in characters.
func (s Sample) Size() int {
	n := 0
	for _, sc := range s {
		n += sc.Ran.Size()
	}
	return n
}

// Empty reports whether nothing ran.
func (s Sample) Empty() bool {
	for _, sc := range s {
		if len(sc.Ran) > 0 {
			return false
		}
	}
	return true
}

// Own returns the part of the sample that lies in the game's own scripts.
func (s Sample) Own() Sample {
	out := Sample{}
	for id, sc := range s {
		if !IsLibrary(sc.URL) {
			out[id] = sc
		}
	}
	return out
}

// Place is a stretch of code with the function it belongs to.
type Place struct {
	Script   ScriptID
	URL      string
	Function string
	Start    int
	End      int
	Library  bool
}

// Places lists the functions that the sample's code belongs to: the game's own
// code first, named functions before nameless ones, small before large.
func (s Sample) Places() []Place {
	var out []Place
	seen := map[Place]bool{}
	for id, sc := range s {
		for _, span := range sc.Ran {
			f, ok := sc.functionAt(span.Start)
			p := Place{Script: id, URL: sc.URL, Start: span.Start, End: span.End, Library: IsLibrary(sc.URL)}
			if ok {
				p.Function, p.Start, p.End = f.Name, f.Start, f.End
			}
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Library != b.Library {
			return !a.Library
		}
		if (a.Function == "") != (b.Function == "") {
			return a.Function != ""
		}
		if a.End-a.Start != b.End-b.Start {
			return a.End-a.Start < b.End-b.Start
		}
		if a.URL != b.URL {
			return a.URL < b.URL
		}
		return a.Start < b.Start
	})
	return out
}
