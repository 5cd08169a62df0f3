package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/stage"
)

//go:embed extract.md
var extractText string

type extractArgs struct {
	Instruction string `json:"instruction,omitempty" jsonschema:"what to read; leave it out for all text of the page"`
	Schema      string `json:"schema,omitempty" jsonschema:"a JSON Schema of the data, as text; leave it out for a plain answer"`
}

// plain is the shape of an answer that nobody gave a shape.
var plain = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)

func (k *Kit) extract() Tool {
	t := must("extract", extractText, func(ctx context.Context, in extractArgs) (*Outcome, error) {
		if strings.TrimSpace(in.Instruction) == "" {
			text, err := k.Stage.Text(ctx)
			if err != nil {
				return nil, err
			}
			out := Say("The text of the page.")
			out.Data, out.Digest = text, "The text of a page was shown here."
			return out, nil
		}
		schema := plain
		if in.Schema != "" {
			if schema = json.RawMessage(in.Schema); !json.Valid(schema) {
				return nil, fmt.Errorf("the schema is not JSON")
			}
		}
		data, err := k.Stage.ExtractJSON(ctx, in.Instruction, schema, &stage.ExtractOptions{Variables: k.Variables})
		out := spent("Read from the page.", data.Meta)
		if !data.Completed {
			out.Text = "Read from the page, but not all of it was found. " + data.Progress
		}
		out.Data = string(data.Data)
		out.Digest = "Read from the page: " + shorten(out.Data, 300)
		return out, err
	})
	t.Kind = Looks
	return t
}
