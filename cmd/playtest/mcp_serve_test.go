package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/mcpserver"
)

// startMCP runs playtest mcp and returns a client that talks to it over its
// standard input and output.
func startMCP(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		defer out.Close()
		code <- execute(append([]string{"mcp"}, args...), in, out, &stderr)
	}()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		toServer.Close()
		if got := <-code; got != 0 {
			t.Errorf("playtest mcp exits with %d\n%s", got, stderr.String())
		}
	})
	return cs
}

func callMCP[T any](t *testing.T, cs *mcp.ClientSession, name string, args map[string]any) T {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		t.Fatalf("%s: %s", name, res.Content[0].(*mcp.TextContent).Text)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A coding agent that knows nothing but the answers of the tools: it has the game
// played, makes the first edit that is suggested, and goes on until it passes.
func TestAgentMendsAGame(t *testing.T) {
	root := t.TempDir()
	broken, ok := games.Get("noughts")
	if !ok {
		t.Fatal("the game is gone")
	}
	if err := os.CopyFS(filepath.Join(root, "game"), broken.Files); err != nil {
		t.Fatal(err)
	}
	// Two mistakes, of which only the first shows as long as it is there.
	spoil(t, filepath.Join(root, "game", "index.html"), `src="moth.js"`, `src="moht.js"`)
	spoil(t, filepath.Join(root, "game", "moth.js"), "$('play')", "$('plya')")

	cs := startMCP(t, "--root", root, "--out", t.TempDir())
	var made []string
	for range 4 {
		got := callMCP[mcpserver.Result](t, cs, "playtest_run", map[string]any{"folder": "game", "maxSeconds": 120, "waitSeconds": 120})
		t.Logf("%s: %s", got.Status, got.Summary)
		if got.Status == "pass" {
			if len(made) != 2 {
				t.Errorf("it passed after the edits %q, want two", made)
			}
			again := callMCP[mcpserver.Replayed](t, cs, "playtest_replay", map[string]any{"run": got.Run, "folder": "game", "times": 2})
			if again.Same != 2 || len(again.Happened) != 2 {
				t.Errorf("what the run observed happened %d of 2 times: %+v", again.Same, again)
			}
			return
		}
		if len(got.Fixes) == 0 || got.Fixes[0].Edit == nil {
			t.Fatalf("the answer is not enough to act on: %+v", got)
		}
		e := got.Fixes[0].Edit
		file := filepath.Join(root, "game", filepath.FromSlash(e.File))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		lines[e.Line-1] = strings.Replace(lines[e.Line-1], e.Find, e.Replace, 1)
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		made = append(made, e.Find+" to "+e.Replace)
	}
	t.Errorf("it does not pass after %q", made)
}

func spoil(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s does not have %s any more", filepath.Base(file), old)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte(old), []byte(new), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A client that cancels its call, or leaves, takes its run along, and the run's Chromium.
func TestMCPClientLeaves(t *testing.T) {
	// The client of the SDK does not close while a call of its own is under way.
	for name, wait := range map[string]int{"cancels": 300, "leaves": 0} {
		t.Run(name, func(t *testing.T) {
			opened := make(chan struct{})
			var once sync.Once
			game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				switch req.URL.Path {
				case "/":
					io.WriteString(w, `<!doctype html><title>Slow</title><p>Loading...</p><script src="never.js"></script>`)
				case "/never.js":
					once.Do(func() { close(opened) })
					<-req.Context().Done() // until the browser is gone
				default:
					http.NotFound(w, req)
				}
			}))
			cs := startMCP(t, "--out", t.TempDir())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			over := make(chan error, 1)
			go func() {
				_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "playtest_run", Arguments: map[string]any{"url": game.URL + "/", "maxSeconds": 300, "waitSeconds": wait}})
				over <- err
			}()
			select {
			case <-opened:
			case <-time.After(time.Minute):
				t.Fatal("the game was not opened")
			}
			if wait > 0 {
				cancel()
			}
			if err := <-over; (err != nil) != (wait > 0) {
				t.Errorf("the call ends with %v", err)
			}
			if wait == 0 {
				cs.Close()
			}
			closed := make(chan struct{})
			go func() {
				game.Close() // waits for the requests that are under way
				close(closed)
			}()
			select {
			case <-closed:
			case <-time.After(30 * time.Second):
				game.CloseClientConnections()
				t.Error("the browser is still there")
			}
		})
	}
}

