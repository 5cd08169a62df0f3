// Package tool is what an agent can do: each tool in a file of its own, with
// the description that a model reads beside it in a file of the same name.
//
// A Kit holds the page that the tools work on and makes them:
//
//	kit := &tool.Kit{Stage: st, Bounds: bounds}
//	tools := append(kit.Page(), kit.Game()...)
//
// A Go function becomes a tool with New; its arguments' schema comes from the
// type of its argument:
//
//	type query struct {
//		Word string `json:"word" jsonschema:"the word to look up"`
//	}
//	lookup, err := tool.New("lookup", "Looks a word up.", func(ctx context.Context, q query) (*tool.Outcome, error) {
//		return tool.Say(dictionary[q.Word]), nil
//	})
package tool
