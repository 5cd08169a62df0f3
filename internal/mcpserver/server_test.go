package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/internal/mcpserver"
	"github.com/playtest-dev/playtest/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// player stands in for the run itself: it plays as it is told.
type player struct {
	report *record.Report
	record *record.Record
	err    error
	// hold, when set, is waited for, as a game that takes its time.
	hold chan struct{}
	// get fetches the game's page, as a browser would.
	get bool

	mu     sync.Mutex
	most   int // runs at a time
	now    int
	pages  []string
	played []record.Target
}

func (p *player) play(ctx context.Context, job mcpserver.Job) (*record.Record, *record.Report, error) {
	p.mu.Lock()
	p.now++
	p.most = max(p.most, p.now)
	p.played = append(p.played, job.Target)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.now--
		p.mu.Unlock()
	}()
	job.Emit(record.Event{Phase: record.PhaseLoad, Kind: record.EventPhase, Message: "opening the game"})
	if p.get {
		resp, err := http.Get(job.Target.URL)
		if err != nil {
			return nil, nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, nil, err
		}
		p.mu.Lock()
		p.pages = append(p.pages, string(body))
		p.mu.Unlock()
		http.DefaultClient.CloseIdleConnections()
	}
	if p.hold != nil {
		select {
		case <-p.hold:
		case <-ctx.Done():
		}
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	rep := *p.report
	rep.Screenshots = []record.Screenshot{{Stage: record.StageInitialLoad, Path: "screenshots/first.png"}, {Stage: record.StageFinalState, Path: "screenshots/last.png"}}
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewRGBA(image.Rect(0, 0, 1600, 900))); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Join(job.Dir, "screenshots"), 0o755); err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(&rep)
	if err != nil {
		return nil, nil, err
	}
	for name, content := range map[string][]byte{
		"screenshots/first.png": buf.Bytes(), "screenshots/last.png": buf.Bytes(), "report.json": data,
		"console.log": []byte(strings.Repeat("error: \x1b[31mred\x1b[0m and long\n", 1000)),
	} {
		if err := os.WriteFile(filepath.Join(job.Dir, name), content, 0o644); err != nil {
			return nil, nil, err
		}
	}
	rec := p.record
	if rec == nil {
		rec = &record.Record{}
	}
	return rec, &rep, nil
}

func passed() *record.Report {
	return &record.Report{Version: record.ReportVersion, Status: record.Pass, Summary: "The game can be played.", PlayabilityScore: 100,
		Checks: []record.Check{{Name: record.GameLoaded, State: record.Proven, Reason: "it opened"}}}
}

// connect gives a client of a server that plays with p.
func connect(t *testing.T, p *player, change func(*mcpserver.Options), client *mcp.ClientOptions) (*mcp.ClientSession, *mcpserver.Server) {
	t.Helper()
	opts := mcpserver.Options{Play: p.play, Dir: t.TempDir(), Version: "1.2.3"}
	if change != nil {
		change(&opts)
	}
	s, err := mcpserver.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	ss, err := s.MCP().Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		ss.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return cs, s
}

// call calls a tool and reads its structured answer.
func call[T any](t *testing.T, cs *mcp.ClientSession, name string, args map[string]any) (*mcp.CallToolResult, T) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if res.IsError {
		t.Fatalf("%s: %s", name, text(res))
	}
	var out T
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return res, out
}

// refused calls a tool and returns what it says against it.
func refused(t *testing.T, cs *mcp.ClientSession, name string, args map[string]any) string {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error()
	}
	if !res.IsError {
		t.Fatalf("%s with %v was not refused: %s", name, args, text(res))
	}
	return text(res)
}

