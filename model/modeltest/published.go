package modeltest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What the vendors publish is data of its own, dated and with its sources, and
// is not derived from what our adapters believe: a misbelief in one of the two
// shows up as a difference.

//go:embed published/*.json
var publishedFiles embed.FS

// published is what one vendor documents about the requests that it takes.
type published struct {
	Vendor  string      `json:"vendor"`
	Read    string      `json:"read"` // the day on which the sources were read
	Sources []string    `json:"sources"`
	Schema  schemaRules `json:"schema"`
	// Tools are the types of tools that the vendor defines. ToolModels names
	// the models that take one, for those that not all of them do.
	Tools      []string            `json:"tools"`
	ToolModels map[string][]string `json:"tool_models"`
	// Members are the tools of a family that is declared as one, by its type.
	Members map[string][]string `json:"members"`
	// Temperature is the range that a model takes. A model that the vendor
	// documents and that is not named takes none.
	Temperature map[string][2]float64 `json:"temperature"`
	// Unforceable are models that refuse to be forced to call a tool; NoEffort
	// those that cannot be told how much to think; NoSchema those without
	// structured output.
	Unforceable []string `json:"unforceable"`
	NoEffort    []string `json:"no_effort"`
	NoSchema    []string `json:"no_schema"`
	// Signed are models that want the calls of a conversation signed.
	Signed []string `json:"signed"`
	Stand  []string `json:"signatures_that_stand_for_one"`
}

func readPublished(name string) *published {
	data, err := publishedFiles.ReadFile("published/" + name + ".json")
	if err != nil {
		panic(err) // a mistake of this package
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	p := &published{}
	if err := d.Decode(p); err != nil {
		panic(fmt.Sprintf("modeltest: published/%s.json: %v", name, err))
	}
	if _, err := time.Parse(time.DateOnly, p.Read); err != nil || len(p.Sources) == 0 {
		panic(fmt.Sprintf("modeltest: published/%s.json has no date or no sources", name))
	}
	return p
}

var (
	anthropicSays = readPublished("anthropic")
	openaiSays    = readPublished("openai")
	googleSays    = readPublished("google")
)

// pinned is what vendors add to the name of a version that does not change.
var pinned = regexp.MustCompile(`(-\d{8}|-\d{4}-\d{2}-\d{2})$`)

// base is the name that the vendor documents a model under.
func base(model string) string {
	if tuned, ok := strings.CutPrefix(model, "ft:"); ok {
		model, _, _ = strings.Cut(tuned, ":")
	}
	return pinned.ReplaceAllString(model, "")
}

func (p *published) has(list []string, model string) bool { return slices.Contains(list, base(model)) }

// warm checks a temperature.
func (p *published) warm(c *checker, model string, v any) {
	if v == nil {
		return
	}
	allowed, ok := p.Temperature[base(model)]
	if !ok {
		c.fault("", "Unsupported parameter: 'temperature' is not supported with %s.", model)
		return
	}
	number(allowed[0], allowed[1])(c, "temperature", v)
}

// tool checks that a type of tool exists and that the model takes it.
func (p *published) tool(c *checker, path, model, kind string) {
	if !slices.Contains(p.Tools, kind) {
		c.fault(path, "there is no tool of type %q", kind)
		return
	}
	if models, some := p.ToolModels[kind]; some && !slices.Contains(models, base(model)) {
		c.fault(path, "%s does not support the tool type %s", model, kind)
	}
}
