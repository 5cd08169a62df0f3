package modeltest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/playtest-dev/playtest/model"
)

// Reply is what a stand-in answers, in words that fit every vendor.
type Reply struct {
	Text     string
	Thinking string
	Calls    []Call
	// Stop is StopEnd, or StopTool when there are Calls, unless given.
	Stop  model.Stop
	Usage model.Usage
	// Thoughts is how many tokens the model thinks for before it answers, as
	// far as the request's bound lets it. What the bound does not leave room
	// for is cut off.
	Thoughts int
	// Refusal and Filtered end the answer early.
	Refusal  string
	Filtered bool
	// Blocks are put into the answer as they are, in the vendor's own JSON.
	Blocks []any
	// Finish is the vendor's own word for why the answer ended.
	Finish string
	// Empty leaves out choices, candidates or content.
	Empty bool

	// Status of 400 and above answers with the vendor's error body. Code is
	// the vendor's word for it where the status leaves it open.
	Status     int
	Code       string
	Message    string
	RetryAfter string

	// From, when set, makes the reply out of the request, as a model does that
	// looks at what it is shown.
	From func(Received) Reply

	Fault Fault
	// Gate, when set, holds the first byte back until it is closed.
	Gate <-chan struct{}
}

// Call is a tool call in a reply. Args is not checked, so that it can be wrong.
type Call struct {
	ID, Name, Args string
}

// Fault is something that goes wrong below the API.
type Fault int

// The faults. Truncated and BrokenEvent are for streams only.
const (
	NoFault     Fault = iota
	Hang              // no answer until the client leaves
	Reset             // the connection is reset in the middle of the body
	BrokenJSON        // a body that is not JSON
	OtherJSON         // a body that is JSON of another kind
	HTMLPage          // a page with status 200
	HTMLError         // a page with status 502
	Truncated         // the stream ends in the middle, politely
	BrokenEvent       // an event in the middle is not JSON
)

func (r Reply) stop() model.Stop {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return model.StopTool
	}
	return model.StopEnd
}

// within is the reply as the bound lets it be: a model that thinks up to the
// bound answers nothing, and is paid for all the same.
func (r Reply) within(bound int) Reply {
	if r.Thoughts == 0 {
		return r
	}
	answer := len(r.Text) / 4
	for _, call := range r.Calls {
		answer += len(call.Args) / 4
	}
	r.Usage.Thinking = min(r.Thoughts, bound)
	if bound <= 0 || r.Thoughts+answer <= bound {
		r.Usage.Output = max(r.Usage.Output, answer)
		return r
	}
	left := max(bound-r.Thoughts, 0)
	r.Text, r.Calls, r.Stop = r.Text[:min(4*left, len(r.Text))], nil, model.StopLength
	r.Usage.Output = left
	return r
}

// args is the call's arguments as an object, for vendors that send one.
func (c Call) args() any {
	var v any
	if json.Unmarshal([]byte(c.Args), &v) != nil || v == nil {
		return map[string]any{}
	}
	return v
}

// signature is a thought's seal: what comes back must fit what was said.
func signature(thought string) string {
	sum := sha256.Sum256([]byte("seal:" + thought))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// split cuts a text in two, so that streams have something to put together.
func split(s string) []string {
	if len(s) < 2 {
		return []string{s}
	}
	return []string{s[:len(s)/2], s[len(s)/2:]}
}

// Codes for [Reply.Code] with a status of 400 or 429, which every stand-in
// turns into its vendor's words. In a stream without a status, Code is the
// vendor's own word for an error that comes in the middle.
const (
	ContextTooLong = "context too long"
	ImageTooLarge  = "image too large"
	QuotaExceeded  = "quota exceeded"
)
