package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/site"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

// Page is a page that the browser verbs work on.
type Page interface {
	// Visit opens an address.
	Visit(ctx context.Context, url string) error
	Stage() *stage.Stage
	Close() error
}

// browse is the browser verbs: one page, one call at a time.
type browse struct {
	server *Server
	mu     sync.Mutex
	page   Page
	folder *site.Server
}

// verbLimit is how long one of them may take.
const verbLimit = 2 * time.Minute

type observeArgs struct {
	URL    string `json:"url,omitempty" jsonschema:"open this address first; the page that is open stays if left out"`
	Folder string `json:"folder,omitempty" jsonschema:"open the game in this folder first"`
	Within string `json:"within,omitempty" jsonschema:"only this element: an id of an earlier answer, or a selector"`
	Part   int    `json:"part,omitempty" jsonschema:"a later part of a long page, from 2"`
}

type actArgs struct {
	Instruction string   `json:"instruction,omitempty" jsonschema:"one action in plain words, for a server with a model"`
	Method      string   `json:"method,omitempty" jsonschema:"what to do, without a model"`
	On          string   `json:"on,omitempty" jsonschema:"the element: an id of browser_observe, or a selector; left out for keys to the page"`
	Arguments   []string `json:"arguments,omitempty" jsonschema:"the text to type or the key to press"`
}

type extractArgs struct {
	Selector    string         `json:"selector,omitempty" jsonschema:"the text of this element, without a model"`
	Instruction string         `json:"instruction,omitempty" jsonschema:"what to read in plain words, for a server with a model"`
	Schema      map[string]any `json:"schema,omitempty" jsonschema:"JSON Schema of the answer, with instruction"`
}

// seen is what a verb answers with.
type seen struct {
	URL  string `json:"url"`
	Text string `json:"text,omitempty"`
}

func (b *browse) add() {
	read := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: ptr(true)}
	addVerb(b, &mcp.Tool{Name: "browser_observe", Annotations: read,
		Description: "Shows the open page as a short tree with ids, what is painted on canvases included. Give url or folder to open a game first."},
		func(ctx context.Context, in observeArgs) (string, []mcp.Content, error) {
			return b.observe(ctx, in)
		})
	methods := mustSchema[actArgs]()
	for _, m := range stage.Methods {
		if m != stage.Upload && m != stage.DragAndDrop {
			methods.Properties["method"].Enum = append(methods.Properties["method"].Enum, m)
		}
	}
	addVerb(b, &mcp.Tool{Name: "browser_act", InputSchema: methods, Annotations: &mcp.ToolAnnotations{DestructiveHint: ptr(true), OpenWorldHint: ptr(true)},
		Description: "Does one thing to the open page: a method on an element of browser_observe, or an instruction in plain words where the server has a model."},
		func(ctx context.Context, in actArgs) (string, []mcp.Content, error) {
			text, err := b.act(ctx, in)
			return text, nil, err
		})
	addVerb(b, &mcp.Tool{Name: "browser_extract", Annotations: read,
		Description: "Reads from the open page: the text of a selector, or data by instruction and schema where the server has a model."},
		func(ctx context.Context, in extractArgs) (string, []mcp.Content, error) {
			text, err := b.extract(ctx, in)
			return text, nil, err
		})
	addVerb(b, &mcp.Tool{Name: "browser_screenshot", Annotations: read, Description: "A picture of the open page as it looks now."},
		func(ctx context.Context, _ struct{}) (string, []mcp.Content, error) {
			png, err := b.page.Stage().Page().Screenshot(ctx, nil)
			if err != nil {
				return "", nil, err
			}
			c, err := scaled(png)
			if err != nil {
				return "", nil, err
			}
			return "", []mcp.Content{c}, nil
		})
}

// addVerb adds a tool that works on the page, one call at a time.
func addVerb[In any](b *browse, t *mcp.Tool, do func(context.Context, In) (string, []mcp.Content, error)) {
	mcp.AddTool(b.server.mcp, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, *seen, error) {
		ctx, cancel := context.WithTimeout(ctx, verbLimit)
		defer cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.page == nil && t.Name != "browser_observe" {
			return nil, nil, errors.New("no page is open: call browser_observe with url or folder")
		}
		text, more, err := do(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		out := &seen{URL: b.page.Stage().Page().URL(), Text: text}
		content := more
		if text != "" {
			content = append([]mcp.Content{&mcp.TextContent{Text: text}}, more...)
		}
		return &mcp.CallToolResult{Content: content}, out, nil
	})
}

