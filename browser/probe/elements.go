package probe

import "github.com/playtest-dev/playtest/browser"

// Elements is what can be seen and hit on the page.
type Elements struct {
	Elements []Element  `json:"elements"`
	Texts    []PageText `json:"texts"`
	Top      *Top       `json:"top"`
	// Lid hides all of the game and offers nothing to press, as a splash screen does.
	Lid          *Lid        `json:"lid"`
	Width        float64     `json:"width"`
	Height       float64     `json:"height"`
	ScrollWidth  float64     `json:"scrollWidth"`
	ScrollHeight float64     `json:"scrollHeight"`
	Truncated    bool        `json:"truncated"`
	Frames       []FrameSlot `json:"frames"`
	// Shapes counts visible pictures, canvases, videos and form fields.
	Shapes int `json:"shapes"`
	// Handlers are on... properties of window, document and elements: "keydown|window".
	Handlers []string `json:"handlers"`
}

// Box is a rectangle in CSS pixels of the page's viewport.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Element is something that might take a pointer or text.
type Element struct {
	Tag      string   `json:"tag"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Role     string   `json:"role"`
	Text     string   `json:"text"`
	Hint     string   `json:"hint"`    // what a field says that is to be written
	Longest  int      `json:"longest"` // how many characters a field takes, 0 if as many as one likes
	Attrs    []string `json:"attrs"`
	Box      Box      `json:"box"`
	InView   bool     `json:"inView"`
	CX       float64  `json:"cx"`
	CY       float64  `json:"cy"`
	Hit      bool     `json:"hit"` // nothing else lies over its middle
	Disabled bool     `json:"disabled"`
	Filled   bool     `json:"filled"` // a field to which the page itself gave a value
	Href     string   `json:"href"`
	Target   string   `json:"target"`
	// Reasons say why it may be a control: native, listener, cursor, cell, draggable, grab, dropzone, typing.
	Reasons  []string `json:"reasons"`
	Selector string   `json:"selector"`
	Listens  []string `json:"listens"`
	FrameID  string   `json:"-"`
	FrameURL string   `json:"-"`
	Child    bool     `json:"-"` // in a frame within the page
}

// Is reports whether the element was found for that reason.
func (e Element) Is(reason string) bool {
	for _, r := range e.Reasons {
		if r == reason {
			return true
		}
	}
	return false
}

// PageText is text of the document.
type PageText struct {
	Text   string  `json:"text"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	W      float64 `json:"w"`
	H      float64 `json:"h"`
	Size   float64 `json:"size"`
	InView bool    `json:"inView"`
	// Covered: something that hides what is below it lies over the text.
	Covered bool `json:"covered"`
}

// Top is the element on top of a point.
type Top struct {
	Tag        string   `json:"tag"`
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	Box        Box      `json:"box"`
	Position   string   `json:"position"`
	Background string   `json:"background"`
	Opacity    float64  `json:"opacity"`
	ZIndex     string   `json:"zIndex"`
	Selector   string   `json:"selector"`
	Listens    []string `json:"listens"`
	Frame      bool     `json:"frame"`
}

// Lid is an element that hides what lies below it.
type Lid struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
}

// FrameSlot is where a frame lies.
type FrameSlot struct {
	Src   string `json:"src"`
	Box   Box    `json:"box"`
	Shown bool   `json:"shown"`
}

func (e *Elements) shift(o browser.Point, f *browser.Frame) {
	for i := range e.Elements {
		el := &e.Elements[i]
		el.Box.X += o.X
		el.Box.Y += o.Y
		el.CX += o.X
		el.CY += o.Y
		el.FrameID, el.FrameURL, el.Child = f.ID(), f.URL(), f.ParentID() != ""
	}
	for i := range e.Texts {
		e.Texts[i].X += o.X
		e.Texts[i].Y += o.Y
	}
	for i := range e.Frames {
		e.Frames[i].Box.X += o.X
		e.Frames[i].Box.Y += o.Y
	}
	if e.Top != nil {
		e.Top.Box.X += o.X
		e.Top.Box.Y += o.Y
	}
}

func (e *Elements) merge(o *Elements) {
	e.Elements = append(e.Elements, o.Elements...)
	e.Texts = append(e.Texts, o.Texts...)
	e.Frames = append(e.Frames, o.Frames...)
	e.Handlers = append(e.Handlers, o.Handlers...)
	e.Shapes += o.Shapes
	e.Truncated = e.Truncated || o.Truncated
	// The frame's own answer is the deeper one where the page only sees a frame.
	if e.Top != nil && e.Top.Frame && o.Top != nil {
		e.Top = o.Top
	}
}
