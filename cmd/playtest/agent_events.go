package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/model"
)

// eventWriter prints what an agent does, one JSON object a line. It is used by
// one goroutine.
type eventWriter struct {
	out io.Writer
	off bool
	err error // the first, after which nothing more is written
}

func (w *eventWriter) tell(e agent.Event) {
	if w.off || w.err != nil {
		return
	}
	enc := json.NewEncoder(w.out)
	enc.SetEscapeHTML(false)
	w.err = enc.Encode(e)
}

// said is who listens to the model's words, nil for nobody: then the answers
// are asked for whole.
func (w *eventWriter) said() func(agent.Said) {
	if w.off {
		return nil
	}
	return func(s agent.Said) { w.tell(agent.Event{Said: &s}) }
}

// shape is the schema of the result, nil where none was asked for.
func (f *agentFlags) shape(cmd *cobra.Command) (*model.Schema, error) {
	if f.schema == "" {
		return nil, nil
	}
	data := json.RawMessage(f.schema)
	if !strings.HasPrefix(strings.TrimSpace(f.schema), "{") {
		var err error
		if data, err = readSmall(cmd, f.schema); err != nil {
			return nil, err
		}
	}
	if !json.Valid(data) {
		return nil, &badFile{cmd.CommandPath(), f.schema, errors.New("it is not JSON")}
	}
	schema := &model.Schema{Name: "result", JSON: data}
	if err := schema.Check(); err != nil {
		return nil, usage(cmd, "--schema: %v", err)
	}
	return schema, nil
}
