package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

//go:embed run.md
var runText string

type runArgs struct {
	URL         string         `json:"url,omitempty" jsonschema:"the game's address, http or https; localhost is fine"`
	Folder      string         `json:"folder,omitempty" jsonschema:"a folder with the game's index.html, or a page in one; it is served for the run"`
	MaxSeconds  int            `json:"maxSeconds,omitempty" jsonschema:"longest time for the run, 10 to 1800; 300 if left out"`
	WaitSeconds *int           `json:"waitSeconds,omitempty" jsonschema:"how long to wait for the result before answering with status running, 0 to 600; 45 if left out"`
	Pictures    bool           `json:"pictures,omitempty" jsonschema:"also return pictures of the game at the beginning and the end"`
	Metadata    map[string]any `json:"metadata,omitempty" jsonschema:"what is known about the game: controls, indicators, objectives (docs/metadata.md)"`
}

func (s *Server) addRun() {
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "playtest_run", Title: "Play a game", Description: runText,
		Annotations: &mcp.ToolAnnotations{DestructiveHint: ptr(false), OpenWorldHint: ptr(true)},
	}, func(ctx context.Context, req *mcp.CallToolRequest, in runArgs) (*mcp.CallToolResult, *Result, error) {
		wait, err := waitFor(in.WaitSeconds)
		if err != nil {
			return nil, nil, err
		}
		j, err := s.begin(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		r, err := s.await(ctx, req, j, wait)
		if err != nil {
			j.cancel() // whoever asked does not want it any more
			return nil, nil, err
		}
		return s.answer(r, in.Pictures)
	})
}

// begin checks what was asked for and starts it.
func (s *Server) begin(ctx context.Context, in runArgs) (*job, error) {
	target := record.Target{Mode: record.ModeStandard, MaxDuration: time.Duration(in.MaxSeconds) * time.Second}
	if in.MaxSeconds != 0 && (in.MaxSeconds < 10 || in.MaxSeconds > 1800) {
		return nil, fmt.Errorf("maxSeconds is %d: it must be from 10 to 1800", in.MaxSeconds)
	}
	if len(in.Metadata) > 0 {
		data, err := json.Marshal(in.Metadata)
		if err == nil {
			target.Metadata, err = metadata.Parse(data)
		}
		if err != nil {
			return nil, err
		}
	}
	var f *folder
	game := in.URL
	switch {
	case (in.URL == "") == (in.Folder == ""):
		return nil, errors.New("give either url or folder")
	case in.Folder != "":
		var err error
		if f, err = openFolder(s.opts.Roots, in.Folder); err != nil {
			return nil, err
		}
		game = in.Folder
	default:
		target.URL = in.URL
		if err := target.Validate(); err != nil {
			return nil, err
		}
		if s.opts.Admit != nil {
			if err := s.opts.Admit(ctx, in.URL); err != nil {
				return nil, err
			}
		}
	}
	return s.jobs.start(target, game, f)
}

// least is the time between two notices of progress.
const least = 500 * time.Millisecond

// await waits for the end of a run and tells the client of its progress. After
// the time it answers with how far the run got; an error means that the client
// does not wait any more.
func (s *Server) await(ctx context.Context, req *mcp.CallToolRequest, j *job, wait time.Duration) (*Result, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	token := req.Params.GetProgressToken()
	var told time.Time
	said, n := "", 0
	for {
		state, event, result, changed := j.now()
		if result != nil {
			return result, nil
		}
		message := state
		if event.Message != "" {
			message = clip(event.Phase+": "+event.Message, 200)
		}
		if token != nil && message != said && time.Since(told) >= least {
			n++
			said, told = message, time.Now()
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: message})
			if err != nil && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return &Result{Run: j.id, Status: state, Summary: "Not finished yet (" + message + "). Call playtest_status with this run."}, nil
		}
	}
}

// answer is a result with its text, its pictures on request and links to the
// rest.
func (s *Server) answer(r *Result, pictures bool) (*mcp.CallToolResult, *Result, error) {
	res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text()}}}
	if pictures && len(r.Pictures) > 0 {
		dir, err := s.jobs.dir(r.Run)
		if err != nil {
			return nil, nil, err
		}
		for _, uri := range []string{r.Pictures[0], r.Pictures[len(r.Pictures)-1]}[:min(2, len(r.Pictures))] {
			_, file, _ := parseAddress(uri)
			if c, err := picture(dir, file); err == nil {
				res.Content = append(res.Content, c)
			}
		}
	}
	for _, uri := range r.Pictures {
		_, file, _ := parseAddress(uri)
		res.Content = append(res.Content, &mcp.ResourceLink{URI: uri, Name: file, MIMEType: "image/png"})
	}
	return res, r, nil
}
