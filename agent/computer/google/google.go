// Package google drives a page with Gemini's computer use, for [computer.New].
package google

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"google.golang.org/genai"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// vendor is the name that raw parts of the Gemini API carry.
const vendor = "google"

// pictures is how many stay in the conversation.
const pictures = 2

// pace is the time between two actions.
const pace = 100 * time.Millisecond

// retries are the waits before further attempts at a call that failed.
var retries = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second}

// Options tune a Driver. The tool has no versions: a model of generation 2.5
// calls functions such as click_at, newer ones such as click, and both are
// understood.
type Options struct {
	// Pictures is how many screenshots stay in the conversation (2).
	Pictures int
	// Exclude are functions that the model is not offered.
	Exclude []string
	// DetectInjection asks the vendor to look for instructions to the model
	// that are hidden in pictures.
	DetectInjection bool
	// Search is the address that the function search goes to. Without one it
	// is not offered.
	Search string
}

// Driver speaks the Gemini API's computer use.
type Driver struct {
	run  *model.Run
	opts Options
}

var _ computer.Driver = (*Driver)(nil)

// New drives with a model of this vendor: a gateway's run, or an adapter, which
// is then put behind a gateway.
func New(m model.Model, opts *Options) (*Driver, error) {
	run, err := computer.Through(m)
	if err != nil {
		return nil, err
	}
	d := &Driver{run: run}
	if opts != nil {
		d.opts = *opts
	}
	if d.opts.Pictures <= 0 {
		d.opts.Pictures = pictures
	}
	if d.opts.Search == "" && !slices.Contains(d.opts.Exclude, "search") {
		d.opts.Exclude = append(slices.Clone(d.opts.Exclude), "search")
	}
	return d, nil
}

// Model answers the requests.
func (d *Driver) Model() model.Model { return d.run }

// Pace is the vendor's own: its models send several actions at once and expect
// the page to keep up.
func (d *Driver) Pace() time.Duration { return pace }

// Trim keeps the last pictures.
func (d *Driver) Trim(messages []model.Message) []model.Message {
	return computer.KeepPictures(messages, d.opts.Pictures, 0)
}

// Prepare adds the tool, and the vendor's way of retrying.
func (d *Driver) Prepare(req *model.Request, _ computer.Space) error {
	for _, t := range req.Tools {
		if _, taken := functions[t.Name]; taken && !slices.Contains(d.opts.Exclude, t.Name) {
			return fmt.Errorf("google: a tool cannot be called %s unless the vendor's is excluded", t.Name)
		}
	}
	use := &genai.ComputerUse{Environment: genai.EnvironmentBrowser, ExcludedPredefinedFunctions: d.opts.Exclude}
	if d.opts.DetectInjection {
		use.EnablePromptInjectionDetection = genai.Ptr(true)
	}
	data, err := json.Marshal(&genai.Tool{ComputerUse: use})
	if err != nil {
		return fmt.Errorf("google: encode the computer tool: %w", err)
	}
	req.Tools = append(req.Tools, model.Tool{Name: "computer_use", Raw: &model.Raw{Vendor: vendor, Data: data}})
	req.Retries = retries
	return nil
}

// Answer gives every call a response: the address as its data, the picture
// inside.
func (d *Driver) Answer(calls []computer.Call, seen []computer.Seen) ([]model.Part, error) {
	var parts []model.Part
	for i, call := range calls {
		s := seen[i]
		result := &model.ToolResult{CallID: call.ID, Name: call.Name, Error: s.Failed}
		// A function that nobody knows may be one that the vendor has added since,
		// whose response has to have an address.
		if call.Tool != nil && !s.Failed {
			result.Parts = append(result.Parts, model.Text(s.Text))
			for _, img := range s.Images {
				result.Parts = append(result.Parts, model.Picture(img))
			}
			parts = append(parts, model.Part{ToolResult: result})
			continue
		}
		response := map[string]string{"url": s.URL}
		if s.Text != "" && s.Failed {
			response["error"] = s.Text
		} else if s.Text != "" {
			response["note"] = s.Text
		}
		if len(s.Acknowledged) > 0 {
			response["safety_acknowledgement"] = "true"
		}
		data, err := json.Marshal(response)
		if err != nil {
			return nil, fmt.Errorf("google: encode a response: %w", err)
		}
		result.Parts = append(result.Parts, model.Text(string(data)), model.Picture(s.Picture))
		parts = append(parts, model.Part{ToolResult: result})
	}
	return parts, nil
}
