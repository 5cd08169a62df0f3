package coverage

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/debugger"

	"github.com/playtest-dev/playtest/browser"
)

// Source is the text of a script.
type Source struct {
	Script ScriptID
	URL    string
	Text   string
	// Line and Column are where an inline script begins in its document, from 0.
	Line, Column int
}

// Sources reads the page's scripts, at most limit characters in all, the
// game's own before libraries. The debugger is turned on for that and never pauses
// the page. It stays on until Forget: when it is turned off V8 drops the blocks of
// all functions, and whole functions count as run from then on.
func (r *Recorder) Sources(ctx context.Context, limit int) []Source {
	r.reading.Lock()
	defer r.reading.Unlock()
	var out []Source
	for _, s := range r.page.Sessions() {
		out = append(out, read(ctx, s, r.scripts(ctx, s), limit)...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range out {
		out[i].Script = r.names.known(out[i].Script)
	}
	return out
}

// announced are the scripts that a session's debugger told of.
type announced struct {
	events <-chan jsonv2.Value
	stop   func()
	list   []debugger.EventScriptParsed
}

// scripts lists the scripts of a session.
func (r *Recorder) scripts(ctx context.Context, s *browser.Session) []debugger.EventScriptParsed {
	a := r.announced[s]
	if a == nil {
		a = &announced{}
		a.events, a.stop = s.Subscribe(debugger.ScriptParsed.Method)
		if _, err := cdp.Call(ctx, s, debugger.Enable, debugger.EnableParams{}); err != nil {
			a.stop()
			return nil
		}
		r.announced[s] = a
		// A page full of debugger statements must not be stopped by our reading.
		if _, err := cdp.Call(ctx, s, debugger.SetSkipAllPauses, debugger.SetSkipAllPausesParams{Skip: true}); err != nil {
			r.unread(ctx, s)
			return nil
		}
		// It may have been stopped in between; if it was not, this is refused.
		_, _ = cdp.Call(ctx, s, debugger.Resume, debugger.ResumeParams{})
	}
	a.list = append(a.list, collect(a.events, maxScripts-len(a.list))...)
	return a.list
}

// unreadAll turns the debugger off wherever it is on.
func (r *Recorder) unreadAll(ctx context.Context) {
	r.reading.Lock()
	defer r.reading.Unlock()
	for s := range r.announced {
		r.unread(ctx, s)
	}
}

// unread turns the debugger of a session off.
func (r *Recorder) unread(ctx context.Context, s *browser.Session) {
	r.announced[s].stop()
	delete(r.announced, s)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTime)
	defer cancel()
	// A session that is gone has nothing to turn off.
	_, _ = cdp.Call(ctx, s, debugger.Disable, cdp.Empty{})
}

// read asks for the texts of scripts.
func read(ctx context.Context, s *browser.Session, list []debugger.EventScriptParsed, limit int) []Source {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return !IsLibrary(list[i].URL) && IsLibrary(list[j].URL) })
	var out []Source
	for _, e := range list {
		if limit <= 0 {
			break
		}
		res, err := cdp.Call(ctx, s, debugger.GetScriptSource, debugger.GetScriptSourceParams{ScriptID: e.ScriptID})
		if err != nil {
			continue
		}
		limit -= len(res.ScriptSource)
		out = append(out, Source{
			Script: ScriptID{string(s.TargetID), string(e.ScriptID)}, URL: e.URL, Text: res.ScriptSource,
			Line: int(e.StartLine), Column: int(e.StartColumn),
		})
	}
	return out
}

const maxScripts = 400

// collect gathers the scripts that the debugger announces, at most so many. When it
// is turned on they are sent before its answer, so what the queue holds soon after
// is all of them.
func collect(parsed <-chan jsonv2.Value, most int) []debugger.EventScriptParsed {
	var list []debugger.EventScriptParsed
	settle := time.NewTimer(settleTime)
	defer settle.Stop()
	for len(list) < most {
		select {
		case raw, ok := <-parsed:
			if !ok {
				return list
			}
			var e debugger.EventScriptParsed
			if err := jsonv2.Unmarshal(raw, &e); err != nil {
				continue
			}
			if e.ScriptLanguage != debugger.ScriptLanguageWebAssembly && !strings.HasPrefix(e.URL, ownScript) {
				list = append(list, e)
			}
			settle.Reset(settleTime)
		case <-settle.C:
			return list
		}
	}
	return list
}

const settleTime = 25 * time.Millisecond

// Position turns an offset into a line and column of the script's document,
// both from 1, columns in UTF-16 units as browsers count them.
func (s Source) Position(offset int) (line, column int) {
	before := s.Text[:s.byteOffset(offset)]
	n := strings.Count(before, "\n")
	column = units(before[strings.LastIndexByte(before, '\n')+1:])
	if n == 0 {
		column += s.Column
	}
	return s.Line + n + 1, column + 1
}

// byteOffset turns V8's offset, in UTF-16 units, into one of the Go string.
func (s Source) byteOffset(units int) int {
	n := 0
	for i, r := range s.Text {
		if n >= units {
			return i
		}
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return len(s.Text)
}

// Offset turns a place in the Go string into V8's offset.
func (s Source) Offset(at int) int { return units(s.Text[:min(at, len(s.Text))]) }

// units is the length of a text in UTF-16 units.
func units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
