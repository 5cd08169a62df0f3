package browser

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	maxText = 4 << 10 // bytes kept of one message
	maxURL  = 2 << 10 // and of one address, for data: addresses
	keep    = 1000    // entries kept from the start, and as many from the end

	// plenty is after how many entries of a kind the next ones are kept briefly:
	// what a page says a thousand times is not read to its end.
	plenty   = 200
	maxBrief = 512 // bytes kept of a message then, and of an address
)

// Log records what a page logged, loaded and did from before its first byte.
// Each list keeps its first and its last entries and counts what it dropped
// between them, so a page that floods us costs a few megabytes at most.
type Log struct {
	mu          sync.Mutex
	consoles    ends[ConsoleEntry]
	exceptions  ends[Exception]
	entries     ends[Entry]
	requests    ends[*Request]
	dialogs     ends[Dialog]
	downloads   ends[Download]
	popups      ends[Popup]
	crashes     ends[Crash]
	navigations ends[Navigation]

	flying     map[string]*flight
	documents  map[string]*Request // by loader, the latest few
	docOrder   []string
	lastActive time.Time
	proxy      Proxy // what requests go through, nil for none
}

// ConsoleEntry is one call of console.log and its like.
type ConsoleEntry struct {
	Time         time.Time
	Level        string // "log", "info", "warning", "error", "debug", "assert", ...
	Text         string
	URL          string // of the script
	Line, Column int    // from 1
	FrameID      string
}

// Exception is an error nobody caught, or a promise rejection nobody handled.
type Exception struct {
	Time         time.Time
	Text         string
	Stack        string
	URL          string
	Line, Column int // from 1
	Rejection    bool
	FrameID      string
}

// Entry is what the browser itself notes about the page: refused loads,
// violations, deprecations.
type Entry struct {
	Time   time.Time
	Source string // "network", "security", "javascript", ...
	Level  string // "verbose", "info", "warning", "error"
	Text   string
	URL    string
	Line   int // from 1, 0 if unknown
}

// Dialog is an alert, confirm, prompt or beforeunload, and how it was answered.
type Dialog struct {
	Time     time.Time
	Type     string // "alert", "confirm", "prompt", "beforeunload"
	Message  string
	URL      string
	FrameID  string
	Accepted bool
	Answer   string // what a prompt was given
}

// Download is a file the page wanted us to have. It was refused unless the
// context keeps downloads; what became of it then is told by Context.Downloads.
type Download struct {
	Time     time.Time
	URL      string
	Filename string
	FrameID  string
	State    string `json:",omitempty"`
	Bytes    int64  `json:",omitempty"` // that have arrived
	Path     string `json:",omitempty"` // of the whole file
}

// Popup is a window the page wanted. It was closed before its first line, or
// blocked by Chromium where nobody had clicked.
type Popup struct {
	Time    time.Time
	URL     string
	Name    string
	Gesture bool   // a person's click or key stands behind it
	FrameID string // root frame of the process that asked for it
}

// Crash is the death of a renderer or worker.
type Crash struct {
	Time    time.Time
	Kind    string // kind of the session
	FrameID string
	URL     string
}

// Navigation is a new document in a frame, or a new address of the old one.
type Navigation struct {
	Time         time.Time
	FrameID      string
	URL          string
	SameDocument bool
	Kind         string
}

// Counts says how many of each there have been, dropped ones included.
type Counts struct {
	Console, Exceptions, Entries, Requests, Dialogs, Downloads, Popups, Crashes, Navigations int
	Dropped                                                                                  int // of all of these, no longer in the lists
}

func newLog() *Log {
	return &Log{flying: make(map[string]*flight), documents: make(map[string]*Request), lastActive: time.Now()}
}

// Console is what the page wrote to its console.
func (l *Log) Console() []ConsoleEntry { return list(l, &l.consoles) }

// Exceptions is what nobody caught.
func (l *Log) Exceptions() []Exception { return list(l, &l.exceptions) }

// Entries is what the browser noted.
func (l *Log) Entries() []Entry { return list(l, &l.entries) }

// Dialogs is what was asked and answered.
func (l *Log) Dialogs() []Dialog { return list(l, &l.dialogs) }

// prompts counts how often a question was asked.
func (l *Log) prompts(message string) (n int) {
	for _, d := range l.Dialogs() {
		if d.Type == "prompt" && d.Message == message {
			n++
		}
	}
	return n
}

// Downloads is what pages offered.
func (l *Log) Downloads() []Download { return list(l, &l.downloads) }

// Popups is what was opened and closed.
func (l *Log) Popups() []Popup { return list(l, &l.popups) }

// Crashes is what died.
func (l *Log) Crashes() []Crash { return list(l, &l.crashes) }

// Navigations is where the page's frames went.
func (l *Log) Navigations() []Navigation { return list(l, &l.navigations) }

// Requests is what the page loaded, as far as it has come.
func (l *Log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.requests.all()
	out := make([]Request, len(all))
	for i, r := range all {
		out[i] = *r
	}
	return out
}

// Counts are cheap to ask for.
func (l *Log) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Counts{
		Console: l.consoles.total, Exceptions: l.exceptions.total, Entries: l.entries.total,
		Requests: l.requests.total, Dialogs: l.dialogs.total, Downloads: l.downloads.total,
		Popups: l.popups.total, Crashes: l.crashes.total, Navigations: l.navigations.total,
		Dropped: l.consoles.dropped() + l.exceptions.dropped() + l.entries.dropped() + l.requests.dropped() +
			l.dialogs.dropped() + l.downloads.dropped() + l.popups.dropped() + l.crashes.dropped() + l.navigations.dropped(),
	}
}

// limits is how many bytes are kept of the next message of a kind, and of its
// address.
func limits[T any](l *Log, e *ends[T]) (text, url int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.total >= plenty {
		return maxBrief, maxBrief
	}
	return maxText, maxURL
}

func list[T any](l *Log, e *ends[T]) []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return e.all()
}

func add[T any](l *Log, e *ends[T], v T) {
	l.mu.Lock()
	e.add(v)
	l.mu.Unlock()
}

func (l *Log) addDialog(d Dialog)         { add(l, &l.dialogs, d) }
func (l *Log) addDownload(d Download)     { add(l, &l.downloads, d) }
func (l *Log) addPopup(p Popup)           { add(l, &l.popups, p) }
func (l *Log) addCrash(c Crash)           { add(l, &l.crashes, c) }
func (l *Log) addNavigation(n Navigation) { add(l, &l.navigations, n) }

// ends keeps the first and the last entries of a list without end.
type ends[T any] struct {
	head  []T
	tail  []T
	next  int // where in tail the oldest is, once it is full
	total int
}

func (e *ends[T]) add(v T) {
	e.total++
	switch {
	case len(e.head) < keep:
		e.head = append(e.head, v)
	case len(e.tail) < keep:
		e.tail = append(e.tail, v)
	default:
		e.tail[e.next] = v
		e.next = (e.next + 1) % keep
	}
}

func (e *ends[T]) all() []T {
	return slices.Concat(e.head, e.tail[e.next:], e.tail[:e.next])
}

func (e *ends[T]) dropped() int { return e.total - len(e.head) - len(e.tail) }

// clip shortens text to at most max bytes without cutting a character.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	const mark = "…"
	cut := max - len(mark)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	// A copy, so that the long text can go.
	return strings.Clone(s[:cut]) + mark
}
