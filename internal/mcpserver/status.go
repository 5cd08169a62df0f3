package mcpserver

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed status.md
var statusText string

type statusArgs struct {
	Run         string `json:"run,omitempty" jsonschema:"the run; the latest runs are listed if left out"`
	WaitSeconds *int   `json:"waitSeconds,omitempty" jsonschema:"how long to wait for its end, 0 to 600; 45 if left out"`
	Cancel      bool   `json:"cancel,omitempty" jsonschema:"end the run; what was found so far is returned"`
	Pictures    bool   `json:"pictures,omitempty" jsonschema:"also return pictures of the game at the beginning and the end"`
}

func (s *Server) addStatus() {
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "playtest_status", Title: "Wait for a run", Description: statusText,
		Annotations: &mcp.ToolAnnotations{DestructiveHint: ptr(false), OpenWorldHint: ptr(false)},
	}, func(ctx context.Context, req *mcp.CallToolRequest, in statusArgs) (*mcp.CallToolResult, *statusResult, error) {
		wait, err := waitFor(in.WaitSeconds)
		if err != nil {
			return nil, nil, err
		}
		if in.Run == "" {
			return s.list()
		}
		var r *Result
		if j := s.jobs.find(in.Run); j != nil {
			if in.Cancel {
				j.cancel()
			}
			r, err = s.await(ctx, req, j, wait)
		} else {
			r, err = s.jobs.result(in.Run)
		}
		if err != nil {
			return nil, nil, err
		}
		res, _, err := s.answer(r, in.Pictures)
		return res, &statusResult{Run: r}, err
	})
}

// statusResult is a run, or the latest runs.
type statusResult struct {
	Run  *Result  `json:"result,omitempty" jsonschema:"the run that was asked for"`
	Runs []Listed `json:"runs,omitempty" jsonschema:"the latest runs, newest first"`
}

func (s *Server) list() (*mcp.CallToolResult, *statusResult, error) {
	runs := s.jobs.latest(10)
	var b strings.Builder
	for _, l := range runs {
		fmt.Fprintf(&b, "%s %s %s %s\n", l.Run, l.Status, l.Game, l.Summary)
	}
	if len(runs) == 0 {
		b.WriteString("No run yet.")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: b.String()}}}, &statusResult{Runs: runs}, nil
}