func (b *browse) observe(ctx context.Context, in observeArgs) (string, []mcp.Content, error) {
	if err := b.open(ctx, in); err != nil {
		return "", nil, err
	}
	st := b.page.Stage()
	snap, err := st.Snapshot(ctx)
	if err != nil {
		return "", nil, err
	}
	opts := &snapshot.FormatOptions{Tokens: 3000, Part: in.Part}
	if in.Within != "" {
		n, err := st.Find(ctx, snap, in.Within)
		if err != nil {
			return "", nil, fmt.Errorf("within: %w", err)
		}
		opts.Within = n.ID
	}
	return snap.Format(opts).Text, nil, nil
}

// open goes to the page that was asked for, in a browser that is started for it.
func (b *browse) open(ctx context.Context, in observeArgs) error {
	url := in.URL
	switch {
	case url != "" && in.Folder != "":
		return errors.New("give either url or folder")
	case url != "":
		if err := record.ValidateURL(url); err != nil {
			return err
		}
		if b.server.opts.Admit != nil {
			if err := b.server.opts.Admit(ctx, url); err != nil {
				return err
			}
		}
	case in.Folder != "":
		f, err := openFolder(b.server.opts.Roots, in.Folder)
		if err != nil {
			return err
		}
		s, err := f.serve(ctx)
		if err != nil {
			return err
		}
		if b.folder != nil {
			_ = b.folder.Close() // of the game before
		}
		b.folder, url = s, s.URL()
	case b.page == nil:
		return errors.New("no page is open: give url or folder")
	}
	if b.page == nil {
		page, err := b.server.opts.Page(ctx)
		if err != nil {
			return err
		}
		b.page = page
	}
	if url == "" {
		return nil
	}
	return b.page.Visit(ctx, url)
}

func (b *browse) act(ctx context.Context, in actArgs) (string, error) {
	st := b.page.Stage()
	var acted *stage.Acted
	var err error
	switch {
	case (in.Instruction == "") == (in.Method == ""):
		return "", errors.New("give either instruction or method")
	case in.Instruction != "":
		acted, err = st.Act(ctx, in.Instruction, nil)
	default:
		a := stage.Action{Method: in.Method, Arguments: in.Arguments, Description: "asked for by an agent"}
		if isID(in.On) {
			a.ElementID = in.On
		} else {
			a.Selector = in.On
		}
		acted, err = st.Perform(ctx, a, nil)
	}
	if err != nil {
		return "", needsModel(err)
	}
	var done []string
	for _, a := range acted.Actions {
		done = append(done, strings.TrimSpace(a.Method+" "+clip(a.Name, 80)))
	}
	return "Done: " + strings.Join(done, ", ") + ". browser_observe shows the page as it is now.", nil
}

func isID(s string) bool {
	return s != "" && !slices.ContainsFunc([]rune(s), func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
}

func (b *browse) extract(ctx context.Context, in extractArgs) (string, error) {
	st := b.page.Stage()
	switch {
	case (in.Selector == "") == (in.Instruction == ""):
		return "", errors.New("give either selector or instruction")
	case in.Selector != "":
		text, err := st.Page().Locator(in.Selector).Text(ctx)
		return clip(text, piece), err
	}
	var schema json.RawMessage
	if len(in.Schema) > 0 {
		var err error
		if schema, err = json.Marshal(in.Schema); err != nil {
			return "", err
		}
	}
	out, err := st.ExtractJSON(ctx, in.Instruction, schema, nil)
	if err != nil {
		return "", needsModel(err)
	}
	return clip(string(out.Data), piece), nil
}

func needsModel(err error) error {
	if errors.Is(err, model.ErrNoModel) {
		return errors.New("this server has no model: use method and on, or selector, instead of an instruction")
	}
	return err
}

func (b *browse) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	if b.page != nil {
		err = b.page.Close()
	}
	if b.folder != nil {
		err = errors.Join(err, b.folder.Close())
	}
	b.page, b.folder = nil, nil
	return err
}
