package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/lambda"
)

// runtimeStandIn is the runtime API of AWS Lambda as its documentation has it: one
// invocation at a time, handed out by next, answered once, under its own id.
type runtimeStandIn struct {
	t      *testing.T
	server *httptest.Server
	events chan invocation
	done   chan struct{} // closed when the test is over, for a next that waits

	mu      sync.Mutex
	current *invocation
	n       int
}

type invocation struct {
	payload string
	limit   time.Duration
	id      string
	began   time.Time
	answer  chan answered
}

type answered struct {
	response lambda.Response
	body     map[string]any
	took     time.Duration
}

func newRuntime(t *testing.T) *runtimeStandIn {
	r := &runtimeStandIn{t: t, events: make(chan invocation), done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", r.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", r.response)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		t.Errorf("the function itself failed: %s", body)
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", func(w http.ResponseWriter, req *http.Request) {
		t.Error("the function could not be started")
		w.WriteHeader(http.StatusAccepted)
	})
	// A function that wants to be told of its end registers as an extension.
	mux.HandleFunc("POST /2020-01-01/extension/register", func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Lambda-Extension-Name") == "" {
			t.Error("an extension without a name")
		}
		w.Header().Set("Lambda-Extension-Identifier", "an-extension")
		io.WriteString(w, `{"functionName":"play","functionVersion":"$LATEST","handler":"bootstrap"}`)
	})
	mux.HandleFunc("GET /2020-01-01/extension/event/next", func(w http.ResponseWriter, req *http.Request) {
		select {
		case <-req.Context().Done():
		case <-r.done:
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		t.Errorf("the runtime API has no %s %s", req.Method, req.URL.Path)
		http.NotFound(w, req)
	})
	r.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(r.done)
		r.server.Close()
	})
	return r
}

func (r *runtimeStandIn) next(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	if r.current != nil {
		r.t.Error("the next invocation is asked for before the last was answered")
	}
	r.mu.Unlock()
	select {
	case inv := <-r.events:
		r.mu.Lock()
		r.n++
		inv.id = fmt.Sprintf("8476a536-e9f4-11e8-9739-%012d", r.n)
		inv.began = time.Now()
		r.current = &inv
		r.mu.Unlock()
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(inv.began.Add(inv.limit).UnixMilli()))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:123456789012:function:play")
		w.Header().Set("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, inv.payload)
	case <-req.Context().Done():
	case <-r.done:
	}
}

func (r *runtimeStandIn) response(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 6<<20+1))
	r.mu.Lock()
	inv := r.current
	r.current = nil
	r.mu.Unlock()
	switch {
	case inv == nil || inv.id != req.PathValue("id"):
		r.t.Errorf("an answer to %s, which was not asked", req.PathValue("id"))
		w.WriteHeader(http.StatusBadRequest)
		return
	case err != nil || len(body) > 6<<20:
		r.t.Errorf("an answer of more than 6 MB, or %v", err)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
	a := answered{took: time.Since(inv.began)}
	if err := json.Unmarshal(body, &a.response); err != nil {
		r.t.Errorf("the answer is no response: %v", err)
	} else if err := json.Unmarshal([]byte(a.response.Body), &a.body); err != nil {
		r.t.Errorf("the body is no JSON: %v", err)
	}
	inv.answer <- a
}

// invoke has the function carry out one event.
func (r *runtimeStandIn) invoke(payload string, limit time.Duration) answered {
	r.t.Helper()
	inv := invocation{payload: payload, limit: limit, answer: make(chan answered, 1)}
	patience := time.After(limit + 30*time.Second)
	select {
	case r.events <- inv:
	case <-patience:
		r.t.Fatal("the function does not ask for an invocation")
	}
	select {
	case a := <-inv.answer:
		return a
	case <-patience:
		r.t.Fatal("the function does not answer")
	}
	return answered{}
}

// startLambda runs the function against the stand-in as Lambda would: nothing of the
// environment, and no file system to write to but the temporary folder where a
// namespace for that can be had. stop ends it and returns what it said.
func startLambda(t *testing.T, r *runtimeStandIn, tmp string, env []string, args ...string) (stop func() string) {
	t.Helper()
	// Whoever Chromium runs as has to get there.
	for dir := tmp; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	command := append(readOnly(t), append([]string{"playtest", "lambda", "--allow-local"}, args...)...)
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
	cmd.Env = append(env,
		runtimeAPI+"="+strings.TrimPrefix(r.server.URL, "http://"), "PATH="+os.Getenv("PATH"), "TMPDIR="+tmp, "HOME=/nonexistent",
		"PLAYTEST_BROWSER="+os.Getenv("PLAYTEST_BROWSER"), "GORACE=atexit_sleep_ms=10")
	cmd.Dir = "/"
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	return func() string {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatal("it does not end")
		}
		return stderr.String()
	}
}

// readOnly is the beginning of a command that sees a read-only file system but for the
// temporary folder, or nothing where there are no mount namespaces.
func readOnly(t *testing.T) []string {
	const inside = `mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"`
	prefix := []string{"unshare", "--mount", "sh", "-c", inside, "sh", os.TempDir()}
	try := append(prefix[1:len(prefix):len(prefix)], "sh", "-c", `touch "$TMPDIR/read-only-$$" && rm "$TMPDIR/read-only-$$" && ! touch /read-only-$$ 2>/dev/null`)
	probe := exec.Command(prefix[0], try...)
	probe.Env = append(os.Environ(), "TMPDIR="+os.TempDir())
	if out, err := probe.CombinedOutput(); err != nil {
		t.Logf("the file system can be written to: %v %s", err, out)
		return nil
	}
	return prefix
}

