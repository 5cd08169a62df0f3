package probe

import (
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// Reading is what the probe saw in all frames and workers up to now.
type Reading struct {
	// Frames begin with the main frame; workers come last.
	Frames []*State
	// Silent counts frames and workers that have answered before and did not now: what
	// they did is missing here. After eight seconds they count as gone.
	Silent int
}

// State is what the probe saw in one frame. Times are milliseconds of the
// frame's own clock.
type State struct {
	FrameID  string `json:"-"`
	FrameURL string `json:"-"`
	// Worker: this is no frame but a worker, named by its target.
	Worker bool `json:"-"`

	Now             float64 `json:"now"`
	Frames          int     `json:"frames"`
	FramesRequested int     `json:"framesRequested"`
	LastFrame       float64 `json:"lastFrame"`
	FPS             float64 `json:"fps"`
	// Rhythm is the usual distance of two animation frames, 0 without any.
	Rhythm   float64 `json:"rhythm"`
	Draws    int     `json:"draws"`
	LastDraw float64 `json:"lastDraw"`
	Turns    int     `json:"turns"`
	// Sigs are signatures of what the last turns drew; equal means an equal picture.
	Sigs []int32 `json:"sigs"`

	Mutations    int     `json:"mutations"`
	LastMutation float64 `json:"lastMutation"`
	TextPaints   int     `json:"textPaints"`

	TimersRun   int `json:"timersRun"`
	TimersAlive int `json:"timersAlive"`
	Intervals   int `json:"intervals"`

	Storage     int `json:"storage"`
	PointerLock int `json:"pointerLock"`
	Fullscreen  int `json:"fullscreen"`
	Gamepads    int `json:"gamepads"`
	Media       int `json:"media"`
	Motion      int `json:"motion"`
	AudioPlays  int `json:"audioPlays"`
	WASM        int `json:"wasm"`
	Workers     int `json:"workers"`

	LongTasks    int     `json:"longTasks"`
	LongTaskTime float64 `json:"longTaskTime"`
	LongestTask  float64 `json:"longestTask"`
	LastLongTask float64 `json:"lastLongTask"`

	ContextsLost     int `json:"contextsLost"`
	ContextsRestored int `json:"contextsRestored"`
	// ContextsMissing counts the visible canvases whose context is lost.
	ContextsMissing int `json:"contextsMissing"`

	Errors    int `json:"errors"`
	Unhandled int `json:"unhandled"`

	// Delivered counts trusted events that arrived, Reads how often handlers
	// read them, Prevented how often they prevented the default; by type.
	Delivered map[string]int `json:"delivered"`
	Reads     map[string]int `json:"reads"`
	Prevented map[string]int `json:"prevented"`
	// Stopped counts events that a listener of the window or the document kept
	// from everything below.
	Stopped          map[string]int `json:"stopped"`
	DefaultPrevented int            `json:"defaultPrevented"`
	AudioStates      []string       `json:"audioStates"`

	Contexts     map[string]int `json:"contexts"`
	ShaderErrors []string       `json:"shaderErrors"`
	DecodeErrors []string       `json:"decodeErrors"`
	Listeners    []Listener     `json:"listeners"`
	Canvases     []Canvas       `json:"canvases"`
	Texts        []Text         `json:"texts"`
	Images       []Image        `json:"images"`
	Surfaces     []Surface      `json:"surfaces"`
	ScrollX      float64        `json:"scrollX"`
	ScrollY      float64        `json:"scrollY"`
	ReadyState   string         `json:"readyState"`
	Title        string         `json:"title"`
}

// Listener is a kind of event that something in the frame listens to.
type Listener struct {
	Type   string `json:"type"`
	Target string `json:"target"`
	Count  int    `json:"count"`
	At     string `json:"at"`
}

// Canvas is a canvas of the page.
type Canvas struct {
	Kind   string  `json:"kind"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	W      float64 `json:"w"`
	H      float64 `json:"h"`
	Shown  bool    `json:"shown"`
	// Ornament: pointers pass through it to a document that has buttons of its own,
	// as they do through confetti.
	Ornament bool `json:"ornament"`
}

// Void reports whether the canvas has no pixels to draw on, however large it is on
// the page.
func (c Canvas) Void() bool { return c.Width == 0 || c.Height == 0 }

// Text is a text painted on a canvas, placed on the page.
type Text struct {
	Text string  `json:"text"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w"`
	H    float64 `json:"h"`
	// Age and Last say how many milliseconds ago it was first and last painted.
	Age   float64 `json:"age"`
	Last  float64 `json:"last"`
	Count int     `json:"count"`
}

// Surface is a canvas without a place, such as one that a worker draws on; its
// texts have places in its own pixels.
type Surface struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Texts  []Text `json:"texts"`
}

