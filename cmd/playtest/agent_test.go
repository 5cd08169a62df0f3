package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func TestAgentCommand(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" { // the origin is that of where it leads
			http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/game", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Game</title><h1 id="h">Press a key</h1><script>addEventListener('keydown', e => h.textContent = 'Pressed ' + e.key)</script>`))
	}))
	t.Cleanup(web.Close)
	server := modeltest.NewAnthropic(t)
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", string(server.Key))
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	server.Script(
		modeltest.Reply{Calls: []modeltest.Call{{ID: "c1", Name: "goto", Args: `{"url":"http://elsewhere.test/"}`}}},
		modeltest.Reply{Calls: []modeltest.Call{{ID: "c2", Name: "keys", Args: `{"keys":["a"]}`}}},
		modeltest.Reply{Calls: []modeltest.Call{{ID: "c3", Name: "close", Args: `{"reasoning":"The key was pressed.","taskComplete":true}`}}},
	)
	kept := filepath.Join(t.TempDir(), "kept.json")
	var stdout, stderr bytes.Buffer
	code := execute([]string{"agent", web.URL, "press a", "--game", "--json", "--save", kept, "--model", "anthropic/claude-haiku-5-5"}, nil, &stdout, &stderr)
	if code != codePass {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	var res agent.Result
	if err := json.Unmarshal(stdout.Bytes(), &res); err != nil {
		t.Fatal(err)
	}
	if !res.Success || res.Message != "The key was pressed." || len(res.Actions) != 3 || !res.Actions[1].Changed || res.Verified.Refused != 1 || res.Conversation != nil {
		t.Errorf("got %+v", res)
	}
	for _, want := range []string{"goto", "not allowed", "keys", "the page changed", "1 attempts to leave", "http://elsewhere.test/"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &stderr)
		}
	}

	// Again without a model: no reply is scripted, so a call would fail.
	stdout.Reset()
	if code := execute([]string{"agent", web.URL, "--game", "--replay", kept}, nil, &stdout, &stderr); code != codePass {
		t.Errorf("replay: exit code %d\n%s", code, &stderr)
	}

	// And on from where it was, with an agent that gives up.
	server.Script(modeltest.Reply{Calls: []modeltest.Call{{ID: "c4", Name: "close", Args: `{"reasoning":"There \u001b[31mis no b.","taskComplete":false}`}}})
	stdout.Reset()
	code = execute([]string{"agent", web.URL, "now press b", "--game", "--continue", kept, "--model", "anthropic/claude-haiku-5-5"}, nil, &stdout, &stderr)
	if code != codeFail || strings.TrimSpace(stdout.String()) != "There [31mis no b." {
		t.Errorf("continue: exit code %d, %q\n%s", code, &stdout, &stderr)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kept conversation is %v, %v", info.Mode(), err)
	}
}

// What the command prints for programs: data in a shape, and events as lines. A
// login is kept, and what a computer did is done again without a model.
func TestAgentForPrograms(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Score</title><style>body{margin:0}button{width:400px;height:300px}</style><button onclick="document.cookie = 'played=' + ++n + ';max-age=999'; this.textContent = n">0</button><script>let n = 0</script>`))
	}))
	t.Cleanup(web.Close)
	server := modeltest.NewAnthropic(t)
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", string(server.Key))
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	t.Setenv("PLAYTEST_MODEL", "anthropic/claude-sonnet-5-5")
	dir := t.TempDir()
	state, won := filepath.Join(dir, "state.json"), filepath.Join(dir, "won.json")
	call := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := execute(append([]string{"agent", web.URL}, args...), nil, &stdout, &stderr); code != codePass {
			t.Fatalf("%v: exit code %d\n%s", args, code, &stderr)
		}
		return strings.TrimSpace(stdout.String())
	}

	server.Script(
		modeltest.Reply{Calls: []modeltest.Call{{ID: "c1", Name: "close", Args: `{"reasoning":"It is there.","taskComplete":true,"result":{"best":"many"}}`}}},
		modeltest.Reply{Text: "I look again.", Calls: []modeltest.Call{{ID: "c2", Name: "close", Args: `{"reasoning":"It is there.","taskComplete":true,"result":{"best":7}}`}}},
	)
	if got := call("read the best score", "--schema", `{"type":"object","properties":{"best":{"type":"integer"}},"required":["best"]}`); got != `{"best":7}` {
		t.Errorf("with a schema stdout is %q", got)
	}

	server.Script(
		modeltest.Acts(modeltest.Member("a", "left_click", `{"coordinate":[100,100]}`)),
		modeltest.Reply{Text: "It says 1."},
	)
	var kinds []string
	for line := range strings.Lines(call("press the button", "--computer", "--stream", "--save", won, "--storage-state", state)) {
		var e agent.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case e.Action != nil:
			kinds = append(kinds, e.Action.Tool)
		case e.Step != nil:
			kinds = append(kinds, "step")
		case e.Result != nil:
			kinds = append(kinds, "result", e.Result.Message)
		}
	}
	if got := strings.Join(kinds, " "); got != "click step step result It says 1." {
		t.Errorf("the events are %s", got)
	}
	if data, err := os.ReadFile(state); err != nil || !strings.Contains(string(data), `"played"`) {
		t.Errorf("the cookie was not kept: %s, %v", data, err)
	}

	// No reply is left, so a call would fail.
	if got := call("--computer", "--replay", won); got != "" {
		t.Errorf("a replay says %q", got)
	}

	server.Script(
		modeltest.Acts(modeltest.BrowserMember("b", "find", `{"query":"the button 0"}`)),
		modeltest.Reply{Text: "There is one."},
	)
	if got := call("look for the button", "--computer=elements"); got != "There is one." {
		t.Errorf("with elements stdout is %q", got)
	}
}