func text(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

func TestRunAFolder(t *testing.T) {
	game := t.TempDir()
	for name, content := range map[string]string{"index.html": "<script src=mian.js></script>", "main.js": "let a = 1", ".env": "KEY=1"} {
		if err := os.WriteFile(filepath.Join(game, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rep := &record.Report{Version: record.ReportVersion, Status: record.Fail, Summary: "It does not load.",
		Checks: []record.Check{{Name: record.GameLoaded, State: record.Disproven, Cause: "script_failed", Reason: "mian.js is missing"}},
		Issues: []record.Issue{{Severity: record.Critical, Description: "mian.js is missing"}}}
	rec := &record.Record{}
	p := &player{report: rep, record: rec, get: true}
	cs, _ := connect(t, p, func(o *mcpserver.Options) {
		o.Roots = []string{filepath.Dir(game)}
		play := o.Play
		o.Play = func(ctx context.Context, job mcpserver.Job) (*record.Record, *record.Report, error) {
			rec.Health.FailedLoads = []record.FailedLoad{{URL: job.Target.URL + "mian.js", Type: "script", Status: 404, SameSite: true}}
			for path, want := range map[string]int{".env": 404, "../": 404, "main.js": 200} {
				resp, err := http.Get(job.Target.URL + path)
				if err != nil {
					t.Error(err)
					continue
				}
				resp.Body.Close()
				if got := resp.StatusCode; got != want && path != "../" {
					t.Errorf("%s answers with %d, want %d", path, got, want)
				}
			}
			return play(ctx, job)
		}
	}, nil)
	res, got := call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"folder": game, "pictures": true})
	if got.Status != "fail" || len(got.Fixes) != 1 || got.Fixes[0].Edit == nil || got.Fixes[0].Edit.Replace != "main.js" {
		t.Fatalf("want a failure with the edit to main.js, got %+v", got)
	}
	if !strings.Contains(text(res), `replace "mian.js" with "main.js"`) {
		t.Errorf("the text has no edit:\n%s", text(res))
	}
	if len(p.pages) != 1 || !strings.Contains(p.pages[0], "mian.js") {
		t.Errorf("the game was not served: %q", p.pages)
	}
	images, links := 0, 0
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.ImageContent:
			images++
			if len(c.Data) > 400<<10 {
				t.Errorf("a picture of %d bytes", len(c.Data))
			}
		case *mcp.ResourceLink:
			links++
		}
	}
	if images != 2 || links != 2 {
		t.Errorf("%d pictures and %d links, want 2 and 2", images, links)
	}
	r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: got.Pictures[0]})
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.DecodeConfig(bytes.NewReader(r.Contents[0].Blob))
	if err != nil || max(img.Width, img.Height) > 1024 {
		t.Errorf("the picture is not scaled: %+v, %v", img, err)
	}
}

func TestWrongArguments(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "index.html"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "project", "dist"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "project", "dist", "index.html"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	cs, _ := connect(t, &player{report: passed()}, func(o *mcpserver.Options) {
		o.Roots = []string{root}
		o.Replay = func(context.Context, mcpserver.Replay) (*mcpserver.Replayed, error) {
			return &mcpserver.Replayed{}, nil
		}
		o.Admit = func(_ context.Context, address string) error {
			if strings.Contains(address, "169.254.") {
				return errors.New("a cloud's metadata address")
			}
			return nil
		}
	}, nil)
	tests := []struct {
		name string
		tool string
		args map[string]any
		want string
	}{
		{"nothing", "playtest_run", map[string]any{}, "either url or folder"},
		{"both", "playtest_run", map[string]any{"url": "http://localhost/", "folder": "x"}, "either url or folder"},
		{"unknown argument", "playtest_run", map[string]any{"url": "http://localhost/", "runs": 100}, "runs"},
		{"wrong type", "playtest_run", map[string]any{"url": 7}, "url"},
		{"no http", "playtest_run", map[string]any{"url": "file:///etc/passwd"}, "only http and https"},
		{"password", "playtest_run", map[string]any{"url": "http://me:secret@localhost/"}, "password"},
		{"not admitted", "playtest_run", map[string]any{"url": "http://169.254.169.254/latest"}, "metadata address"},
		{"outside of the roots", "playtest_run", map[string]any{"folder": elsewhere}, "there is no"},
		{"out of the roots by dots", "playtest_run", map[string]any{"folder": "../" + filepath.Base(elsewhere)}, "there is no"},
		{"out of the roots by a link", "playtest_run", map[string]any{"folder": "link"}, "there is no"},
		{"no index", "playtest_run", map[string]any{"folder": "project"}, "dist/index.html"},
		{"too long", "playtest_run", map[string]any{"url": "http://localhost/", "maxSeconds": 100000}, "10 to 1800"},
		{"negative wait", "playtest_run", map[string]any{"url": "http://localhost/", "waitSeconds": -1}, "0 to 600"},
		{"bad metadata", "playtest_run", map[string]any{"url": "http://localhost/", "metadata": map[string]any{"nonsense": 1}}, "nonsense"},
		{"no such run", "playtest_status", map[string]any{"run": "20260101-000000-00000000"}, "there is no run"},
		{"a path for a run", "playtest_report", map[string]any{"run": "../../etc", "part": "issues"}, "no name of a run"},
		{"no such part", "playtest_report", map[string]any{"run": "20260101-000000-00000000", "part": "secrets"}, "part"},
		{"nothing to replay", "playtest_replay", map[string]any{"run": "20260101-000000-00000000"}, "there is no run"},
		{"two places to replay at", "playtest_replay", map[string]any{"run": "20260101-000000-00000000", "url": "http://localhost/", "folder": "x"}, "not both"},
		{"too many replays", "playtest_replay", map[string]any{"run": "20260101-000000-00000000", "times": 11}, "1 to 10"},
		{"no such tool", "playtest_delete", map[string]any{}, "playtest_delete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := refused(t, cs, tt.tool, tt.args); !strings.Contains(got, tt.want) || strings.Contains(got, "secret@") {
				t.Errorf("says %q, want something about %q", got, tt.want)
			}
		})
	}
}

