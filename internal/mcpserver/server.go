// Package mcpserver lets coding agents have a game played: few tools with small
// answers, over the Model Context Protocol.
//
//	client ── playtest_run ──► job ── queue, at most Parallel at a time ──► Options.Play ──► results folder
//	   ▲                        │                                                              │
//	   └── result, or "running" after WaitSeconds; then playtest_status ◄──────────────────────┘
//
// A run belongs to the server, not to the call that began it, since many clients
// give up on a call after a minute. It ends early when that call is cancelled, when
// playtest_status is told to cancel it, and when the server is closed.
package mcpserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/record"
)

// Job is a run to be played.
type Job struct {
	ID     string
	Target record.Target
	// Dir is an empty folder for the report, the record, pictures and logs.
	Dir string
	// Emit takes the events of the run. It does not block.
	Emit func(record.Event)
}

// Replay is what is to happen again.
type Replay struct {
	// Dir is the folder of the run.
	Dir string
	// Game is where the game is now, empty if it is where it was.
	Game  string
	Times int
}

// Options of a server. Play and Dir are required.
type Options struct {
	// Play plays a game and leaves report.json, record.json and the evidence in the
	// job's folder. It returns an error only when there is no report.
	Play func(ctx context.Context, job Job) (*record.Record, *record.Report, error)
	// Replay makes what a run observed happen again. Nil leaves the tool out.
	Replay func(ctx context.Context, again Replay) (*Replayed, error)
	// Admit refuses addresses that agents may not have played. Nil admits all.
	Admit func(ctx context.Context, address string) error
	// Dir is where runs are kept, the newest Keep of them: 50 if zero.
	Dir  string
	Keep int
	// Roots are the folders that games may be played from, none if empty.
	Roots []string
	// Parallel is how many runs are played at a time, 1 if zero; Waiting is how many
	// more may wait, 4 if zero.
	Parallel, Waiting int
	// Page opens a page for the browser verbs. Nil leaves them out.
	Page func(ctx context.Context) (Page, error)
	// Version of playtest, for clients.
	Version string
	Log     *slog.Logger // nowhere if nil
}

// Server answers the calls of agents. Close it when no session is left.
type Server struct {
	opts Options
	mcp  *mcp.Server
	jobs *jobs
	// browse is nil without the browser verbs.
	browse *browse
}

//go:embed guide.md
var guide string

//go:embed instructions.md
var instructions string

// New makes a server. Nothing is launched before a tool is called.
func New(opts Options) (*Server, error) {
	if opts.Play == nil || opts.Dir == "" {
		return nil, errors.New("mcpserver: Play and Dir are required")
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Keep <= 0 {
		opts.Keep = 50
	}
	if opts.Parallel <= 0 {
		opts.Parallel = 1
	}
	if opts.Waiting <= 0 {
		opts.Waiting = 4
	}
	for i, root := range opts.Roots {
		real, err := filepath.EvalSymlinks(root)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, fmt.Errorf("folder for games: %w", err)
		}
		opts.Roots[i] = real
	}
	if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder for results: %w", err)
	}
	s := &Server{opts: opts}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "playtest", Title: "playtest", Version: opts.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	s.jobs = newJobs(&s.opts)
	s.addRun()
	s.addStatus()
	s.addReport()
	if opts.Replay != nil {
		s.addReplay()
	}
	s.addResources()
	s.addPrompt()
	if opts.Page != nil {
		s.browse = &browse{server: s}
		s.browse.add()
	}
	return s, nil
}

// MCP is the server for a transport.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Close ends all runs and waits for them.
func (s *Server) Close() error {
	s.jobs.close()
	if s.browse != nil {
		return s.browse.close()
	}
	return nil
}

// patience is how long a call waits for its run: clients with a limit of a minute
// have their answer before it.
const (
	patience    = 45 * time.Second
	maxPatience = 10 * time.Minute
)

func waitFor(seconds *int) (time.Duration, error) {
	if seconds == nil {
		return patience, nil
	}
	if d := time.Duration(*seconds) * time.Second; d >= 0 && d <= maxPatience {
		return d, nil
	}
	return 0, fmt.Errorf("waitSeconds is %d: it must be from 0 to %.0f", *seconds, maxPatience.Seconds())
}

func ptr[T any](v T) *T { return &v }
