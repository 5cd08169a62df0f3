package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// chatter is the least time between a plain line of progress and the line before it,
// pictures aside.
const chatter = 5 * time.Second

// progress shows how far a run got: one line that is drawn over and over on a
// terminal, plain lines elsewhere. Safe for use by several goroutines.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	width    int
	quiet    bool
	now      func() time.Time

	began time.Time
	said  time.Time // when the last plain line was written
	drawn bool      // a line is on the terminal that has to be cleared
}

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet, now: time.Now, width: 80}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = true
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 10 {
			p.width = width
		}
	}
	p.began = p.now()
	return p
}

// Event shows a sign of life of the run.
func (p *progress) Event(e record.Event) {
	// The summary tells the verdict, and better; decisions are in a file of their own.
	if p.quiet || e.Kind == record.EventVerdict || e.Kind == record.EventDecision {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	line := p.line(e, now)
	if p.terminal {
		if e.Kind == record.EventWarning {
			p.erase()
			fmt.Fprintln(p.w, line)
			return
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", cut(line, p.width-1))
		p.drawn = true
		return
	}
	switch e.Kind {
	case record.EventProgress:
		if now.Sub(p.said) < chatter {
			return
		}
	}
	if e.Kind != record.EventScreenshot { // which come often while a model plays
		p.said = now
	}
	fmt.Fprintln(p.w, line)
}

func (p *progress) line(e record.Event, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%5.1fs ", now.Sub(p.began).Seconds())
	if e.Kind == record.EventWarning {
		b.WriteString("warning: ")
	} else if e.Phase != "" {
		fmt.Fprintf(&b, "%-8s ", e.Phase)
	}
	switch e.Kind {
	case record.EventScreenshot:
		b.WriteString("picture ")
	case record.EventScreen:
		fmt.Fprintf(&b, "screen %d to %d: ", e.Done+1, e.Total+1)
	}
	b.WriteString(oneLine(e.Message))
	if e.Total > 0 && e.Kind != record.EventScreen {
		fmt.Fprintf(&b, " (%d of %d)", e.Done, e.Total)
	}
	return b.String()
}

// Clear removes the drawn line, so that something else can be written.
func (p *progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// oneLine keeps what a page says from moving the cursor or filling the screen.
func oneLine(s string) string { return report.Plain(s) }

func cut(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width-1]) + "…"
}
