// Package anthropic drives a page with Anthropic's computer and browser tools,
// for [computer.New].
package anthropic

import (
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// vendor is the name that raw blocks of the Messages API carry.
const vendor = "anthropic"

// Version is a version of the computer tool. Models know some of them; which
// ones, the vendor's documentation says.
type Version string

// The versions, newest first.
const (
	// Toolset20260801 is a family of tools, one for each kind of action.
	Toolset20260801 Version = "computer_toolset_20260801"
	// Computer20251124 and Computer20250124 are one tool with an action, and
	// are told the size of the display.
	Computer20251124 Version = "computer_20251124"
	Computer20250124 Version = "computer_20250124"
	// Browser20260801 is a family of tools for a page: it reads the page's
	// elements and acts on them by reference, besides clicking at places. It is
	// used when asked for, since a canvas has no elements.
	Browser20260801 Version = "browser_toolset_20260801"
)

// pictures is how many are kept in the conversation.
const pictures = 3

// Options tune a Driver.
type Options struct {
	// Version is the newest that the model is known to take unless given.
	Version Version
	// Pictures is how many screenshots stay in the conversation at least (3).
	// There are up to five more before the oldest go, all at once: what stands
	// before a change need not be read again by the vendor.
	Pictures int
}

// Driver speaks the Messages API's computer tools.
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
		d.opts.Version = newest(run)
	}
	if d.opts.Pictures <= 0 {
		d.opts.Pictures = pictures
	}
	if _, _, err := d.opts.Version.tool(computer.Of(1, 1)); err != nil {
		return nil, err
	}
	return d, nil
}

// newest is the newest version that the model takes and we speak. A model that
// does not say is given the newest of all.
func newest(m model.Model) Version {
	for _, kind := range model.Describe(m).Computer {
		if _, _, err := Version(kind).tool(computer.Of(1, 1)); err == nil {
			return Version(kind)
		}
	}
	return Toolset20260801
}

// Model answers the requests.
func (d *Driver) Model() model.Model { return d.run }

// Pace is no time: the model is answered after every action.
func (d *Driver) Pace() time.Duration { return 0 }

// slack is how many pictures more than wanted are put up with.
const slack = 5

// Trim keeps the last pictures.
func (d *Driver) Trim(messages []model.Message) []model.Message {
	return computer.KeepPictures(messages, d.opts.Pictures, slack)
}

// name is that of the single tool, or of the family.
func (v Version) name() string {
	if v == Browser20260801 {
		return "browser"
	}
	return "computer"
}

// family reports whether the version is one tool for each kind of action.
func (v Version) family() bool { return v == Toolset20260801 || v == Browser20260801 }

// Prepare adds the tool, with the size of the pictures as the display's for
// the versions that want to know one.
func (d *Driver) Prepare(req *model.Request, picture computer.Space) error {
	name := d.opts.Version.name()
	for _, t := range req.Tools {
		if t.Name == name {
			return fmt.Errorf("anthropic: a tool cannot be called %s, the vendor's is", name)
		}
	}
	tool, beta, err := d.opts.Version.tool(picture)
	if err != nil {
		return err
	}
	data, err := json.Marshal(tool)
	if err != nil {
		return fmt.Errorf("anthropic: encode the computer tool: %w", err)
	}
	req.Tools = append(req.Tools, model.Tool{Name: name, Raw: &model.Raw{Vendor: vendor, Data: data, Beta: string(beta)}})
	return nil
}

// tool is the version in the SDK's words, with the preview that it belongs to.
func (v Version) tool(display computer.Space) (any, sdk.AnthropicBeta, error) {
	width, height := int64(display.Width), int64(display.Height)
	switch v {
	case Toolset20260801:
		return sdk.ComputerToolset20260801Param{}, "", nil
	case Browser20260801:
		return browserToolset(), "", nil
	case Computer20251124:
		return sdk.BetaToolComputerUse20251124Param{DisplayWidthPx: width, DisplayHeightPx: height, EnableZoom: sdk.Bool(true)},
			sdk.AnthropicBetaComputerUse2025_11_24, nil
	case Computer20250124:
		return sdk.BetaToolComputerUse20250124Param{DisplayWidthPx: width, DisplayHeightPx: height}, sdk.AnthropicBetaComputerUse2025_01_24, nil
	}
	return nil, "", fmt.Errorf("anthropic: there is no computer tool %q; want %s, %s, %s or %s", v, Toolset20260801, Computer20251124, Computer20250124, Browser20260801)
}

// Answer gives every call a result of its own, with the picture after it. A call
// of the browser's tools gets a picture only if it asked for one, and the state of
// the browser instead.
func (d *Driver) Answer(calls []computer.Call, seen []computer.Seen) ([]model.Part, error) {
	var parts []model.Part
	for i, call := range calls {
		s := seen[i]
		result := &model.ToolResult{CallID: call.ID, Name: call.Name, Error: s.Failed}
		if s.Text != "" {
			result.Parts = append(result.Parts, model.Text(s.Text))
		}
		for _, img := range s.Images {
			result.Parts = append(result.Parts, model.Picture(img))
		}
		switch {
		case call.Tool != nil:
		case d.opts.Version == Browser20260801:
			parts, err := browserParts(s)
			if err != nil {
				return nil, err
			}
			result.Parts = append(result.Parts, parts...)
		default:
			result.Parts = append(result.Parts, model.Text("The page's address: "+s.URL), model.Picture(s.Picture))
		}
		parts = append(parts, model.Part{ToolResult: result})
	}
	return parts, nil
}
