package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// InputKind is a kind of input.
type InputKind string

// The kinds of input. None lets time pass.
const (
	InputNone        InputKind = "none"
	InputKey         InputKind = "key"
	InputType        InputKind = "type"
	InputClick       InputKind = "click"
	InputDoubleClick InputKind = "doubleclick"
	InputDrag        InputKind = "drag"
	InputHover       InputKind = "hover"
	InputWheel       InputKind = "wheel"
	InputTap         InputKind = "tap"
	// InputFill writes Text into the field at a place, InputChoose takes the next
	// entry of the list there, InputScroll scrolls the page to a place.
	InputFill   InputKind = "fill"
	InputChoose InputKind = "choose"
	InputScroll InputKind = "scroll"
	// InputSubmit writes Text into the field at a place and presses Enter there.
	InputSubmit InputKind = "submit"
	// InputCopy types what the page shows at the first point of Path when the input is made,
	// into the field at a place if it has one, and presses Enter. Text is what it showed
	// when the input was thought of.
	InputCopy InputKind = "copy"
)

// Input is one thing a player does, as plain data.
type Input struct {
	Kind InputKind `json:"kind"`
	// Key is a KeyboardEvent code.
	Key string `json:"key,omitempty"`
	// At is where a pointer presses or rests, Path the way a drag takes.
	At   Point   `json:"at,omitzero"`
	Path []Point `json:"path,omitempty"`
	// Text is what is written, or what a question is answered with that a press opens.
	Text string `json:"text,omitempty"`
	// Label says what is at the place, for people.
	Label string `json:"label,omitempty"`
	// Selector names the element that a click is meant for.
	Selector string `json:"selector,omitempty"`
	// Held: the key is held for half a second and not only tapped.
	Held bool `json:"held,omitempty"`
}

// Keyed reports whether the input comes from the keyboard.
func (in Input) Keyed() bool {
	return in.Kind == InputKey || in.Kind == InputType || in.Kind == InputSubmit || in.Kind == InputCopy
}

// Pressed reports whether the input presses a pointer at one place.
func (in Input) Pressed() bool {
	return in.Kind == InputClick || in.Kind == InputDoubleClick || in.Kind == InputTap
}

// Scrolls reports whether the browser itself may scroll the page or select text
// because of the input.
func (in Input) Scrolls() bool {
	return in.Keyed() || in.Kind == InputDrag || in.Kind == InputDoubleClick || in.Kind == InputWheel
}

// Begins is where the pointer is pressed, or what it points at.
func (in Input) Begins() Point {
	if len(in.Path) > 0 {
		return in.Path[0]
	}
	return in.At
}

// String names the input for people.
func (in Input) String() string {
	switch in.Kind {
	case InputNone:
		return "nothing"
	case InputKey:
		if in.Held {
			return "hold " + KeyLabel(in.Key)
		}
		return KeyLabel(in.Key)
	case InputType:
		return fmt.Sprintf("type %q", in.Text)
	case InputCopy:
		return fmt.Sprintf("type what is shown at %.0f,%.0f", in.Begins().X, in.Begins().Y)
	case InputSubmit:
		return fmt.Sprintf("type %q and Enter at %.0f,%.0f", in.Text, in.At.X, in.At.Y)
	}
	where := fmt.Sprintf("at %.0f,%.0f", in.At.X, in.At.Y)
	if len(in.Path) > 1 {
		a, b := in.Path[0], in.Path[len(in.Path)-1]
		where = fmt.Sprintf("from %.0f,%.0f to %.0f,%.0f", a.X, a.Y, b.X, b.Y)
	}
	if in.Label != "" {
		where = fmt.Sprintf("%q %s", strings.Join(strings.Fields(in.Label), " "), where)
	}
	if in.Pressed() && in.Text != "" {
		where += fmt.Sprintf(", answering %q", in.Text)
	}
	return string(in.Kind) + " " + where
}

// Step is an input with the frame of game time at which it was made.
type Step struct {
	Frame int   `json:"frame"`
	Input Input `json:"input"`
	// Reseeded: chance began anew before the input. One that deals anew gives the
	// same deal each time then.
	Reseeded bool `json:"reseeded,omitempty"`
}

