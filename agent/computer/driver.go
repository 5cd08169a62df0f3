package computer

import (
	"time"

	"github.com/playtest-dev/playtest/model"
)

// Driver speaks one vendor's computer tool. It keeps no state between calls:
// all there is to know is in the conversation.
type Driver interface {
	// Model answers the requests.
	Model() model.Model
	// Prepare adds the vendor's computer tool to a request, for pictures of
	// that size, and sets what the vendor wants set.
	Prepare(req *model.Request, picture Space) error
	// Read finds what an answer asks for, in order, with places as they were
	// meant on a picture of that size. What it asks for wrongly is a Call with
	// its Problem. The message may be put into the form in which the vendor
	// wants it back.
	Read(answer *model.Message, picture Space) []Call
	// Answer is what the vendor is told about its calls, all of them together.
	Answer(calls []Call, seen []Seen) ([]model.Part, error)
	// Trim is the conversation without its old pictures.
	Trim(messages []model.Message) []model.Message
	// Pace is how long to wait between two actions.
	Pace() time.Duration
}

// Call is one thing that a model asks for, to be answered as one: an action,
// several actions, or a tool beside the computer.
type Call struct {
	ID   string
	Name string // the vendor's word for it
	// Actions are to be carried out in order.
	Actions []Action
	// Tool is set, instead, when another tool is called.
	Tool *model.ToolCall
	// Why is what the model says it wants with this call, where the vendor
	// asks it.
	Why string
	// Checks are what the vendor wants confirmed first.
	Checks []Check
	// Problem says why the call makes no sense, in words for the model.
	Problem string
}

// Check is something that a vendor's safety system wants confirmed by a person
// before it is carried out.
type Check struct {
	ID      string `json:"id,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Blocked is set when the vendor forbids it: no confirmation helps.
	Blocked bool `json:"blocked,omitempty"`
}

// Seen is what came of a call.
type Seen struct {
	// Picture is the page after it, or the part that was asked for.
	Picture *model.Image
	// Asked is set when the picture is what the call asked for.
	Asked bool
	// URL and Title are the page's.
	URL, Title string
	// Text is what else there is to say: an error, a tool's result, the place
	// of the pointer.
	Text   string
	Images []*model.Image // a tool's
	Failed bool
	// Acknowledged are the checks that the caller confirmed.
	Acknowledged []Check
}

// Problem is a call that makes no sense.
func Problem(id, name string, err error) Call {
	return Call{ID: id, Name: name, Problem: err.Error()}
}
