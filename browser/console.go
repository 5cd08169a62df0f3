package browser

import (
	"fmt"
	"strings"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

func milliseconds(t float64) time.Time { return time.UnixMicro(int64(t * 1000)) }

func (l *Log) console(ev *runtime.EventConsoleAPICalled, frame string) {
	text, address := limits(l, &l.consoles)
	e := ConsoleEntry{Time: milliseconds(float64(ev.Timestamp)), Level: clip(string(ev.Type), maxName), Text: clip(format(ev.Args), text), FrameID: frame}
	if ev.StackTrace != nil && len(ev.StackTrace.CallFrames) > 0 {
		at := ev.StackTrace.CallFrames[0]
		e.URL, e.Line, e.Column = clip(at.URL, address), int(at.LineNumber)+1, int(at.ColumnNumber)+1
	}
	add(l, &l.consoles, e)
}

func (l *Log) exception(ev *runtime.EventExceptionThrown, frame string) {
	add(l, &l.exceptions, l.thrown(ev, frame))
}

// beside notes what a service worker threw: the page goes on without it.
func (l *Log) beside(ev *runtime.EventExceptionThrown) {
	e := l.thrown(ev, "")
	add(l, &l.consoles, ConsoleEntry{Time: e.Time, Level: "error", Text: "Service worker: " + e.Text, URL: e.URL, Line: e.Line, Column: e.Column})
}

func (l *Log) thrown(ev *runtime.EventExceptionThrown, frame string) Exception {
	d := ev.ExceptionDetails
	text, address := limits(l, &l.exceptions)
	e := Exception{
		Time: milliseconds(float64(ev.Timestamp)), Text: d.Text, URL: clip(d.URL, address),
		Line: int(d.LineNumber) + 1, Column: int(d.ColumnNumber) + 1,
		Rejection: strings.Contains(d.Text, "(in promise)"), FrameID: frame,
	}
	if d.Exception != nil {
		said := d.Exception.Description
		if said == "" {
			said = describe(d.Exception)
		}
		first, rest, _ := strings.Cut(said, "\n")
		e.Text = d.Text + " " + first
		if strings.HasPrefix(strings.TrimSpace(rest), "at ") {
			// A copy: a short stack would keep the long text before it alive.
			e.Stack = strings.Clone(clip(rest, text))
		} else if rest != "" {
			e.Text = d.Text + " " + said
		}
	}
	e.Text = clip(e.Text, text)
	if d.StackTrace != nil && len(d.StackTrace.CallFrames) > 0 {
		if e.Stack == "" {
			e.Stack = clip(stack(d.StackTrace), text)
		}
		if e.URL == "" {
			e.URL = clip(d.StackTrace.CallFrames[0].URL, address)
		}
	}
	return e
}

func (l *Log) entry(n *cdplog.Entry) {
	if n == nil {
		return
	}
	text, address := limits(l, &l.entries)
	e := Entry{Time: milliseconds(float64(n.Timestamp)), Source: string(n.Source), Level: string(n.Level), Text: clip(n.Text, text), URL: clip(n.URL, address)}
	if n.LineNumber > 0 {
		e.Line = int(n.LineNumber) + 1
	}
	add(l, &l.entries, e)
}

func stack(t *runtime.StackTrace) string {
	var b strings.Builder
	for _, f := range t.CallFrames {
		name := f.FunctionName
		if name == "" {
			name = "(anonymous)"
		}
		fmt.Fprintf(&b, "    at %s (%s:%d:%d)\n", name, f.URL, f.LineNumber+1, f.ColumnNumber+1)
	}
	return strings.TrimRight(b.String(), "\n")
}

// format writes console arguments as the console shows them: a first text may
// hold places for the ones after it.
func format(args []*runtime.RemoteObject) string {
	var b strings.Builder
	rest := args
	if len(args) > 1 && args[0].Type == runtime.RemoteObjectTypeString {
		rest = substitute(&b, describe(args[0]), args[1:])
		if len(rest) > 0 {
			b.WriteByte(' ')
		}
	}
	for i, a := range rest {
		if b.Len() > maxText {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(clip(describe(a), maxText))
	}
	return b.String()
}

// substitute fills %s and its like and returns the arguments that are left.
func substitute(b *strings.Builder, text string, args []*runtime.RemoteObject) []*runtime.RemoteObject {
	text = clip(text, maxText)
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 || i+1 >= len(text) {
			b.WriteString(text)
			return args
		}
		b.WriteString(text[:i])
		verb := text[i+1]
		text = text[i+2:]
		switch {
		case verb == '%':
			b.WriteByte('%')
		case strings.IndexByte("sdifoOc", verb) < 0 || len(args) == 0:
			b.WriteByte('%')
			b.WriteByte(verb)
		default:
			if verb != 'c' { // a style shows nothing
				b.WriteString(clip(describe(args[0]), maxText))
			}
			args = args[1:]
		}
	}
}

// describe writes a value for a person: its text, or what a preview shows.
func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	switch {
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Type == runtime.RemoteObjectTypeString:
		return unquote(o.Value)
	case o.Type == runtime.RemoteObjectTypeUndefined:
		return "undefined"
	case o.Preview != nil && o.Subtype != runtime.RemoteObjectSubtypeError:
		return preview(o.Preview, o.Description)
	case o.Description != "":
		return o.Description
	}
	return string(o.Value)
}

func preview(p *runtime.ObjectPreview, description string) string {
	array := p.Subtype == runtime.ObjectPreviewSubtypeArray
	var b strings.Builder
	if !array && description != "" && description != "Object" {
		b.WriteString(description + " ")
	}
	open, end := "{", "}"
	if array {
		open, end = "[", "]"
	}
	b.WriteString(open)
	for i, prop := range p.Properties {
		if i > 0 {
			b.WriteString(", ")
		}
		if !array {
			b.WriteString(prop.Name + ": ")
		}
		if prop.Type == runtime.PropertyPreviewTypeString {
			fmt.Fprintf(&b, "%q", prop.Value)
		} else {
			b.WriteString(prop.Value)
		}
	}
	if p.Overflow {
		b.WriteString(", …")
	}
	b.WriteString(end)
	return b.String()
}
