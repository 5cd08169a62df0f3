package mcpserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed replay.md
var replayText string

type replayArgs struct {
	Run    string `json:"run" jsonschema:"the run"`
	URL    string `json:"url,omitempty" jsonschema:"where the game is now, if it is not where it was"`
	Folder string `json:"folder,omitempty" jsonschema:"the folder or page that the game is in now; needed for a run from a folder"`
	Times  int    `json:"times,omitempty" jsonschema:"how often, 1 to 10; once if left out"`
}

// Replayed is what came of making an observation of a run happen again.
type Replayed struct {
	Run   string `json:"run"`
	Claim string `json:"claim" jsonschema:"what the run had observed"`
	// Happened is what was seen each time.
	Happened []string `json:"happened" jsonschema:"what happened this time, once for each replay"`
	Same     int      `json:"same" jsonschema:"how often it was the same"`
}

const maxReplays = 10

func (s *Server) addReplay() {
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "playtest_replay", Title: "Make it happen again", Description: replayText,
		Annotations: &mcp.ToolAnnotations{DestructiveHint: ptr(false), OpenWorldHint: ptr(true)},
	}, func(ctx context.Context, _ *mcp.CallToolRequest, in replayArgs) (*mcp.CallToolResult, *Replayed, error) {
		r, err := s.replay(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		text := fmt.Sprintf("Observed: %s.\n", r.Claim)
		for _, happened := range r.Happened {
			text += "Now: " + happened + ".\n"
		}
		text += fmt.Sprintf("The same %d of %d times.", r.Same, len(r.Happened))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, r, nil
	})
}

// replay waits for its turn among the runs: each opens two pages.
func (s *Server) replay(ctx context.Context, in replayArgs) (*Replayed, error) {
	times := max(in.Times, 1)
	if in.Times < 0 || times > maxReplays {
		return nil, fmt.Errorf("times is %d: it must be from 1 to %d", in.Times, maxReplays)
	}
	if in.URL != "" && in.Folder != "" {
		return nil, errors.New("give url or folder, not both")
	}
	if _, err := s.jobs.result(in.Run); err != nil {
		return nil, err
	}
	dir, err := s.jobs.dir(in.Run)
	if err != nil {
		return nil, err
	}
	game := in.URL
	if in.Folder != "" {
		f, err := openFolder(s.opts.Roots, in.Folder)
		if err != nil {
			return nil, err
		}
		served, err := f.serve(ctx)
		if err != nil {
			return nil, err
		}
		defer served.Close()
		game = served.URL()
	} else if game != "" && s.opts.Admit != nil {
		if err := s.opts.Admit(ctx, game); err != nil {
			return nil, err
		}
	}
	leave, err := s.jobs.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	r, err := s.opts.Replay(ctx, Replay{Dir: dir, Game: game, Times: times})
	if err != nil {
		return nil, err
	}
	r.Run, r.Claim = in.Run, clip(r.Claim, 500)
	for i := range r.Happened {
		r.Happened[i] = clip(r.Happened[i], 300)
	}
	return r, nil
}