func TestBrowserVerbs(t *testing.T) {
	root := t.TempDir()
	page := `<title>Counter</title><button id=more onclick="n.textContent = 1 + +n.textContent">More</button> <output id=n>0</output>`
	if err := os.WriteFile(filepath.Join(root, "index.html"), []byte(page), fs.FileMode(0o644)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLAYTEST_MODEL", "")
	cs := startMCP(t, "--root", root, "--out", t.TempDir(), "--browser-verbs")
	type seen struct{ URL, Text string }
	tree := callMCP[seen](t, cs, "browser_observe", map[string]any{"folder": "."})
	var id string
	for line := range strings.Lines(tree.Text) {
		if strings.Contains(line, "More") {
			id = strings.Fields(line)[0]
		}
	}
	callMCP[seen](t, cs, "browser_act", map[string]any{"method": "click", "on": id})
	callMCP[seen](t, cs, "browser_act", map[string]any{"method": "click", "on": "#more"})
	if got := callMCP[seen](t, cs, "browser_extract", map[string]any{"selector": "#n"}); got.Text != "2" {
		t.Errorf("two clicks make %q\n%s", got.Text, tree.Text)
	}
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_screenshot", Arguments: map[string]any{}})
	if err != nil || res.IsError {
		t.Fatalf("no picture: %v", err)
	}
	if _, ok := res.Content[0].(*mcp.ImageContent); !ok {
		t.Errorf("no picture but %T", res.Content[0])
	}
}

func TestMCPOverHTTP(t *testing.T) {
	t.Setenv("PLAYTEST_MCP_TOKEN", "a long and random text")
	ctx, cancel := context.WithCancel(t.Context())
	stderr, lines := io.Pipe()
	root := newRoot()
	root.SetArgs([]string{"mcp", "--http", "127.0.0.1:0", "--out", t.TempDir()})
	root.SetErr(lines)
	done := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		lines.Close()
		done <- err
	}()
	line := make([]byte, 200)
	n, err := stderr.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stderr)
	address := strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "listening on "))

	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	if _, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: address}, nil); err == nil {
		t.Error("a client without the token is let in")
	}
	cs, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withToken{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := cs.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Errorf("%d tools: %v", len(tools.Tools), err)
	}
	// A page in somebody's browser must not reach it.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://evil.example")
	req.Header.Set("Authorization", "Bearer a long and random text")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("another site's request gets %s", resp.Status)
	}
	if err := cs.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer a long and random text")
	return http.DefaultTransport.RoundTrip(r)
}

func TestMCPRefusesToListenOpenly(t *testing.T) {
	t.Setenv("PLAYTEST_MCP_TOKEN", "")
	var stderr bytes.Buffer
	if code := execute([]string{"mcp", "--http", "0.0.0.0:0"}, nil, io.Discard, &stderr); code != codeUsage {
		t.Errorf("exits with %d\n%s", code, stderr.String())
	}
}

func TestMCPAdmits(t *testing.T) {
	m := &mcpSettings{}
	for address, want := range map[string]bool{
		"http://127.0.0.1:8080/": true, "http://localhost:3000/": true, "http://93.184.216.34/": true,
		"http://169.254.169.254/latest/meta-data/": false, "http://192.168.1.1/": false, "http://10.0.0.1/": false,
	} {
		if err := m.admit(false)(t.Context(), address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := m.admit(true)(t.Context(), "http://127.0.0.1:8080/"); err == nil {
		t.Error("whoever is elsewhere reaches this machine's own addresses")
	}
	// What a name has turned to since it was admitted is asked once more.
	for _, tt := range []struct {
		remote       bool
		typed, leads string
		allowed      bool
	}{
		{false, "http://192.168.1.1/", "192.168.1.1:80", false},
		{false, "http://localhost:3000/", "127.0.0.1:3000", true},
		{true, "http://localhost:3000/", "127.0.0.1:3000", false},
		{true, "http://127.0.0.1:3000/", "127.0.0.1:3000", true}, // of a folder: another one is not admitted
	} {
		policy, err := (&reach{admits: admitted(tt.remote)}).typed(t.Context(), tt.typed)
		if err != nil {
			t.Fatal(err)
		}
		if reason := policy.Check(netip.MustParseAddrPort(tt.leads)); (reason == "") != tt.allowed {
			t.Errorf("%s from elsewhere %v: refused because it is %q", tt.typed, tt.remote, reason)
		}
	}
}