func TestManyRunsAreBounded(t *testing.T) {
	p := &player{report: passed(), hold: make(chan struct{})}
	cs, _ := connect(t, p, func(o *mcpserver.Options) { o.Parallel, o.Waiting = 2, 3 }, nil)
	var runs []string
	busy := 0
	for range 100 {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "playtest_run", Arguments: map[string]any{"url": "http://localhost/", "waitSeconds": 0}})
		if err != nil {
			t.Fatal(err)
		}
		if res.IsError {
			busy++
			if !strings.Contains(text(res), "playtest_status") {
				t.Fatalf("a refusal without advice: %s", text(res))
			}
			continue
		}
		runs = append(runs, res.StructuredContent.(map[string]any)["run"].(string))
	}
	if len(runs) != 5 || busy != 95 {
		t.Fatalf("%d runs were taken and %d refused, want 5 and 95", len(runs), busy)
	}
	close(p.hold)
	for _, run := range runs {
		_, got := call[struct{ Result mcpserver.Result }](t, cs, "playtest_status", map[string]any{"run": run})
		if got.Result.Status != "pass" {
			t.Errorf("run %s: %s", run, got.Result.Status)
		}
	}
	if p.most > 2 {
		t.Errorf("%d games were played at a time, want at most 2", p.most)
	}
	_, list := call[struct{ Runs []mcpserver.Listed }](t, cs, "playtest_status", nil)
	if len(list.Runs) != 5 {
		t.Errorf("%d runs are listed, want 5", len(list.Runs))
	}
}

func TestProgressAndCancellation(t *testing.T) {
	p := &player{report: passed(), hold: make(chan struct{})}
	progress := make(chan string, 100)
	cs, _ := connect(t, p, nil, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		progress <- r.Params.Message
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "playtest_run", Arguments: map[string]any{"url": "http://localhost/"}}
		params.SetProgressToken("one")
		_, err := cs.CallTool(ctx, params)
		done <- err
	}()
	<-progress // it says how far it got
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	_, list := call[struct{ Runs []mcpserver.Listed }](t, cs, "playtest_status", nil)
	if len(list.Runs) != 1 {
		t.Fatalf("%d runs", len(list.Runs))
	}
	_, got := call[struct{ Result mcpserver.Result }](t, cs, "playtest_status", map[string]any{"run": list.Runs[0].Run})
	if got.Result.Status != "cancelled" {
		t.Errorf("the run goes on although nobody waits for it: %s", got.Result.Status)
	}
}

func TestCancelByStatus(t *testing.T) {
	p := &player{report: passed(), hold: make(chan struct{})}
	cs, _ := connect(t, p, nil, nil)
	_, got := call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"url": "http://localhost/", "waitSeconds": 0})
	if got.Status != "waiting" && got.Status != "running" {
		t.Fatalf("status %s", got.Status)
	}
	if says := refused(t, cs, "playtest_report", map[string]any{"run": got.Run, "part": "issues"}); !strings.Contains(says, "wait for it") {
		t.Errorf("a report of a run under way says %q", says)
	}
	_, end := call[struct{ Result mcpserver.Result }](t, cs, "playtest_status", map[string]any{"run": got.Run, "cancel": true})
	if end.Result.Status != "cancelled" {
		t.Errorf("status %s, want cancelled", end.Result.Status)
	}
}

