// Package mcp gives an agent the tools of MCP servers, over stdio or streamable
// HTTP, through the official SDK.
//
//	config, err := mcp.Parse(data, os.LookupEnv)
//	servers, err := mcp.Connect(ctx, config, nil)
//	defer servers.Close()
//	a, err := agent.New(ctx, page, model, &agent.Options{Tools: servers.Tools()})
//
// A tool is named server__tool, so that two servers, or a server and the agent's
// own tools, never mean the same word. The list is taken once: a server that
// adds, renames or redefines tools later changes nothing. Servers get no
// environment but the usual variables and those of the configuration, no roots,
// no sampling, and are not asked questions of the user's.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/record"
)

const (
	// DefaultTimeout is how long one call may take.
	DefaultTimeout = 30 * time.Second
	// DefaultConnect is how long a server may take to start and list its tools.
	DefaultConnect = 30 * time.Second
	// terminate is how long a program has to end after its input was closed.
	terminate = 2 * time.Second
	// maxTools bounds what one server can put before a model.
	maxTools = 128
)

// Options tune Connect.
type Options struct {
	// Timeout is how long each server may take to connect.
	Timeout time.Duration
	// Stderr is where programs write what they have to say; nowhere if nil.
	Stderr io.Writer
}

// Servers are connections to servers.
type Servers struct {
	list    []*server
	tools   []tool.Tool
	skipped []string
}

type server struct {
	name    string
	session *sdk.ClientSession
	limit   time.Duration
}

// Connect starts and connects to every server that is not disabled, in the order
// of their names, and takes their tools over. When one fails all are closed.
func Connect(ctx context.Context, config *Config, opts *Options) (*Servers, error) {
	o := Options{Timeout: DefaultConnect}
	if opts != nil {
		o.Stderr = opts.Stderr
		if opts.Timeout > 0 {
			o.Timeout = opts.Timeout
		}
	}
	s := &Servers{}
	for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
		each := config.Servers[name]
		if each.Disabled {
			continue
		}
		if err := s.connect(ctx, name, &each, &o); err != nil {
			_ = s.Close()
			return nil, fmt.Errorf("connecting to MCP server %s: %w", name, err)
		}
	}
	return s, nil
}

func (s *Servers) connect(ctx context.Context, name string, config *Server, o *Options) error {
	if err := config.check(); err != nil {
		return err
	}
	limit, err := config.limit()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	// No roots, no sampling, no questions: a server is there to be asked.
	client := sdk.NewClient(&sdk.Implementation{Name: "playtest", Version: record.Version}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(ctx, config.transport(o), nil)
	if err != nil {
		return err
	}
	each := &server{name: name, session: session, limit: limit}
	s.list = append(s.list, each)
	return s.take(ctx, each, config.Allow)
}

// transport is how the server is reached.
func (c *Server) transport(o *Options) sdk.Transport {
	if c.Type == "http" {
		return &sdk.StreamableClientTransport{
			Endpoint: c.URL, MaxRetries: 2, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{
				Transport: &headers{c.Headers},
				// Go would pass the headers, and the keys in them, on to wherever
				// it is sent.
				CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("the server redirects") },
			},
		}
	}
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Dir = c.Cwd
	cmd.Env = environment(c.Env)
	cmd.Stderr = o.Stderr
	return &sdk.CommandTransport{Command: cmd, TerminateDuration: terminate}
}

// headers adds the configured headers to every request.
type headers struct{ add map[string]string }

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(h.add) > 0 {
		r = r.Clone(r.Context())
		for k, v := range h.add {
			r.Header.Set(k, v)
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// usual are the variables that programs need to run. Everything else, keys above
// all, they get only when the configuration says so.
var usual = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR"}

func environment(extra map[string]string) []string {
	var env []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); slices.Contains(usual, name) {
			env = append(env, pair)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		env = append(env, name+"="+extra[name])
	}
	return env
}

// Tools are the tools of all servers, for an agent.
func (s *Servers) Tools() []tool.Tool { return slices.Clone(s.tools) }

// Skipped says which tools were not taken over, and why.
func (s *Servers) Skipped() []string { return slices.Clone(s.skipped) }

// Close ends all connections and the programs behind them.
func (s *Servers) Close() error {
	var errs []error
	for _, each := range s.list {
		// A program that has died already has nothing to add.
		if err := each.session.Close(); err != nil && !errors.Is(err, sdk.ErrConnectionClosed) && !isExit(err) {
			errs = append(errs, fmt.Errorf("closing MCP server %s: %w", each.name, err))
		}
	}
	s.list = nil
	return errors.Join(errs...)
}

func isExit(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}
