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
