package coverage

import (
	"context"
	"sort"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/debugger"

	"playtest/browser"
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
// game's own before libraries. The debugger is on only while they are read and
// never pauses the page.
func (r *Recorder) Sources(ctx context.Context, limit int) []Source {
	var out []Source
	for _, s := range r.page.Sessions() {
		out = append(out, sessionSources(ctx, s, limit)...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range out {
		out[i].Script = r.names.known(out[i].Script)
	}
	return out
}

func sessionSources(ctx context.Context, s *browser.Session, limit int) []Source {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parsed, unsubscribe := s.Subscribe(debugger.ScriptParsed.Method)
	defer unsubscribe()
	if _, err := cdp.Call(ctx, s, debugger.Enable, debugger.EnableParams{}); err != nil {
		return nil
	}
	defer func() { _, _ = cdp.Call(context.WithoutCancel(ctx), s, debugger.Disable, cdp.Empty{}) }()
	// A page full of debugger statements must not be stopped by our reading.
	if _, err := cdp.Call(ctx, s, debugger.SetSkipAllPauses, debugger.SetSkipAllPausesParams{Skip: true}); err != nil {
		return nil
	}
	list := collect(parsed)
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

// collect gathers the scripts that enabling the debugger announces. They are
// sent before its answer, so what the queue holds soon after is all of them.
func collect(parsed <-chan jsonv2.Value) []debugger.EventScriptParsed {
	var list []debugger.EventScriptParsed
	settle := time.NewTimer(settleTime)
	defer settle.Stop()
	for len(list) < maxScripts {
		select {
		case raw, ok := <-parsed:
			if !ok {
				return list
			}
			var e debugger.EventScriptParsed
			if err := jsonv2.Unmarshal(raw, &e); err != nil {
				continue
			}
			if e.ScriptLanguage != debugger.ScriptLanguageWebAssembly && !strings.HasPrefix(e.URL, OwnScript) {
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
