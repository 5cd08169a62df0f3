package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

const (
	// maxName is what every vendor accepts.
	maxName = 64
	// maxDescription keeps a server from filling every request with its words.
	maxDescription = 2_000
	// maxSchema does the same for schemas, in bytes.
	maxSchema = 32_000
)

// take lists the server's tools, once and for all.
func (s *Servers) take(ctx context.Context, from *server, allow []string) error {
	var names []string
	for t, err := range from.session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if len(names) >= maxTools {
			s.skip(from, t.Name, "the server has more tools than can be shown")
			break
		}
		names = append(names, t.Name)
		if allow != nil && !slices.Contains(allow, t.Name) {
			continue
		}
		made, err := from.tool(t)
		if err != nil {
			s.skip(from, t.Name, err.Error())
			continue
		}
		if slices.ContainsFunc(s.tools, func(other tool.Tool) bool { return other.Name == made.Name }) {
			s.skip(from, t.Name, "its name is that of another")
			continue
		}
		s.tools = append(s.tools, made)
	}
	for _, name := range allow {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it has no tool %q; it has: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

func (s *Servers) skip(from *server, name, why string) {
	s.skipped = append(s.skipped, fmt.Sprintf("%s of %s: %s", name, from.name, why))
}

// tool makes a server's tool one of the agent's.
func (from *server) tool(t *sdk.Tool) (tool.Tool, error) {
	schema, err := schemaOf(t)
	if err != nil {
		return tool.Tool{}, err
	}
	made := tool.Tool{
		Tool:    model.Tool{Name: toolName(from.name, t.Name), Description: describe(from.name, t), Schema: schema},
		Foreign: true, Timeout: from.limit,
	}
	if t.Annotations != nil && t.Annotations.ReadOnlyHint {
		made.Kind = tool.Looks
	}
	name := t.Name
	made.Call = func(ctx context.Context, args json.RawMessage) (*tool.Outcome, error) {
		return from.call(ctx, name, args)
	}
	return made, nil
}

// schemaOf is the tool's schema, if it is one that a model can be given and a
// call be held against.
func schemaOf(t *sdk.Tool) (json.RawMessage, error) {
	if t.InputSchema == nil {
		return nil, nil
	}
	data, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if len(data) > maxSchema {
		return nil, fmt.Errorf("its schema is %d bytes long", len(data))
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(data, &parsed); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
	}
	if parsed.Type != "object" {
		return nil, errors.New("its schema is not that of an object")
	}
	if _, err := parsed.Resolve(nil); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
	}
	return data, nil
}

func describe(server string, t *sdk.Tool) string {
	text := strings.TrimSpace(t.Description)
	if r := []rune(text); len(r) > maxDescription {
		text = string(r[:maxDescription]) + "…"
	}
	return strings.TrimSpace(fmt.Sprintf("A tool of the server %s. %s", server, text))
}

var foreign = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// toolName keeps servers apart. A name that is too long ends in a sum of it, so
// that two of them stay two.
func toolName(server, name string) string {
	full := foreign.ReplaceAllString(server, "_") + "__" + foreign.ReplaceAllString(name, "_")
	if len(full) <= maxName {
		return full
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(server + "\x00" + name))
	end := "_" + strconv.FormatUint(uint64(h.Sum32()), 36)
	return full[:maxName-len(end)] + end
}

// call asks the server. What it answers is its words, not ours.
func (from *server) call(ctx context.Context, name string, args json.RawMessage) (*tool.Outcome, error) {
	res, err := from.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	switch {
	case errors.Is(err, sdk.ErrConnectionClosed):
		return nil, fmt.Errorf("the server %s is gone", from.name)
	case err != nil:
		return nil, fmt.Errorf("the server %s: %w", from.name, err)
	case res.NeedsInput():
		return nil, fmt.Errorf("the server %s wants an answer from a person, and there is none", from.name)
	}
	out := &tool.Outcome{Cost: model.Cost{Known: true}}
	var texts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			texts = append(texts, c.Text)
		case *sdk.ImageContent:
			img, err := model.NewImage(c.Data)
			if err != nil {
				texts = append(texts, "(a picture that cannot be read)")
				continue
			}
			out.Images = append(out.Images, img)
		case *sdk.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				texts = append(texts, c.Resource.Text)
			}
		case *sdk.ResourceLink:
			texts = append(texts, "(a resource: "+c.URI+")")
		default:
			texts = append(texts, "(content of a kind that cannot be shown)")
		}
	}
	if len(texts) == 0 && res.StructuredContent != nil {
		if data, err := json.Marshal(res.StructuredContent); err == nil {
			texts = append(texts, string(data))
		}
	}
	out.Data = strings.Join(texts, "\n")
	if res.IsError {
		return nil, errors.New(out.Data)
	}
	return out, nil
}