func TestDisconnectEndsRuns(t *testing.T) {
	p := &player{report: passed(), hold: make(chan struct{})} // never let go
	cs, s := connect(t, p, nil, nil)
	call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"url": "http://localhost/", "waitSeconds": 0})
	if err := cs.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // hangs if the run is not ended
		t.Fatal(err)
	}
}

func TestReportInPieces(t *testing.T) {
	rep := passed()
	for i := range 300 {
		rep.Issues = append(rep.Issues, record.Issue{Severity: record.Minor, Description: fmt.Sprintf("issue %d: %s", i, strings.Repeat("long ", 100))})
	}
	p := &player{report: rep}
	dir := t.TempDir()
	same := func(o *mcpserver.Options) { o.Dir = dir }
	cs, _ := connect(t, p, same, nil)
	res, got := call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"url": "http://localhost/"})
	if len(got.Issues) != 10 || got.More != 290 {
		t.Errorf("%d issues and %d more, want 10 and 290", len(got.Issues), got.More)
	}
	if n := len(text(res)); n > 8000 {
		t.Errorf("an answer of %d bytes", n)
	}

	// A later server knows the run, too.
	cs, _ = connect(t, p, same, nil)
	lines, offset := 0, 0
	for range 100 {
		_, part := call[mcpserver.Part](t, cs, "playtest_report", map[string]any{"run": got.Run, "part": "issues", "offset": offset})
		if len(part.Text) > 8000 {
			t.Fatalf("a piece of %d bytes", len(part.Text))
		}
		lines += strings.Count(part.Text, "\n")
		if offset = part.Next; offset == 0 {
			break
		}
	}
	if lines != 300 {
		t.Errorf("the pieces hold %d issues, want 300", lines)
	}
	_, log := call[mcpserver.Part](t, cs, "playtest_report", map[string]any{"run": got.Run, "part": "console"})
	if strings.Contains(log.Text, "\x1b") {
		t.Error("control characters of the page are passed on")
	}
	shots, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "playtest_report", Arguments: map[string]any{"run": got.Run, "part": "pictures"}})
	if err != nil || !slices.ContainsFunc(shots.Content, func(c mcp.Content) bool { _, ok := c.(*mcp.ImageContent); return ok }) {
		t.Errorf("no picture: %v", err)
	}
	for _, uri := range []string{"playtest://runs/" + got.Run + "/../../x", "playtest://runs/" + got.Run + "/none.png", "playtest://runs/x/report.json", "file:///etc/passwd"} {
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s can be read", uri)
		}
	}
}

func TestOldRunsGo(t *testing.T) {
	p := &player{report: passed()}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "somebody's"), 0o755); err != nil {
		t.Fatal(err)
	}
	cs, _ := connect(t, p, func(o *mcpserver.Options) { o.Keep, o.Dir = 2, dir }, nil)
	var runs []string
	for range 4 {
		_, got := call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"url": "http://localhost/"})
		runs = append(runs, got.Run)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(runs[2:], "somebody's")
	slices.Sort(want) // several may begin in one second
	if !slices.Equal(names, want) {
		t.Errorf("left are %v, want the newest two and what is not ours: %v", names, want)
	}
}

func TestGuideAndPrompt(t *testing.T) {
	cs, _ := connect(t, &player{report: passed()}, nil, nil)
	r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "playtest://guide"})
	if err != nil || !strings.Contains(r.Contents[0].Text, "playtest_run") {
		t.Errorf("the guide: %v", err)
	}
	prompt, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "mend_game", Arguments: map[string]string{"game": "./dist"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "./dist") {
		t.Errorf("the prompt: %v", err)
	}
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s has no schema or no description", tool.Name)
		}
	}
	if want := []string{"playtest_report", "playtest_run", "playtest_status"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v and no browser verbs", names, want)
	}
}

func TestAPlayerThatCannotPlay(t *testing.T) {
	cs, _ := connect(t, &player{err: errors.New("no Chromium")}, nil, nil)
	_, got := call[mcpserver.Result](t, cs, "playtest_run", map[string]any{"url": "http://localhost/"})
	if got.Status != "error" || !strings.Contains(got.Summary, "no Chromium") {
		t.Errorf("%+v", got)
	}
}
