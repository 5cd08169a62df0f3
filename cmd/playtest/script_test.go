package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"playtest": main, "words-server": serveWords})
}

// serveWords is an MCP server, as somebody's program would be one, whose tool says how
// a game is played.
func serveWords() {
	s := mcp.NewServer(&mcp.Implementation{Name: "words", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "hint", Description: "Says how the game is played."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: hintOfServer}}}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

const hintOfServer = "Three lanterns in a row win."

// TestScripts runs sessions at a terminal, one file each.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":       code,
			"games":      serveGames,
			"model":      func(ts *testscript.TestScript, neg bool, args []string) { standIn(t, ts, args) },
			"runid":      runID,
			"conforms":   conforms,
			"interrupt":  interrupt,
			"learned":    learned,
			"nochromium": noChromium,
			"pictures":   pictures,
		},
		Setup: func(env *testscript.Env) error {
			// Profiles of browsers lie in the test's own folder, so that a
			// process that is left over can be told from other people's.
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("HOME", env.WorkDir)
			// Under the race detector every process sleeps for a second before
			// it ends, to see what its last goroutines do. Here that is minutes.
			env.Setenv("GORACE", "atexit_sleep_ms=10")
			return nil
		},
	})
}

// code runs a command and asserts on its exit code: code 64 playtest run
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND [ARGS...]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// serveGames serves the bundled games for as long as the script lasts and puts
// their address into GAMES.
func serveGames(ts *testscript.TestScript, neg bool, args []string) {
	server, err := games.Serve(context.Background(), nil)
	ts.Check(err)
	ts.Defer(func() { server.Close() })
	ts.Setenv("GAMES", server.URL("", 0))
}

// lineOf is a placeholder in a reply, such as <button "Save">, for the id of the
// line of the page that has the words.
var lineOf = regexp.MustCompile(`<(\w+ "[^"]*")>`)

// standIn makes a stand-in for a vendor's API the model of the script. It gives
// the lines of a file as its replies, one after the other: model FILE
func standIn(t *testing.T, ts *testscript.TestScript, args []string) {
	server := modeltest.NewAnthropic(t)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		server.Script(modeltest.Reply{From: func(got modeltest.Received) modeltest.Reply {
			told, err := json.Marshal(got.Body["messages"])
			if err != nil {
				t.Error(err)
			}
			page := strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(string(told))
			return modeltest.Reply{Text: lineOf.ReplaceAllStringFunc(line, func(m string) string {
				at := regexp.MustCompile(`(\d+) ` + regexp.QuoteMeta(lineOf.FindStringSubmatch(m)[1])).FindStringSubmatch(page)
				if at == nil {
					t.Errorf("%s is not on the page:\n%s", m, page)
					return m
				}
				return at[1]
			})}
		}})
	}
	ts.Setenv("PLAYTEST_MODEL", "anthropic/claude-haiku-5-5")
	ts.Setenv("ANTHROPIC_API_KEY", server.Key.Reveal())
	ts.Setenv("ANTHROPIC_BASE_URL", server.URL)
}

// runID puts the name of a run from a file into a variable: runid ID FILE
func runID(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// learned puts what is known of games, by id, into a database: learned DB FILE
func learned(ts *testscript.TestScript, neg bool, args []string) {
	var games map[string]json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &games))
	db, err := store.Open(context.Background(), ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for id, data := range games {
		ts.Check(db.ChangeKnowledge(context.Background(), id, func([]byte) ([]byte, error) { return data, nil }))
	}
}

// interrupt runs a command, sends it SIGINT when its stderr says what is
// given, and asserts that it exits with 130: interrupt TEXT COMMAND [ARGS...]
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt TEXT COMMAND [ARGS...]")
	}
	path, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[1]))
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"), "HOME="+ts.Getenv("HOME"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		stderr.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), args[0]) {
			ts.Check(cmd.Process.Signal(syscall.SIGINT))
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != codeInterrupted {
		ts.Fatalf("ended with %v, want exit code %d\n%s", err, codeInterrupted, stderr.String())
	}
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), stdout.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), stderr.Bytes(), 0o644))
}

// conforms asserts that a file is a report as the published schema has it.
func conforms(ts *testscript.TestScript, neg bool, args []string) {
	data, err := report.Schema()
	ts.Check(err)
	var schema jsonschema.Schema
	ts.Check(json.Unmarshal(data, &schema))
	resolved, err := schema.Resolve(nil)
	ts.Check(err)
	for _, name := range args {
		var value any
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &value))
		if err := resolved.Validate(value); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
	}
}

// pictures asserts that every picture a report names is in its folder, and
// that the stages that a report always has are among them.
func pictures(ts *testscript.TestScript, neg bool, args []string) {
	var rep record.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0]+"/report.json")), &rep))
	stages := map[string]bool{}
	for _, s := range rep.Screenshots {
		stages[s.Stage] = true
		if _, err := os.Stat(ts.MkAbs(filepath.Join(args[0], s.Path))); err != nil {
			ts.Fatalf("the report names a picture that is not there: %v", err)
		}
	}
	for _, stage := range []string{record.StageInitialLoad, record.StageAfterInteraction, record.StageFinalState} {
		if !stages[stage] {
			ts.Fatalf("there is no picture of the stage %s", stage)
		}
	}
	if len(rep.Screenshots) < 5 {
		ts.Fatalf("only %d pictures", len(rep.Screenshots))
	}
}

// noChromium asserts that no process and no profile of a browser is left.
func noChromium(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.Getenv("TMPDIR")
	left, err := filepath.Glob(filepath.Join(dir, "playtest-*"))
	ts.Check(err)
	for _, name := range left {
		if name != filepath.Join(dir, resultsRoot) {
			ts.Fatalf("left behind: %s", name)
		}
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, p := range processes {
		line, err := os.ReadFile(p)
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			ts.Fatalf("still running: %s", p)
		}
	}
}