// The real loop of the runtime, in one process: a game that passes, one that would
// take longer than the function may, wrong events between them, and one more.
func TestLambdaLoop(t *testing.T) {
	games, err := games.Serve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer games.Close()
	over := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/":
			io.WriteString(w, `<!doctype html><title>Slow</title><p>Loading...</p><script src="never.js"></script>`)
		case "/never.js":
			select {
			case <-over:
			case <-req.Context().Done():
			}
		default:
			http.NotFound(w, req)
		}
	}))
	defer slow.Close()
	defer close(over)

	r := newRuntime(t)
	tmp, kept := t.TempDir(), t.TempDir()
	stop := startLambda(t, r, tmp, nil, "--evidence", kept)

	first := r.invoke(`{"gameUrl":"`+games.URL("noughts", 0)+`"}`, 3*time.Minute)
	if first.response.StatusCode != 200 || first.body["status"] != "pass" {
		t.Errorf("the first: %d %v", first.response.StatusCode, first.body["summary"])
	}
	if pictures, err := filepath.Glob(filepath.Join(kept, "*", "*", "screenshots", "*.png")); err != nil || len(pictures) == 0 {
		t.Errorf("no pictures were kept: %v; %v", err, first.body["evidenceError"])
	}

	const limit = 20 * time.Second
	second := r.invoke(`{"httpMethod":"POST","requestContext":{},"body":"{\"gameUrl\":\"`+slow.URL+`/\"}"}`, limit)
	if second.took >= limit {
		t.Errorf("the answer came %s after the deadline", second.took-limit)
	}
	if second.response.StatusCode != 200 || second.body["status"] == "pass" {
		t.Errorf("the one over its deadline: %d %v", second.response.StatusCode, second.body["summary"])
	}

	for payload, want := range map[string]int{`[]`: 400, `{"gameUrl":"ftp://x/"}`: 400, `{"httpMethod":"GET"}`: 405,
		`{"gameUrl":"` + r.server.URL + `/2018-06-01/runtime/invocation/next"}`: 403} {
		if got := r.invoke(payload, time.Minute); got.response.StatusCode != want {
			t.Errorf("%s: status %d, want %d", payload, got.response.StatusCode, want)
		}
	}
	if near := r.invoke(`{"gameUrl":"`+slow.URL+`/"}`, 5*time.Second); near.response.StatusCode != 504 || near.took > time.Second {
		t.Errorf("with the deadline nearly gone: status %d after %s", near.response.StatusCode, near.took)
	}

	third := r.invoke(`{"gameUrl":"`+slow.URL+`/none","config":{"maxDuration":30}}`, time.Minute)
	if third.response.StatusCode != 200 || third.body["status"] != "fail" {
		t.Errorf("the third: %d %v", third.response.StatusCode, third.body["summary"])
	}
	t.Logf("first %.1fs, over its deadline %.1fs, third %.1fs", first.took.Seconds(), second.took.Seconds(), third.took.Seconds())

	said := stop()
	if n := strings.Count(said, `"msg":"launched"`); n != 1 {
		t.Errorf("%d browsers were launched, want one for all\n%s", n, said)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A role that may not write to the bucket costs the evidence, and neither the verdict
// nor the rest of the time that the function has.
func TestLambdaMayNotWriteToItsBucket(t *testing.T) {
	var asked atomic.Int32
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`)
	}))
	defer bucket.Close()
	game := httptest.NewServer(http.NotFoundHandler())
	defer game.Close()

	r := newRuntime(t)
	keys := []string{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=not-to-be-told"}
	stop := startLambda(t, r, t.TempDir(), keys, "--evidence", "s3://games/runs?endpoint="+bucket.URL, "--reserve", "2s")
	const limit = 5 * time.Minute
	got := r.invoke(`{"gameUrl":"`+game.URL+`/"}`, limit)
	why, _ := got.body["evidenceError"].(string)
	if got.response.StatusCode != 200 || got.body["status"] != "fail" || !strings.Contains(why, "Access Denied") || got.body["evidence"] != nil {
		t.Errorf("status %d, %v; evidence %v, lost because %q", got.response.StatusCode, got.body["status"], got.body["evidence"], why)
	}
	if asked.Load() == 0 || got.took > limit/3 {
		t.Errorf("after %d requests to the bucket the answer came in %s", asked.Load(), got.took)
	}
	if said := stop(); strings.Contains(said, "not-to-be-told") || strings.Contains(got.response.Body, "not-to-be-told") {
		t.Error("the key is told")
	}
}

// No game reaches the bucket or the runtime, even where local addresses are let through.
func TestLambdaKeepsItsOwnToItself(t *testing.T) {
	t.Setenv(runtimeAPI, "127.0.0.1:9001")
	l := &lambdaSettings{storage: storage{evidence: "s3://games/runs?endpoint=http://127.0.0.1:9000"}}
	l.play.reach.local = true
	for address, want := range map[string]bool{"http://127.0.0.1:9000/": false, "http://127.0.0.1:9001/": false, "http://127.0.0.1:9002/": true} {
		if err := l.admit(t.Context(), address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestLambdaOutsideOfLambda(t *testing.T) {
	t.Setenv(runtimeAPI, "")
	var stderr bytes.Buffer
	if code := execute([]string{"lambda"}, nil, io.Discard, &stderr); code != codeUsage || !strings.Contains(stderr.String(), runtimeAPI) {
		t.Errorf("exits with %d\n%s", code, stderr.String())
	}
}
