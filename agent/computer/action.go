package computer

import (
	"fmt"
	"strings"
	"time"
)

// Kind is what is done.
type Kind string

// The kinds. Every action of every vendor is one of these, or several.
const (
	Click      Kind = "click"
	Down       Kind = "down" // press a button and leave it down
	Up         Kind = "up"
	Move       Kind = "move"
	Drag       Kind = "drag"
	Scroll     Kind = "scroll"
	Press      Kind = "keypress" // keys together, once or several times
	Hold       Kind = "hold"     // keys together for a while
	KeyDown    Kind = "keydown"
	KeyUp      Kind = "keyup"
	Type       Kind = "type"
	Wait       Kind = "wait"
	Screenshot Kind = "screenshot"
	Zoom       Kind = "zoom"   // a picture of a part
	Cursor     Kind = "cursor" // where the pointer is
	Navigate   Kind = "goto"
	Back       Kind = "back"
	Forward    Kind = "forward"
	Reload     Kind = "reload"
	Nothing    Kind = "nothing" // asked for and there already

	// With elements of the page instead of places, for vendors whose tools know
	// them.
	Fill     Kind = "fill"     // set the value of a field
	ScrollTo Kind = "scrollto" // bring an element into view
	Read     Kind = "read"     // the page as a tree of elements
	ReadText Kind = "readtext" // the page as plain text
	Find     Kind = "find"     // elements by a description
)

// acts reports whether it is done to the page, and not only to see more of it.
func (k Kind) acts() bool {
	switch k {
	case Screenshot, Zoom, Cursor, Wait, Nothing, Read, ReadText, Find:
		return false
	}
	return true
}

// Action is one thing to do to the page, in no vendor's words.
type Action struct {
	Kind Kind `json:"kind"`
	// At is where. Nil is where the pointer is.
	At *Point `json:"at,omitempty"`
	// Ref is the element to act on or to read, by the reference that a Read or
	// Find gave it. It goes before At.
	Ref string `json:"ref,omitempty"`
	// Found are selectors of that element, the steadiest first. They are noted
	// when the action is carried out, for a replay, where no reference holds.
	Found []string `json:"found,omitempty"`
	// Filter and Depth say how much a Read shows: "interactive" is what can be
	// acted on, "all" is also what lies outside of the window.
	Filter string `json:"filter,omitempty"`
	Depth  int    `json:"depth,omitempty"`
	// Path is the way of a drag; the corners of a zoom.
	Path []Point `json:"path,omitempty"`
	// By is how far to scroll: positive is right and down.
	By *Point `json:"by,omitempty"`
	// Button is left if empty, or middle, or right.
	Button string `json:"button,omitempty"`
	// Times is how often to click or press, once if zero.
	Times int `json:"times,omitempty"`
	// Keys go down together; with the pointer's kinds they are held meanwhile.
	// They are named as browser.LookupKey names them.
	Keys []string      `json:"keys,omitempty"`
	Text string        `json:"text,omitempty"`
	URL  string        `json:"url,omitempty"`
	For  time.Duration `json:"for,omitempty"` // of a wait or a hold
}

// String is the action in a few words, for logs and reports.
func (a Action) String() string {
	words := []string{string(a.Kind)}
	if a.Button != "" && a.Button != "left" {
		words = append(words, a.Button)
	}
	if len(a.Keys) > 0 {
		words = append(words, strings.Join(a.Keys, "+"))
	}
	if a.Times > 1 {
		words = append(words, fmt.Sprintf("%d times", a.Times))
	}
	if a.Text != "" {
		words = append(words, fmt.Sprintf("%q", clip(a.Text, 60)))
	}
	if a.URL != "" {
		words = append(words, clip(a.URL, 120))
	}
	if a.By != nil {
		words = append(words, "by "+a.By.String())
	}
	if a.At != nil {
		words = append(words, "at "+a.At.String())
	}
	if a.Ref != "" {
		words = append(words, "on "+clip(a.Ref, 40))
	}
	for i, p := range a.Path {
		word := "to "
		if i == 0 {
			word = "from "
		}
		words = append(words, word+p.String())
	}
	if a.For > 0 {
		words = append(words, "for "+a.For.String())
	}
	return strings.Join(words, " ")
}

// clip keeps the beginning of a text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// longest is how long a wait or a hold may take. What is beyond it is a model
// that lost count of its units.
const longest = 60 * time.Second

// Seconds is a duration that a model gave in seconds.
func Seconds(s float64) (time.Duration, error) {
	if !(s >= 0 && s <= longest.Seconds()) {
		return 0, fmt.Errorf("%g seconds: want 0 to %g", s, longest.Seconds())
	}
	return time.Duration(s * float64(time.Second)), nil
}

// most is how often one action may repeat.
const most = 100

// Count is how often a model wants something done, once where it did not say.
func Count(n int) (int, error) {
	if n < 0 || n > most {
		return 0, fmt.Errorf("%d times: want 1 to %d", n, most)
	}
	return max(n, 1), nil
}
