package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/browser/snapshot"
)

// server is a program that offers a browser's tools over MCP, and their names.
type server struct {
	command                      []string
	env                          []string
	open, snapshot, click, close string
	// target are the arguments that name an element by its reference.
	target func(ref string) map[string]any
}

// overMCP measures such a program. It has no verb of its own for acting in plain
// words: a snapshot, the choice of a reference and a click with it are what a
// model would do with it.
func overMCP(about func(dir, chromium, scratch string) server) func(ctx context.Context, dir, chromium, base string) (*result, error) {
	return func(ctx context.Context, dir, chromium, base string) (*result, error) {
		scratch, err := os.MkdirTemp("", "peer")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(scratch)
		s := about(dir, chromium, scratch)
		cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
		cmd.Env = append(os.Environ(), s.env...)
		cmd.Dir = scratch
		// Its browser goes with it, also when it hangs and has to be ended.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		client := sdk.NewClient(&sdk.Implementation{Name: "bench-peers", Version: "1"}, nil)
		session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
		if err != nil {
			return nil, fmt.Errorf("connecting: %w", err)
		}
		defer session.Close()
		c := &caller{server: s, session: session}
		r, err := c.measure(ctx, base)
		if _, closing := c.call(ctx, s.close, nil); err == nil && closing != nil {
			err = fmt.Errorf("closing its browser: %w", closing)
		}
		return r, err
	}
}

// caller calls the tools of a server.
type caller struct {
	server
	session *sdk.ClientSession
}

func (c *caller) call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	answer, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var text strings.Builder
	for _, part := range answer.Content {
		if t, ok := part.(*sdk.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if answer.IsError {
		return "", fmt.Errorf("%s: %.200s", name, text.String())
	}
	return text.String(), nil
}

// look opens a page and takes snapshots of it: the median of their times, and
// the last.
func (c *caller) look(ctx context.Context, url string, times int) (float64, string, error) {
	if _, err := c.call(ctx, c.open, map[string]any{"url": url}); err != nil {
		return 0, "", err
	}
	time.Sleep(500 * time.Millisecond) // every program measures a page that has come to rest
	var took []float64
	var text string
	for range times {
		began := time.Now()
		var err error
		if text, err = c.call(ctx, c.snapshot, nil); err != nil {
			return 0, "", err
		}
		took = append(took, time.Since(began).Seconds()*1000)
	}
	return median(took), text, nil
}

func (c *caller) measure(ctx context.Context, base string) (*result, error) {
	r := newResult()
	for _, name := range pages {
		took, text, err := c.look(ctx, base+"/"+name, repeats)
		if err != nil {
			r.Errors = append(r.Errors, name+": "+err.Error())
			continue
		}
		r.Full[name] = took
		r.tree(name, text, snapshot.Tokens(text))
	}
	// The large page once more, after the one with frames. Fewer times: it takes long.
	if _, _, err := c.look(ctx, base+"/frames", 1); err != nil {
		return nil, err
	}
	after, _, err := c.look(ctx, base+"/large", 3)
	if err != nil {
		return nil, err
	}
	if r.Full["large"] > 0 {
		r.Again = after / r.Full["large"]
	}
	if r.Act, err = c.act(ctx, base); err != nil {
		return nil, err
	}
	return r, nil
}

var firstRef = regexp.MustCompile(`button "[^"]*" \[[^\]]*?\bref=(\w+)`)

// act is how long it takes to read the page, choose the first button and click it.
func (c *caller) act(ctx context.Context, base string) (float64, error) {
	if _, err := c.call(ctx, c.open, map[string]any{"url": base + "/small"}); err != nil {
		return 0, err
	}
	var took []float64
	for range repeats {
		began := time.Now()
		text, err := c.call(ctx, c.snapshot, nil)
		if err != nil {
			return 0, err
		}
		ref := firstRef.FindStringSubmatch(text)
		if ref == nil {
			return 0, errors.New("there is no button in its snapshot")
		}
		if _, err := c.call(ctx, c.click, c.target(ref[1])); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds()*1000)
	}
	return median(took), nil
}
