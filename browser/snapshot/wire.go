package snapshot

import (
	"context"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

// What DOMSnapshot.captureSnapshot answers, as far as it is used: one table of
// strings and, for each document of the process, columns over its nodes.

type wire struct {
	Documents []*wireDocument `json:"documents"`
	Strings   []string        `json:"strings"`
}

type wireDocument struct {
	FrameID       int     `json:"frameId"`
	Title         int     `json:"title"`
	DocumentURL   int     `json:"documentURL"`
	BaseURL       int     `json:"baseURL"`
	ScrollOffsetX float64 `json:"scrollOffsetX"`
	ScrollOffsetY float64 `json:"scrollOffsetY"`
	ContentHeight float64 `json:"contentHeight"`
	Nodes         struct {
		ParentIndex          numbers[int32] `json:"parentIndex"`
		NodeType             numbers[int8]  `json:"nodeType"`
		NodeName             numbers[int32] `json:"nodeName"`
		NodeValue            numbers[int32] `json:"nodeValue"`
		BackendNodeID        numbers[int64] `json:"backendNodeId"`
		Attributes           lists          `json:"attributes"`
		ShadowRootType       rareNumber     `json:"shadowRootType"`
		TextValue            rareNumber     `json:"textValue"`
		InputValue           rareNumber     `json:"inputValue"`
		InputChecked         rareFlag       `json:"inputChecked"`
		OptionSelected       rareFlag       `json:"optionSelected"`
		ContentDocumentIndex rareNumber     `json:"contentDocumentIndex"`
		IsClickable          rareFlag       `json:"isClickable"`
	} `json:"nodes"`
	Layout struct {
		NodeIndex numbers[int32] `json:"nodeIndex"`
		Styles    lists          `json:"styles"`
		Bounds    rects          `json:"bounds"`
	} `json:"layout"`

	// places are where elements stand among their siblings of the same tag, and
	// how many those are, where only a part of the document was read.
	places map[int32][2]int
}

// square makes columns that every node has equally long. A renderer that was
// taken over answers what it likes.
func (w *wireDocument) square() {
	n := len(w.Nodes.ParentIndex)
	w.Nodes.NodeType = fit(w.Nodes.NodeType, n)
	w.Nodes.NodeName = fit(w.Nodes.NodeName, n)
	w.Nodes.NodeValue = fit(w.Nodes.NodeValue, n)
	w.Nodes.BackendNodeID = fit(w.Nodes.BackendNodeID, n)
	w.Nodes.Attributes = fit(w.Nodes.Attributes, n)
	boxes := len(w.Layout.NodeIndex)
	w.Layout.Styles = fit(w.Layout.Styles, boxes)
	w.Layout.Bounds = fit(w.Layout.Bounds, boxes)
}

func fit[T any](column []T, n int) []T {
	if len(column) < n {
		return append(column, make([]T, n-len(column))...)
	}
	return column[:n]
}

// rareNumber is a column that few nodes have a value in.
type rareNumber struct {
	Index numbers[int32] `json:"index"`
	Value numbers[int32] `json:"value"`
}

func (r rareNumber) lookup() map[int32]int32 {
	m := make(map[int32]int32, len(r.Index))
	for i, n := range r.Index {
		if i < len(r.Value) {
			m[n] = r.Value[i]
		}
	}
	return m
}

type rareFlag struct {
	Index numbers[int32] `json:"index"`
}

func (r rareFlag) lookup() map[int32]bool {
	m := make(map[int32]bool, len(r.Index))
	for _, n := range r.Index {
		m[n] = true
	}
	return m
}

// The computed styles that are asked for, in the order of the answer. The last ones say where a
// frame's document begins in its element; they are asked for where there are frames.
var styles = []string{"visibility", "cursor", "opacity", "color", "background-color", "background-image", "overflow-y", "white-space",
	"padding-left", "padding-top", "border-left-width", "border-top-width"}

const (
	styleVisibility = iota
	styleCursor
	styleOpacity
	styleColor
	styleBackground
	styleBackgroundImage
	styleOverflow
	styleWhiteSpace
	stylePaddingLeft
	stylePaddingTop
	styleBorderLeft
	styleBorderTop
)

// describe has a process describe its documents. Each style of a page of thousands of elements takes
// milliseconds.
func describe(s *browser.Session, frames bool) *cdp.Reply {
	names := styles
	if !frames {
		names = styles[:stylePaddingLeft]
	}
	return s.Start("DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": names})
}

// read waits for the documents of a process that was asked for them.
func read(ctx context.Context, s *browser.Session, asked *cdp.Reply, frames bool) (*wire, error) {
	var w wire
	if err := s.Wait(cdp.WithTimeout(ctx, captureLimit), asked, &w); err != nil {
		return nil, err
	}
	if !frames && len(w.Documents) > 1 { // one has come meanwhile
		return read(ctx, s, describe(s, true), true)
	}
	return &w, nil
}
