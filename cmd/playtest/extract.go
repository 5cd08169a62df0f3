package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/stage"
)

func newExtract() *cobra.Command {
	var p pageFlags
	var schema string
	var parts int
	var picture bool
	cmd := &cobra.Command{
		Use:   "extract URL [TEXT]",
		Short: "Read data out of a page",
		Long: `Extract opens a page and reads the data that TEXT asks for, in the shape of a
JSON Schema. Strings of format "uri" are addresses of links on the page.

Without TEXT and --schema it prints the page's text, with no model.`,
		Example: `  playtest extract https://example.com/shop "all products with price" --schema products.json
  playtest extract http://localhost:8080/ "the high score"
  playtest extract http://localhost:8080/ --schema '{"type": "object", "properties": {"score": {"type": "integer"}}}'
  playtest extract http://localhost:8080/`,
		Args: arguments(1, 2, "the page's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			vars, err := p.check(cmd, args[0])
			if err != nil {
				return err
			}
			if p.session != "" {
				return forward(cmd, p.session, args, vars)
			}
			shape := json.RawMessage(`{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}`)
			if schema != "" {
				if strings.HasPrefix(strings.TrimSpace(schema), "{") {
					shape = json.RawMessage(schema)
				} else if shape, err = readSmall(cmd, schema); err != nil {
					return err
				}
				if !json.Valid(shape) {
					return &badFile{cmd.CommandPath(), schema, errors.New("it is not JSON")}
				}
			}
			text := ""
			if len(args) > 1 {
				text = args[1]
			}
			return p.on(cmd, args[0], func(ctx context.Context, st *stage.Stage) (any, error) {
				if text == "" && schema == "" {
					all, err := st.Text(ctx)
					if err == nil {
						_, err = fmt.Fprint(cmd.OutOrStdout(), all)
					}
					return nil, err
				}
				data, err := st.ExtractJSON(ctx, text, shape, &stage.ExtractOptions{Within: p.within, Variables: vars, MaxParts: parts, Picture: picture})
				if errors.Is(err, stage.ErrSchema) {
					return nil, hint(err, "a JSON Schema describes an object, such as {\"type\": \"object\", \"properties\": {...}}")
				}
				if err != nil {
					return nil, err
				}
				data.Meta.Sent = nil
				return data, nil
			})
		},
	}
	p.register(cmd)
	cmd.Flags().StringVar(&schema, "schema", "", "JSON Schema of the data: a `FILE`, - for stdin, or the schema itself")
	cmd.Flags().IntVar(&parts, "max-parts", 0, "most `PARTS` of a large page to read, 20 if 0")
	cmd.Flags().BoolVar(&picture, "picture", false, "show the model a picture of the window, too; variables are not masked in it")
	cmd.MarkFlagFilename("schema", "json")
	return cmd
}
