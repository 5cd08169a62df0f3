package record

import "time"

// Survey is what a game's page is like beside the three checks: how it runs, on a phone,
// and for people who cannot see or use all of it. Nothing judges by it.
type Survey struct {
	// Frames is how evenly the live page could draw, Latency how soon it drew after an
	// input; nil where nothing was seen.
	Frames  *Rhythm  `json:"frames,omitempty"`
	Latency *Latency `json:"latency,omitempty"`
	// HeapMB is the memory of the page's scripts at the end, in megabytes.
	HeapMB float64 `json:"heapMB,omitempty"`
	// Barriers are what keeps people out; empty when none was found, nil when nobody looked.
	Barriers []Barrier `json:"barriers"`
	// Phone is the page in a phone's window.
	Phone *Phone `json:"phone,omitempty"`
}

// Rhythm is how a page drew for a few seconds, in milliseconds.
type Rhythm struct {
	// Began is when the first frame of it was waited for.
	Began time.Time `json:"began,omitzero"`
	FPS   float64   `json:"fps"`
	// Usual is the usual distance of two frames, Longest the longest, Late how many
	// came after more than twice the usual one.
	Usual   float64 `json:"usual"`
	Longest float64 `json:"longest"`
	Late    int     `json:"late"`
	// Gaps are the distances, in their order.
	Gaps []float64 `json:"gaps"`
}

// Latency is the time from an input until the page was drawn again, in milliseconds.
type Latency struct {
	Inputs  int     `json:"inputs"`
	Usual   float64 `json:"usual"`
	Longest float64 `json:"longest"`
}

// Barrier is something that keeps people out.
type Barrier struct {
	// Kind is a word for programs: language, title, zoom, picture, name, keyboard,
	// contrast, canvas.
	Kind string `json:"kind"`
	// Count is how often it is there, Examples are some of the elements.
	Count    int      `json:"count"`
	Examples []string `json:"examples,omitempty"`
}

// The kinds of input that a page takes, as a phone sees it.
const (
	TouchTouch = "touch" // it listens to touches or to pointers of any kind
	TouchMouse = "mouse" // to clicks, which a tap is too
	TouchKeys  = "keys"  // to keys alone, which a phone has not
)

// Phone is the page as it is after its window became that of a phone held upright.
type Phone struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	// Declares: the page says how wide it is on a phone. One that does not is shown
	// small, as on a wide screen.
	Declares bool `json:"declares"`
	// Wide is by how many pixels the page is wider than the window.
	Wide int `json:"wide,omitempty"`
	// Shown is the share of the game's largest canvas that can be seen, -1 without one.
	Shown float64 `json:"shown"`
	// Small counts buttons and links that are too small for a finger.
	Small int `json:"small,omitempty"`
	// Touch is touch, mouse or keys, empty when it is not known.
	Touch   string `json:"touch,omitempty"`
	Picture string `json:"picture,omitempty"`
}
