package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// peerLimit is how long one program may be measured: on a machine with other work
// to do, too.
const peerLimit = 8 * time.Minute

// peer is a program to be measured beside ours.
type peer struct {
	title string
	// dir is where scripts/bench-peers installs it, below the folder of all.
	dir     string
	version func(dir string) (string, error)
	run     func(ctx context.Context, dir, chromium, base string) (*result, error)
}

var peers = []peer{
	{"Stagehand 3", "stagehand3", npm("@browserbasehq/stagehand"), script("node", "bench/peers/stagehand3.mjs", "DIR")},
	// Its own Node is 22; an older one has the same socket behind a flag.
	{"Stagehand 4", "stagehand4", npm("@browserbasehq/stagehand"), script("node", "--experimental-websocket", "bench/peers/stagehand4.mjs", "DIR")},
	{"Stagehand Go", "stagehand-go", built("measure", "github.com/browserbase/stagehand/packages/sdk-go/v4"), script("DIR/measure")},
	{"agent-browser", "agent-browser", npm("agent-browser"), overMCP(agentBrowser)},
	{"Playwright MCP", "playwright-mcp", npm("@playwright/mcp"), overMCP(playwrightMCP)},
}

// chosen are the programs that a list names by their folders.
func chosen(list string) ([]peer, error) {
	var some []peer
	for dir := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.dir == dir })
		if i < 0 {
			return nil, fmt.Errorf("there is no program %q to measure", dir)
		}
		some = append(some, peers[i])
	}
	return some, nil
}

// measure runs the program. Its name comes with the version that is installed.
func (p peer) measure(ctx context.Context, folder, chromium, base string) (*result, string, error) {
	if folder == "" {
		return nil, "", errors.New("it was not asked for")
	}
	dir, err := filepath.Abs(filepath.Join(folder, p.dir))
	if err != nil {
		return nil, "", err
	}
	version, err := p.version(dir)
	if err != nil {
		return nil, "", err
	}
	bound, cancel := context.WithTimeout(ctx, peerLimit)
	defer cancel()
	r, err := p.run(bound, dir, chromium, base)
	if err != nil {
		return nil, "", err
	}
	return r, strings.TrimRight(p.title, "0123456789 ") + " " + version, nil
}

// npm reads the version of a package that npm installed.
func npm(module string) func(dir string) (string, error) {
	return func(dir string) (string, error) {
		file := filepath.Join(dir, "node_modules", module, "package.json")
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("it is not installed: %w", err)
		}
		var about struct {
			Version string `json:"version"`
		}
		if err := json.Unmarshal(data, &about); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return about.Version, nil
	}
}

// built reads the version of a module that a Go program was built with.
func built(program, module string) func(dir string) (string, error) {
	return func(dir string) (string, error) {
		info, err := buildinfo.ReadFile(filepath.Join(dir, program))
		if err != nil {
			return "", fmt.Errorf("it is not installed: %w", err)
		}
		for _, m := range info.Deps {
			if m.Path == module {
				return strings.TrimPrefix(m.Version, "v"), nil
			}
		}
		return "", fmt.Errorf("%s is built without %s", program, module)
	}
}

// agentBrowser runs its binary, which is made for this machine, as a server.
func agentBrowser(dir, chromium, scratch string) server {
	machine := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if machine == "" {
		machine = runtime.GOARCH
	}
	return server{
		command: []string{filepath.Join(dir, "node_modules/agent-browser/bin/agent-browser-"+runtime.GOOS+"-"+machine), "mcp"},
		// A home of its own: it keeps sockets and settings there.
		env:  []string{"AGENT_BROWSER_EXECUTABLE_PATH=" + chromium, "AGENT_BROWSER_ARGS=--no-sandbox", "HOME=" + scratch},
		open: "agent_browser_open", snapshot: "agent_browser_snapshot", click: "agent_browser_click", close: "agent_browser_close",
		target: func(ref string) map[string]any { return map[string]any{"selector": "@" + ref} },
	}
}

// playwrightMCP runs its server. It answers with a whole tree only when it is
// asked for one, and puts the others into files.
func playwrightMCP(dir, chromium, scratch string) server {
	return server{
		command: []string{
			"node", filepath.Join(dir, "node_modules/@playwright/mcp/cli.js"), "--headless", "--isolated", "--no-sandbox",
			"--executable-path", chromium, "--viewport-size", "1280x720", "--output-dir", scratch,
		},
		open: "browser_navigate", snapshot: "browser_snapshot", click: "browser_click", close: "browser_close",
		target: func(ref string) map[string]any {
			return map[string]any{"element": "the first button", "target": ref}
		},
	}
}