// Observation is one comparison of two pages of the game that live through the
// same seconds under one stepped clock: one was left alone, one got the input.
// Observations are appended and never changed.
type Observation struct {
	// Stage is what the comparison was made for: search, alive.
	Stage string `json:"stage"`
	Input Input  `json:"input"`
	// Offer names what suggested the input: element, text, object, key, place, field.
	Offer string `json:"offer,omitempty"`
	// Seconds of game time at which the input was made.
	Seconds float64 `json:"seconds"`
	// From and To number the screens before and after the input; they are equal
	// when the input leads nowhere else.
	From int `json:"from"`
	To   int `json:"to"`

	// Noise counts pixels that differed before the input, by chance.
	Noise int `json:"noise,omitempty"`
	// Trace: the pages drew, or changed their documents, differently.
	Trace bool `json:"trace,omitempty"`
	// Unhandled: the picture changed without the page's code drawing or changing
	// anything, as the browser itself does for a checkbox.
	Unhandled bool `json:"unhandled,omitempty"`
	// Pixels of the half-size picture that differ because of the input, Area where.
	Pixels int  `json:"pixels"`
	Area   Rect `json:"area,omitzero"`
	// Cells of a grid of 32 by 18 over the window in which they differ.
	Cells []int `json:"cells,omitempty"`
	// Later counts the pixels that still differ a second or more later; -1 when nobody looked.
	Later int `json:"later"`
	// Itself counts the pixels that changed in that second where nothing was sent.
	Itself int `json:"itself,omitempty"`
	// Repeats is what came of making the same input again, once for each repeat.
	Repeats []Repeat `json:"repeats,omitempty"`
	// Other counts the pixels by which the picture differs from what another input
	// brought at the same moment, where that was tried.
	Other int `json:"other,omitempty"`
	// Alike: one of the other inputs brought the same.
	Alike bool `json:"alike,omitempty"`
	// New: the picture after the input had not been seen before.
	New bool `json:"new,omitempty"`

	// Left is the address on another site, or the missing page, that the input led to.
	Left string `json:"left,omitempty"`
	// Loaded: the input loaded a document of the same site.
	Loaded bool `json:"loaded,omitempty"`
	// Stopped: a script of that document stopped with an error while it loaded.
	Stopped bool `json:"stopped,omitempty"`
	// Elsewhere: it was made on another page of the site than the one that was opened.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Reloaded: within two seconds the page was loaded again, at the same address.
	Reloaded bool `json:"reloaded,omitempty"`
	// Threw is the first exception in the played page that the other did not throw.
	Threw string `json:"threw,omitempty"`
	// Dialog: the input opened a dialog of the browser.
	Dialog bool `json:"dialog,omitempty"`
	// Reply numbers what the game said in dialogs after its first question had been answered
	// with the text of the input: answers to the same question with the same number were
	// followed by the same words. Zero where that was not tried.
	Reply int `json:"reply,omitempty"`
	// Before and After are pictures of the two pages at the same moment.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Repeat is what came of making the same input again.
type Repeat struct {
	// Pixels that differ from the same moment with the input one time less.
	Pixels int `json:"pixels"`
	// Back: the picture is what it was before the first time.
	Back bool `json:"back,omitempty"`
	// Same: the picture is what it was after the first time, as when a round begins anew.
	Same bool `json:"same,omitempty"`
	New  bool `json:"new,omitempty"`
}

// LeastPixels is how many pixels of the half-size picture must differ to count.
const LeastPixels = 10

// localCells is how many of the grid's 576 cells a change of one place may take up.
const localCells = 90

// Effect reports whether the input changed what can be seen.
func (o Observation) Effect() bool { return o.Pixels >= LeastPixels && o.Left == "" }

// Local reports whether it changed one place and not the whole screen.
func (o Observation) Local() bool { return len(o.Cells) <= localCells }

// Screen is one of the screens that the search came to.
type Screen struct {
	ID int `json:"id"`
	// Offers counts what could be pressed on it.
	Offers int `json:"offers"`
	// Tried counts the offers that were tried on it.
	Tried int `json:"tried"`
	// Canvas says whether the game's canvas can be seen on it: shown, flat (one colour where
	// it lies) or hidden; empty if the game has none.
	Canvas string `json:"canvas,omitempty"`
	// Prefix is how to get there from the first byte.
	Prefix []Step `json:"prefix,omitempty"`
	// Picture is the path of a picture of it.
	Picture string `json:"picture,omitempty"`
}

// What can be seen of a canvas.
const (
	CanvasShown  = "shown"
	CanvasFlat   = "flat"
	CanvasHidden = "hidden"
)

// TwinRecord is what the pages under the stepped clock found.
type TwinRecord struct {
	// Opened: both pages could be opened and stepped.
	Opened bool   `json:"opened"`
	Reason string `json:"reason,omitempty"` // why not
	// Window is what the game was played in: a smaller one than the live page's where
	// this machine hardly draws it.
	Window Rect `json:"window,omitzero"`
	// Repeatable: left alone, the two pages stay alike. Noise is the share of the
	// picture in which they did not.
	Repeatable bool    `json:"repeatable"`
	Noise      float64 `json:"noise,omitempty"`
	// Unlike is the share of the picture, by a coarse grid, in which what the live page shows
	// when it is left alone differs from the screen of the twins that is most like it.
	Unlike float64 `json:"unlike,omitempty"`
	// Blank: the picture shows one flat colour and no text.
	Blank bool `json:"blank,omitempty"`
	// Lacking: a script of the page that was opened could not be loaded or stopped with an
	// error before the first input.
	Lacking bool `json:"lacking,omitempty"`
	// HungOnce: the game did not return from a step, and did when it was played again with
	// other chance. What was observed before that is not in the record.
	HungOnce bool `json:"hungOnce,omitempty"`
	// WantsFile: the page has a field for files.
	WantsFile bool `json:"wantsFile,omitempty"`
	// Asked is how many questions the page had asked in dialogs before the first input.
	Asked int `json:"asked,omitempty"`
	// Animated: the picture changes while nothing is sent.
	Animated bool `json:"animated,omitempty"`
	// Drawing is in how many frames before the first input the game drew or changed something.
	Drawing int `json:"drawing,omitempty"`

	Observations []Observation `json:"observations"`
	Screens      []Screen      `json:"screens"`
	// Modalities say what became of the inputs of each kind.
	Modalities []Modality `json:"modalities,omitempty"`
	// Pace compares the clock that the game reads with the time that passes.
	Pace Pace `json:"pace,omitzero"`
	// Exhausted: everything that could be thought of was tried on every screen that was reached.
	Exhausted bool `json:"exhausted"`
	// Alive is how the game went on with its proven controls.
	Alive AliveRecord `json:"alive"`
	// Seconds of game time that passed, and of real time that it took.
	GameSeconds float64 `json:"gameSeconds"`
	RealSeconds float64 `json:"realSeconds"`
	// Spent says what the real time was spent on.
	Spent Spent `json:"spent,omitzero"`
}

// Spent is real time in seconds: until the first input could be made, until a control was
// proven or everything was tried, for more controls, and for the minute of play; and how
// many pages were opened.
type Spent struct {
	Begin  float64 `json:"begin"`
	Search float64 `json:"search"`
	More   float64 `json:"more"`
	Play   float64 `json:"play"`
	Pages  int     `json:"pages"`
}

// Pace counts stretches of half a second or more since the first input: all, those in which
// the clock that the game reads stood still, and those in which it ran many times too fast.
type Pace struct {
	Stretches int `json:"stretches"`
	Stood     int `json:"stood,omitempty"`
	Raced     int `json:"raced,omitempty"`
}

// AliveRecord is a minute of the game, played with the controls that were proven.
type AliveRecord struct {
	Seconds float64     `json:"seconds"`
	Looks   []AliveLook `json:"looks"`
	// Presses counts how often each control took part, by its name.
	Presses []PressCount `json:"presses"`
	// States counts different pictures that were seen.
	States int `json:"states"`
	// Responds: at the end an input still makes a difference.
	Responds bool `json:"responds"`
	// Apart: the pages did not stay alike while they were played, so that nothing could
	// be compared at the end.
	Apart bool `json:"apart,omitempty"`
	// DeadAt is the game time from which on no input made a difference, zero if there is none.
	DeadAt float64 `json:"deadAt,omitempty"`
	// Stops is the button beside the game that stops it, without which it was played.
	Stops string `json:"stops,omitempty"`
	// Withheld: at the end a listener above the game keeps the inputs from it that it was given before.
	Withheld bool `json:"withheld,omitempty"`
	// Unexplained: time ran out before it was known why they stopped working.
	Unexplained bool `json:"unexplained,omitempty"`
	// Ended: something new was shown when the controls stopped working, as at the end of a round.
	Ended bool `json:"ended,omitempty"`
	// Decided: the game's own code took a turn that it had never taken when it stopped.
	Decided bool `json:"decided,omitempty"`
	// Runs: its code went on running as it had when nothing was drawn any more.
	Runs bool `json:"runs,omitempty"`
	// Inert: none of its own code ran any more, by itself or for an input that it had answered to.
	Inert bool `json:"inert,omitempty"`
	// StillPlayed and StillAlone are the game times at which a game that stopped drew or
	// changed something last, when it was played and when it was left alone; zero if that
	// was not found out.
	StillPlayed float64 `json:"stillPlayed,omitempty"`
	StillAlone  float64 `json:"stillAlone,omitempty"`
	// Hung: a step did not return.
	Hung string `json:"hung,omitempty"`
	// Left: the page went elsewhere, or loaded itself again, without an input.
	Left  string `json:"left,omitempty"`
	Loads int    `json:"loads,omitempty"`
	// Reloads counts the documents that the page loaded by itself while it was left alone.
	Reloads int `json:"reloads,omitempty"`
	// Gone: the canvas that was played on cannot be seen any more, and nothing new can.
	Gone bool `json:"gone,omitempty"`
	// Dialogs of the browser that the game opened since the first input.
	Dialogs int `json:"dialogs,omitempty"`
	// Blank: nothing could be seen any more at the end.
	Blank bool `json:"blank,omitempty"`
	// Picture is the path of a picture of the end.
	Picture string `json:"picture,omitempty"`
	// Exceptions that the game threw while it was played, without those of single inputs.
	Exceptions int    `json:"exceptions,omitempty"`
	Threw      string `json:"threw,omitempty"`
	// Heap is the memory that the page used at each look, in megabytes, and Kept what was
	// left of a heap that grew when its garbage was collected.
	Heap []float64 `json:"heapMB,omitempty"`
	Kept float64   `json:"keptMB,omitempty"`
}

// Hoards reports whether the page keeps more and more memory: it grew from look to look, by
// more than a game's things coming and going, and a garbage collection did not free it.
func (a AliveRecord) Hoards() bool {
	return a.Grows() && muchMore(a.Heap[1], a.Kept)
}

// Grows reports whether the memory grew from look to look. The first look is of a game that
// has just begun.
func (a AliveRecord) Grows() bool {
	const looks = 4
	return len(a.Heap) >= looks && slices.IsSorted(a.Heap[1:]) && muchMore(a.Heap[1], a.Heap[len(a.Heap)-1])
}

// muchMore compares megabytes.
func muchMore(from, to float64) bool { return to > from*1.5 && to-from > 20 }

// Rests reports whether a game that moved still draws at the end, but always the same:
// it waits, as after the end of a round or in a pause that an input began.
func (a AliveRecord) Rests() bool {
	moved := slices.ContainsFunc(a.Looks, func(l AliveLook) bool { return l.Moved })
	return len(a.Looks) > 1 && moved && a.Looks[len(a.Looks)-1].Drew && !a.Looks[len(a.Looks)-1].Moved
}

// EndedByPlay reports whether the time at which the game stopped depends on how it was
// played, as at the end of a round.
func (a AliveRecord) EndedByPlay() bool {
	const apart = 0.5 // seconds
	return a.StillPlayed > 0 && a.StillAlone > 0 && math.Abs(a.StillPlayed-a.StillAlone) > apart
}

// AliveLook is one look at the minute of play.
type AliveLook struct {
	Seconds float64 `json:"seconds"`
	// Moved: the picture changed since the last look.
	Moved bool `json:"moved"`
	// Drew: the page drew or changed its document since the last look.
	Drew  bool `json:"drew"`
	Blank bool `json:"blank,omitempty"`
}

// PressCount says how often a control was pressed.
type PressCount struct {
	Input string `json:"input"`
	Count int    `json:"count"`
}
