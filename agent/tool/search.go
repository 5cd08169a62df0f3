package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed search.md
var searchText string

// Found is one thing that a search found.
type Found struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// mostFound bounds what a model is shown of a search.
const mostFound = 10

type searchArgs struct {
	Query string `json:"query" jsonschema:"what to search for, in a few words"`
}

// Search is a tool that searches by the caller's own means.
func Search(find func(ctx context.Context, query string) ([]Found, error)) Tool {
	t := must("search", searchText, func(ctx context.Context, in searchArgs) (*Outcome, error) {
		found, err := find(ctx, in.Query)
		if err != nil {
			return nil, err
		}
		out := Say("")
		var b strings.Builder
		if len(found) == 0 {
			b.WriteString("Nothing was found.")
		}
		for i, f := range found[:min(len(found), mostFound)] {
			fmt.Fprintf(&b, "%d. %s\n%s\n%s\n\n", i+1, shorten(f.Title, 200), shorten(f.URL, 500), shorten(f.Text, 1000))
		}
		out.Data = strings.TrimSpace(b.String())
		out.Digest = fmt.Sprintf("Searched for %q, found %d.", shorten(in.Query, 80), len(found))
		return out, nil
	})
	t.Kind, t.Foreign = Looks, true
	return t
}
