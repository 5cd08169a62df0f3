package record

import (
	"math"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/metadata"
)

// ControlType is the way a control is operated.
type ControlType string

// The ways to operate a control.
const (
	ControlKey    ControlType = "keyboard"
	ControlClick  ControlType = "click"
	ControlDrag   ControlType = "drag"
	ControlHover  ControlType = "hover"
	ControlTyping ControlType = "type"
	ControlTouch  ControlType = "touch"
)

// Rect is an area of the page's viewport in CSS pixels.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Center returns the middle of the rectangle.
func (r Rect) Center() Point { return Point{r.X + r.Width/2, r.Y + r.Height/2} }

// At is the place in the rectangle at shares of its width and height.
func (r Rect) At(share Point) Point { return Point{r.X + share.X*r.Width, r.Y + share.Y*r.Height} }

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return r.Width <= 0 || r.Height <= 0 }

// Contains reports whether p lies in the rectangle.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.Width && p.Y < r.Y+r.Height
}

// Point is a place in the page's viewport in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Spot is a place in the window as shares of its width and height, for pictures of
// any scale: 0.5 and 0.5 are its middle.
type Spot struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// SpotIn is the spot of a place in a window, or in a picture of it, of that size. A
// place outside is moved to the edge.
func SpotIn(x, y, width, height float64) Spot {
	share := func(v, of float64) float64 { return math.Round(min(max(v/of, 0), 1)*10_000) / 10_000 }
	return Spot{share(x, width), share(y, height)}
}

// Control is something a player can operate.
type Control struct {
	// ID is stable within a run: "key:ArrowLeft", "click:play".
	ID   string      `json:"id"`
	Type ControlType `json:"actionType"`
	// Keys are KeyboardEvent codes. More than one means any of them.
	Keys []string `json:"keys,omitempty"`
	// Box is where a pointer control lies; Path the way a drag takes.
	Box  *Rect   `json:"box,omitempty"`
	Path []Point `json:"path,omitempty"`
	// Text is what the control says of itself: label, painted text, accessible name.
	Text        string  `json:"text,omitempty"`
	Selector    string  `json:"selector,omitempty"`
	FrameURL    string  `json:"frameUrl,omitempty"`
	Description string  `json:"description"`
	Confidence  float64 `json:"confidence"`
	// Sources tell how it was found: metadata, coverage, listener, element, painted text, engine, default and others.
	Sources []string `json:"sources,omitempty"`
	// Reaches names the code that ran for this control and for no unbound input.
	Reaches []CodePlace `json:"reaches,omitempty"`
	// Declared is the name the metadata gives the control.
	Declared string `json:"declared,omitempty"`
	// Critical marks a control that the metadata calls critical.
	Critical bool `json:"critical,omitempty"`
	// Aside: it lies beside the game, such as sound, settings, a pause or what
	// begins a round. That it works does not say that the game can be played.
	Aside bool `json:"aside,omitempty"`
}

// KeyLabel names the key of a KeyboardEvent code as people do.
func KeyLabel(code string) string {
	switch {
	case strings.HasPrefix(code, "Key"):
		return code[3:]
	case strings.HasPrefix(code, "Digit"):
		return code[5:]
	case strings.HasPrefix(code, "Arrow"):
		return strings.ToLower(code[5:]) + " arrow"
	}
	return strings.TrimSuffix(code, "Left")
}

// CodePlace is a piece of a game's code.
type CodePlace struct {
	Function string `json:"function,omitempty"`
	URL      string `json:"url,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Library  bool   `json:"library,omitempty"`
}

// Outcome is what was found out about a control.
type Outcome string

// The outcomes of a trial.
const (
	Responsive   Outcome = "responsive"
	Unresponsive Outcome = "unresponsive"
	Undecided    Outcome = "undecided"
)

// Trial is what happened when a control was operated, against idling for as
// long and against inputs that nothing listens to.
type Trial struct {
	ControlID string  `json:"controlId"`
	Outcome   Outcome `json:"outcome"`
	Reason    string  `json:"reason"`
	// Windows counts how often the control was operated, Negatives how often
	// an unbound input or idling was watched for comparison.
	Windows   int `json:"windows"`
	Negatives int `json:"negatives"`
	// NegativeControl says what the control was compared with.
	NegativeControl string `json:"negativeControl,omitempty"`
	// Delivered counts trusted events of this input that reached the page.
	Delivered int `json:"delivered"`
	// Recognised: code ran that runs for no unbound input.
	Recognised bool `json:"recognised"`
	// Reacted: the game's loop or its state behaved differently after the input.
	Reacted bool `json:"reacted"`
	// Visible: the picture or a painted text changed because of it.
	Visible bool `json:"visible"`
	// Signals are the instruments behind the outcome.
	Signals []Signal `json:"signals,omitempty"`
	// Threw is the first exception that this input caused.
	Threw string `json:"threw,omitempty"`
	// Before and After are pictures of the evidence.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SignalReplay names the signal of a replay: the same seconds of the game
// played with the input and without it.
const SignalReplay = "replay"

// Replayed reports whether a replay decided the trial. Its pictures are then of
// one moment, Before without the input and After with it.
func (t Trial) Replayed() bool {
	return slices.ContainsFunc(t.Signals, func(s Signal) bool { return s.Name == SignalReplay && s.Holds })
}

// DeclaredResult is the result of an action or axis of the metadata as a whole.
type DeclaredResult struct {
	Name string               `json:"name"`
	Kind metadata.BindingKind `json:"kind"`
	// Keys are KeyboardEvent codes; none when it is operated another way.
	Keys     []string `json:"keys,omitempty"`
	Critical bool     `json:"critical,omitempty"`
	Outcome  Outcome  `json:"outcome"`
	Reason   string   `json:"reason"`
	// Dead are the directions of an axis, or the keys of an action, that do
	// nothing although others of the same control work.
	Dead []string `json:"dead,omitempty"`
}

// Signal is one instrument's answer in a trial: how strongly it spoke in the
// control's windows and in the comparison's, and how likely that is by chance.
type Signal struct {
	Name string `json:"name"`
	// With and Without are mean readings in the control's and the comparison's windows.
	With    float64 `json:"with"`
	Without float64 `json:"without"`
	// P is the chance of a difference this large if the input did nothing.
	P      float64 `json:"p"`
	Holds  bool    `json:"holds"`
	Detail string  `json:"detail,omitempty"`
}
