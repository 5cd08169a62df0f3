// Package openai drives a page with OpenAI's computer tools, for
// [computer.New].
package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// vendor is the name that raw items of the Responses API carry.
const vendor = "openai"

// Version is a version of the computer tool.
type Version string

// The versions, newest first.
const (
	// Computer sends several actions in one call.
	Computer Version = "computer"
	// Preview sends one, and is told the size of the display.
	Preview Version = "computer_use_preview"
)

// pictures is how many gather in a stored conversation before it is begun anew.
const pictures = 12

// Options tune a Driver.
type Options struct {
	// Version is the newest that the model is known to take unless given.
	Version Version
	// Pictures is how many screenshots a stored conversation may hold (12).
	// What the vendor has stored cannot be taken out again, so the conversation
	// is then begun anew, with a list of what was done.
	Pictures int
}

// Driver speaks the Responses API's computer tools.
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
	if d.opts.Version == "" {
		d.opts.Version = Computer
		if takes := model.Describe(run).Computer; len(takes) > 0 && !slices.Contains(takes, string(Computer)) {
			d.opts.Version = Version(takes[0])
		}
	}
	if d.opts.Version != Computer && d.opts.Version != Preview {
		return nil, fmt.Errorf("openai: there is no computer tool %q; want %s or %s", d.opts.Version, Computer, Preview)
	}
	if d.opts.Pictures <= 0 {
		d.opts.Pictures = pictures
	}
	return d, nil
}

// Model answers the requests.
func (d *Driver) Model() model.Model { return d.run }

// Pace is no time: a batch is meant to be carried out in one go.
func (d *Driver) Pace() time.Duration { return 0 }

// Prepare adds the tool, and goes on from the response that the vendor stored.
func (d *Driver) Prepare(req *model.Request, picture computer.Space) error {
	var tool any = responses.NewComputerToolParam()
	if d.opts.Version == Preview {
		tool = responses.ComputerUsePreviewToolParam{
			DisplayWidth: int64(picture.Width), DisplayHeight: int64(picture.Height), Environment: responses.ComputerUsePreviewToolEnvironmentBrowser,
		}
	}
	data, err := json.Marshal(tool)
	if err != nil {
		return fmt.Errorf("openai: encode the computer tool: %w", err)
	}
	req.Tools = append(req.Tools, model.Tool{Name: string(d.opts.Version), Raw: &model.Raw{Vendor: vendor, Data: data}})
	req.Continue = true
	return nil
}

// Answer gives every call its picture. A picture is all that the vendor's
// answer to a call has room for, so the rest is said after them.
func (d *Driver) Answer(calls []computer.Call, seen []computer.Seen) ([]model.Part, error) {
	var parts []model.Part
	var said string
	for i, call := range calls {
		if call.Tool != nil {
			parts = append(parts, toolResult(call, seen[i]))
			continue
		}
		part, err := output(call, seen[i])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if seen[i].Text != "" {
			said += call.ID + ": " + seen[i].Text + "\n"
		}
	}
	return append(parts, model.Text(said+"The page's address: "+seen[len(seen)-1].URL)), nil
}

func toolResult(call computer.Call, s computer.Seen) model.Part {
	result := &model.ToolResult{CallID: call.ID, Name: call.Name, Error: s.Failed}
	if s.Text != "" || len(s.Images) == 0 {
		result.Parts = append(result.Parts, model.Text(s.Text))
	}
	for _, img := range s.Images {
		result.Parts = append(result.Parts, model.Picture(img))
	}
	return model.Part{ToolResult: result}
}

func output(call computer.Call, s computer.Seen) (model.Part, error) {
	picture := "data:" + s.Picture.MediaType + ";base64," + base64.StdEncoding.EncodeToString(s.Picture.Data)
	item := responses.ResponseInputItemComputerCallOutputParam{
		CallID: call.ID,
		Output: responses.ResponseComputerToolCallOutputScreenshotParam{ImageURL: param.NewOpt(picture)},
	}
	for _, check := range s.Acknowledged {
		known := responses.ResponseInputItemComputerCallOutputAcknowledgedSafetyCheckParam{ID: check.ID}
		if check.Code != "" {
			known.Code = param.NewOpt(check.Code)
		}
		if check.Message != "" {
			known.Message = param.NewOpt(check.Message)
		}
		item.AcknowledgedSafetyChecks = append(item.AcknowledgedSafetyChecks, known)
	}
	data, err := json.Marshal(item)
	if err != nil {
		return model.Part{}, fmt.Errorf("openai: encode a picture: %w", err)
	}
	return model.Part{Raw: &model.Raw{Vendor: vendor, Data: data}}, nil
}
