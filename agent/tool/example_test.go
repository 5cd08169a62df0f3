package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/playtest-dev/playtest/agent/tool"
)

// A Go function becomes a tool; the schema of its arguments comes from its type.
func ExampleNew() {
	type query struct {
		Word string `json:"word" jsonschema:"the word to look up"`
	}
	lookup, err := tool.New("lookup", "Looks a word up.", func(_ context.Context, q query) (*tool.Outcome, error) {
		return tool.Say(q.Word + ": a fruit"), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := lookup.Call(context.Background(), json.RawMessage(`{"word": "plum"}`))
	fmt.Println(out.Text, err)
	// Output: plum: a fruit <nil>
}
