package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

const shop = `<!doctype html><title>Shop</title><h1>Shop</h1>
<ul><li><a href="/tea">Tea</a> 4.50 <button onclick="document.title='tea'">Buy tea</button></li>
<li><a href="/cake">Cake</a> 3 <button onclick="document.title='cake'">Buy cake</button></li></ul>
<input id="search" aria-label="Search"><button onclick="result.textContent='1 '+search.value+' found'">Find</button><p id="result"></p>
<a href="/help" target="_blank">Help</a> <a href="/list">Price list</a>`

// site is a shop with a login.
func site(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/help":
			fmt.Fprint(w, "<!doctype html><p>How to buy tea</p>")
		case "/list":
			w.Header().Set("Content-Disposition", "attachment; filename=prices.txt")
			fmt.Fprint(w, "tea 4.50\n")
		case "/login":
			if _, err := r.Cookie("in"); err == nil {
				fmt.Fprint(w, "<!doctype html><p>Welcome back</p>")
				return
			}
			fmt.Fprint(w, `<!doctype html><input id="pass" type="password" aria-label="Password">
<button id="in" onclick="if (pass.value === 'correct horse') { document.cookie = 'in=1'; document.body.textContent = 'Welcome' }">Log in</button>`)
		default:
			fmt.Fprint(w, shop)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// line finds the id of the line that has the words in what the model was sent.
func line(got modeltest.Received, words string) string {
	var b strings.Builder
	for _, m := range got.Body["messages"].([]any) {
		for _, block := range m.(map[string]any)["content"].([]any) {
			text, _ := block.(map[string]any)["text"].(string)
			b.WriteString(text)
		}
	}
	m := regexp.MustCompile(`(?m)^ *(\d+) ` + regexp.QuoteMeta(words)).FindStringSubmatch(b.String())
	if m == nil {
		return "no line " + words
	}
	return m[1]
}

// answer replies with a text in which each %s is the id of a line.
func answer(format string, lines ...string) modeltest.Reply {
	return modeltest.Reply{From: func(got modeltest.Received) modeltest.Reply {
		ids := make([]any, len(lines))
		for i, l := range lines {
			ids[i] = line(got, l)
		}
		return modeltest.Reply{Text: fmt.Sprintf(format, ids...), Usage: model.Usage{Input: 10, Output: 5}}
	}}
}

const action = `{"found": true, "elementId": "%s", "description": "it", "method": "click", "arguments": [], "twoStep": false, "part": 0}`

func TestExamples(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	arcade, err := games.Serve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = arcade.Close() })
	tests := []struct {
		name    string
		path    string // below the site, or a whole address
		replies []modeltest.Reply
		want    string // is in the output; {site} is the site's address
	}{
		{"extract", "/", []modeltest.Reply{answer(`{"data": [{"name": "Tea", "price": 4.5, "page": "%s"}]}`, `link "Tea"`)}, "Tea 4.50 {site}/tea"},
		{"act", "/", []modeltest.Reply{answer(action, `button "Buy tea"`)}, "click button Buy tea"},
		{"observe", "/", []modeltest.Reply{answer(`{"elements": [{"elementId": "%s", "description": "tea", "method": "click", "arguments": []},
			{"elementId": "%s", "description": "cake", "method": "click", "arguments": []}], "part": 0}`, `button "Buy tea"`, `button "Buy cake"`)},
			"Buy tea took 0 calls\nBuy cake took 0 calls"},
		{"login", "/login", []modeltest.Reply{answer(`{"found": true, "elementId": "%s", "description": "password", "method": "fill", "arguments": ["%%password%%"], "twoStep": false, "part": 0}`,
			`textbox "Password"`)}, "Welcome back"},
		{"locator", "/", nil, "1 cake found"},
		{"tabs", "/", nil, "How to buy tea"},
		{"download", "/", nil, "prices.txt 9 bytes"},
		{"snapshot", "/", nil, `button "Buy cake"`},
		{"canvas", arcade.URL("breakout", 1), []modeltest.Reply{answer(action, `painted`)}, "click painted"},
		{"agent", "/", []modeltest.Reply{
			{Text: "I look.", Calls: []modeltest.Call{{ID: "a", Name: "ariaTree", Args: `{}`}}},
			{Text: "Found.", Calls: []modeltest.Call{{ID: "b", Name: "close", Args: `{"reasoning": "The tea costs 4.50.", "taskComplete": true}`}}},
		}, "true"},
	}
	dirs, err := filepath.Glob("*/main.go")
	if err != nil || len(dirs) != len(tests) {
		t.Errorf("%d examples and %d tests of them (%v)", len(dirs), len(tests), err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := site(t)
			url := tt.path
			if strings.HasPrefix(url, "/") {
				url = at + url
			}
			cmd := exec.CommandContext(ctx, filepath.Join(bin, tt.name), "-url", url)
			cmd.Env = append(os.Environ(), "ANTHROPIC_API_KEY=")
			if len(tt.replies) > 0 {
				server := modeltest.NewAnthropic(t)
				server.Script(tt.replies...)
				cmd.Env = append(cmd.Env, "ANTHROPIC_API_KEY="+server.Key.Reveal(), "ANTHROPIC_BASE_URL="+server.URL)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if want := strings.ReplaceAll(tt.want, "{site}", at); err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v\n%s%s\nwant %s", err, out, &stderr, want)
			}
		})
	}
}
