package qa

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// health sums up what was logged into the record, whatever became of the page.
func (r *run) health(ctx context.Context, g *game.Game) {
	h := &r.rec.Health
	// It is summed up anew each time: after the twins, and at the end.
	h.Dialogs, h.Shader, h.Decode, h.LongTasks = nil, nil, nil, record.LongTasks{}
	since := func(t time.Time) time.Duration { return max(0, t.Sub(g.Navigated())) }
	log := g.Page.Log()

	exceptions := map[string]*record.ErrorGroup{}
	for _, e := range log.Exceptions() {
		same := group(exceptions, e.Text, e.URL, e.Line, since(e.Time))
		if slices.ContainsFunc(r.rec.Actions, func(a record.Action) bool { return during(a, e.Time) }) {
			same.ByInput++
		}
	}
	h.Exceptions = sorted(exceptions)
	if n := log.Counts().Exceptions; len(h.Exceptions) == 1 && n > h.Exceptions[0].Count {
		// The log keeps only the first and last of a flood, which stand for the others.
		e := &h.Exceptions[0]
		e.Count, e.ByInput = n, e.ByInput*n/e.Count
	}
	console := map[string]*record.ErrorGroup{}
	for _, c := range log.Console() {
		if c.Level == "error" || c.Level == "assert" {
			group(console, c.Text, c.URL, c.Line, since(c.Time))
		}
	}
	for _, e := range log.Entries() {
		if e.Level == "error" && e.Source != "network" {
			group(console, e.Text, e.URL, e.Line, since(e.Time))
		}
	}
	h.ConsoleErrors = sorted(console)
	h.FailedLoads = failedLoads(log, r.rec.Target.URL)
	h.Refused = nil
	for _, q := range log.Refused() {
		h.Refused = append(h.Refused, record.Refusal(q))
	}
	h.Pictures = pictures(log, r.rec.Target.URL)
	for _, d := range log.Dialogs() {
		h.Dialogs = addDialog(h.Dialogs, d)
	}
	counts := log.Counts()
	h.Popups, h.Downloads = counts.Popups, counts.Downloads
	r.vitals(ctx, g)
}

// vitals asks the page once more for what only it knows.
func (r *run) vitals(ctx context.Context, g *game.Game) {
	h := &r.rec.Health
	if g.Page.Crashed() || h.Hung != nil || ctx.Err() != nil {
		return
	}
	reading, err := g.Read(ctx, nil)
	if err != nil {
		return
	}
	h.FPS = reading.FPS()
	for _, f := range reading.Frames {
		h.Shader = append(h.Shader, f.ShaderErrors...)
		h.Decode = append(h.Decode, f.DecodeErrors...)
		h.LongTasks.Count += f.LongTasks
		h.LongTasks.Longest = max(h.LongTasks.Longest, time.Duration(f.LongestTask*float64(time.Millisecond)))
		if f.Now > 0 {
			h.LongTasks.Share = max(h.LongTasks.Share, f.LongTaskTime/f.Now)
		}
	}
	lost := reading.Sum(func(s *probe.State) int { return s.ContextsMissing })
	if lost > 0 && h.ContextLost == nil {
		h.ContextLost = g.Incident("the drawing context was lost and not restored")
	}
}

// during: it happened while an input was sent, or right after it.
func during(a record.Action, at time.Time) bool {
	const slack = 30 * time.Millisecond
	return a.Kind != "reload" && !at.Before(a.Time.Add(-slack)) && !at.After(a.Time.Add(a.Took+slack))
}

func group(into map[string]*record.ErrorGroup, text, url string, line int, at time.Duration) *record.ErrorGroup {
	key := game.Shape(text)
	if len(key) > 200 {
		key = key[:200]
	}
	e := into[key]
	if e == nil {
		e = &record.ErrorGroup{Text: clip(text, 500), URL: url, Line: line, First: at, Own: !words.IsTracker(url)}
		into[key] = e
	}
	e.Count++
	e.Last = at
	return e
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "..."
	}
	return s
}

// maxGroups bounds the kinds of error a record keeps.
const maxGroups = 40

func sorted(groups map[string]*record.ErrorGroup) []record.ErrorGroup {
	out := []record.ErrorGroup{}
	for _, g := range groups {
		out = append(out, *g)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].First != out[j].First {
			return out[i].First < out[j].First
		}
		return out[i].Text < out[j].Text
	})
	if len(out) > maxGroups {
		out = out[:maxGroups]
	}
	return out
}

// pictures counts each picture of the game's site once; one that came at some
// time is not lost.
func pictures(log *browser.Log, gameURL string) record.Pictures {
	came := map[string]bool{}
	for _, q := range log.Requests() {
		if q.Type == "Image" && game.SameSite(q.URL, gameURL) && !strings.Contains(q.URL, "favicon") && !words.IsTracker(q.URL) {
			came[q.URL] = came[q.URL] || q.Lost() == ""
		}
	}
	p := record.Pictures{Asked: len(came)}
	for _, ok := range came {
		if !ok {
			p.Lost++
		}
	}
	return p
}

func failedLoads(log *browser.Log, gameURL string) []record.FailedLoad {
	out := []record.FailedLoad{}
	seen := map[string]bool{}
	for _, q := range log.Requests() {
		lost := q.Lost()
		if lost == "" || seen[q.URL] {
			continue
		}
		seen[q.URL] = true
		l := record.FailedLoad{URL: clip(q.URL, 300), Type: string(q.Type)}
		if q.Status >= 400 {
			l.Status = q.Status
		} else {
			l.Error = lost
		}
		l.SameSite = game.SameSite(q.URL, gameURL)
		if len(out) < maxGroups {
			out = append(out, l)
		}
	}
	return out
}

func addDialog(list []record.DialogSeen, d browser.Dialog) []record.DialogSeen {
	for i := range list {
		if list[i].Message == d.Message && list[i].Type == d.Type {
			list[i].Count++
			return list
		}
	}
	if len(list) >= maxGroups {
		return list
	}
	return append(list, record.DialogSeen{Type: d.Type, Message: clip(d.Message, 300), Count: 1})
}