// Image is a picture painted on a canvas that is large enough to be a button.
type Image struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	W     float64 `json:"w"`
	H     float64 `json:"h"`
	Age   float64 `json:"age"`
	Count int     `json:"count"`
}

// Engine is a game engine with its scene: the objects that a pointer can hit, and what is
// written there.
type Engine struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Scene   string   `json:"scene"`
	Objects []Object `json:"objects"`
	Texts   []Object `json:"texts"`
}

// Object is a thing of an engine's scene. Drag: it can be dragged.
type Object struct {
	Text string  `json:"text"`
	Kind string  `json:"kind"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w"`
	H    float64 `json:"h"`
	Drag bool    `json:"drag"`
}

func (s *State) shift(o browser.Point) {
	for i := range s.Canvases {
		s.Canvases[i].X += o.X
		s.Canvases[i].Y += o.Y
	}
	for i := range s.Texts {
		s.Texts[i].X += o.X
		s.Texts[i].Y += o.Y
	}
	for i := range s.Images {
		s.Images[i].X += o.X
		s.Images[i].Y += o.Y
	}
}

// Sum adds a number over all frames.
func (r *Reading) Sum(of func(*State) int) int {
	n := 0
	for _, f := range r.Frames {
		n += of(f)
	}
	return n
}

// Max returns the largest of a number over all frames.
func (r *Reading) Max(of func(*State) float64) float64 {
	m := 0.0
	for _, f := range r.Frames {
		m = max(m, of(f))
	}
	return m
}

// Drawn is how many drawing calls were made, Mutated how often the document changed.
func (r *Reading) Drawn() int { return r.Sum(func(s *State) int { return s.Draws }) }

// Mutated is how often the documents changed.
func (r *Reading) Mutated() int { return r.Sum(func(s *State) int { return s.Mutations }) }

// Ticks is how many animation frames ran.
func (r *Reading) Ticks() int { return r.Sum(func(s *State) int { return s.Frames }) }

// FPS is the highest frame rate of any frame.
func (r *Reading) FPS() float64 { return r.Max(func(s *State) float64 { return s.FPS }) }

// Rhythm is the longest usual distance of two animation frames in any frame.
func (r *Reading) Rhythm() time.Duration {
	return time.Duration(r.Max(func(s *State) float64 { return s.Rhythm }) * float64(time.Millisecond))
}

// Delivered is how many trusted events of these types arrived.
func (r *Reading) Delivered(types ...string) int {
	return r.Sum(func(s *State) int { return total(s.Delivered, types) })
}

// Reads is how often handlers read events of these types.
func (r *Reading) Reads(types ...string) int {
	return r.Sum(func(s *State) int { return total(s.Reads, types) })
}

// Prevented is how often the default of events of these types was prevented.
func (r *Reading) Prevented(types ...string) int {
	return r.Sum(func(s *State) int { return total(s.Prevented, types) })
}

func total(m map[string]int, types []string) int {
	n := 0
	for _, t := range types {
		n += m[t]
	}
	return n
}

// Texts lists what is painted on canvases now.
func (r *Reading) Texts() []Text {
	var out []Text
	for _, f := range r.Frames {
		out = append(out, f.Texts...)
	}
	return out
}

// Canvases lists the canvases that have a context.
func (r *Reading) Canvases() []Canvas {
	var out []Canvas
	for _, f := range r.Frames {
		out = append(out, f.Canvases...)
	}
	return out
}

// HearsAll are the targets that hear every event. A listener on a button hears
// only what hits the button.
var HearsAll = []string{"window", "document", "body", "html", "canvas"}

// Hears reports whether something in the frame hears every event of one of the types.
func (s *State) Hears(types ...string) bool {
	return slices.ContainsFunc(s.Listeners, func(l Listener) bool {
		return slices.Contains(types, l.Type) && slices.ContainsFunc(HearsAll, func(all string) bool { return strings.HasPrefix(l.Target, all) })
	})
}

// Listens reports whether anything listens to one of the event types.
func (r *Reading) Listens(types ...string) bool {
	for _, f := range r.Frames {
		for _, l := range f.Listeners {
			for _, t := range types {
				if l.Type == t {
					return true
				}
			}
		}
	}
	return false
}

// Clocks are the frames' own times, to ask for signatures since then.
func (r *Reading) Clocks() map[string]float64 {
	m := make(map[string]float64, len(r.Frames))
	for _, f := range r.Frames {
		m[f.FrameID] = f.Now
	}
	return m
}
