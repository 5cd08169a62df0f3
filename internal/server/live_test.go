package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// long is more than anything here takes.
const long = 60 * time.Second

func (r *room) dial(t *testing.T, ctx context.Context, path string, header http.Header) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(r.URL, "http")+path, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(4 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return conn
}

func read(t *testing.T, ctx context.Context, conn *websocket.Conn) server.Message {
	t.Helper()
	_, data, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var m server.Message
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// begin takes up the next run and returns how to tell of it.
func (r *room) begin(t *testing.T) (run store.Run, tell func(kind, message string)) {
	t.Helper()
	update(t, r.db, func(tx *store.Tx) (err error) {
		run, err = tx.Claim(t.Context(), "tester", 0)
		return err
	})
	lease := store.Lease{RunID: run.ID, Number: run.Lease}
	return run, func(kind, message string) {
		t.Helper()
		if err := r.db.AddEvents(context.WithoutCancel(t.Context()), lease, []record.Event{{Time: time.Now(), RunID: run.ID, Phase: record.PhaseLoad, Kind: kind, Message: message}}); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *room) end(t *testing.T, run store.Run) {
	t.Helper()
	rec, rep := sample(run.ID, run.URL, record.Pass, 90)
	update(t, r.db, func(tx *store.Tx) error {
		return tx.Finish(t.Context(), store.Lease{RunID: run.ID, Number: run.Lease}, store.Completed, store.Result{Record: rec, Report: rep})
	})
}

func TestARunIsWatchedAndNothingIsMissedInBetween(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	conn := r.dial(t, ctx, "/api/runs/"+id+"/live", nil)
	if m := read(t, ctx, conn); m.Type != "snapshot" || m.Run == nil || m.Run.Status != store.Queued || len(m.Events) != 0 {
		t.Fatalf("first %+v", m)
	}
	run, tell := r.begin(t)
	tell(record.EventPhase, "one")
	var last int64
	for last == 0 {
		if m := read(t, ctx, conn); m.Type == "event" {
			if m.Event.Message != "one" || m.Seq != m.Event.ID {
				t.Fatalf("event %+v", m.Event)
			}
			last = m.Seq
		}
	}
	conn.CloseNow()
	tell(record.EventPhase, "two")
	tell(record.EventControl, "three")
	again := r.dial(t, ctx, fmt.Sprintf("/api/runs/%s/live?after=%d", id, last), nil)
	m := read(t, ctx, again)
	if len(m.Events) != 2 || m.Events[0].Message != "two" || m.Events[1].Message != "three" || m.Run.Status != store.Running {
		t.Fatalf("after coming back: %+v", m)
	}
	tell(record.EventVerdict, "four")
	r.end(t, run)
	var heard []string
	for {
		m := read(t, ctx, again)
		if m.Type == "event" {
			heard = append(heard, m.Event.Message)
		}
		if m.Type == "run" && m.Run.Status == store.Completed {
			break
		}
	}
	if len(heard) != 1 || heard[0] != "four" {
		t.Errorf("heard %v before the end", heard)
	}
}

func TestLiveListIsOfAProject(t *testing.T) {
	r := open(t, t.TempDir()+"/runs.db", &server.Options{PollEvery: 5 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	blue := http.Header{"Authorization": {"Bearer " + r.token(t, "blue", store.ScopeRead)}}
	r.submit(t, "red", "http://red.example/")
	conn := r.dial(t, ctx, "/api/live", blue)
	if m := read(t, ctx, conn); m.Type != "snapshot" || len(m.Runs) != 0 {
		t.Fatalf("first %+v", m)
	}
	r.submit(t, "red", "http://red.example/")
	mine := r.submit(t, "blue", "http://blue.example/")
	if m := read(t, ctx, conn); m.Type != "run" || m.Run.ID != mine {
		t.Errorf("then %+v", m.Run)
	}
}

// Of a long list only the newest are shown, but whoever was told that a run is being
// played is told of its end, too.
func TestLiveListTellsTheEndOfOlderRuns(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	oldest := r.submit(t, store.DefaultProject, "http://a.example/")
	for range 60 {
		r.submit(t, store.DefaultProject, "http://b.example/")
	}
	conn := r.dial(t, ctx, "/api/live", nil)
	read(t, ctx, conn)
	run, _ := r.begin(t)
	if run.ID != oldest {
		t.Fatalf("%s is played before %s", run.ID, oldest)
	}
	for _, want := range []store.Status{store.Running, store.Completed} {
		if m := read(t, ctx, conn); m.Type != "run" || m.Run.ID != oldest || m.Run.Status != want {
			t.Fatalf("told %+v, not of %s", m.Run, want)
		}
		if want == store.Running {
			r.end(t, run)
		}
	}
}

func TestServerSentEvents(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	_, tell := r.begin(t)
	tell(record.EventPhase, "one")
	tell(record.EventPhase, "two")
	events, err := r.db.Events(ctx, id, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, "GET", r.URL+"/api/runs/"+id+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", fmt.Sprint(events[0].ID))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (kind, data string) {
		for lines.Scan() {
			if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				kind = k
			}
			if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return kind, d
			}
		}
		t.Fatal(lines.Err())
		return "", ""
	}
	if kind, data := next(); kind != "snapshot" || strings.Contains(data, `"one"`) || !strings.Contains(data, `"two"`) {
		t.Errorf("%s %s", kind, data)
	}
	tell(record.EventPhase, "three")
	for {
		if kind, data := next(); kind == "event" {
			if !strings.Contains(data, `"three"`) {
				t.Errorf("%s", data)
			}
			break
		}
	}
}

func TestOtherSitesCannotWatch(t *testing.T) {
	r := local(t)
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	_, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(r.URL, "http")+"/api/runs/"+id+"/live", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another site's page watches: %v", err)
	}
}

func TestWhoeverTalksToALiveConnectionIsDisconnected(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	conn := r.dial(t, ctx, "/api/runs/"+id+"/live", nil)
	read(t, ctx, conn)
	if err := conn.Write(ctx, websocket.MessageText, []byte(strings.Repeat("x", 1<<20))); err != nil {
		return // it was cut off while sending
	}
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			if ctx.Err() != nil {
				t.Error("nobody ended it")
			}
			return
		}
	}
}

func TestThereIsAMostOfLiveConnections(t *testing.T) {
	r := open(t, t.TempDir()+"/runs.db", &server.Options{Open: true, MaxClients: 1})
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	first := r.dial(t, ctx, "/api/live", nil)
	read(t, ctx, first)
	second := r.dial(t, ctx, "/api/live", nil)
	if _, _, err := second.Read(ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("the second gets %v", err)
	}
	if a := r.ask(t, "GET", "/api/stream", ""); a.StatusCode != 503 {
		t.Errorf("a stream gets %d", a.StatusCode)
	}
}

// 200 watch one run, 50 of them read nothing. Nobody else misses a transition,
// and whoever tells of the run never waits for any of them: it writes to the
// database and knows nobody.
func TestTwoHundredWatchAndFiftyOfThemStall(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	run, tell := r.begin(t)
	const watching, stalled, transitions = 150, 50, 100
	var ready, done sync.WaitGroup
	for range stalled {
		stall(t, ctx, r, id)
	}
	failed := make(chan error, watching)
	for range watching {
		ready.Add(1)
		done.Go(func() {
			conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(r.URL, "http")+"/api/runs/"+id+"/live", nil)
			if err != nil {
				ready.Done()
				failed <- err
				return
			}
			defer conn.CloseNow()
			conn.SetReadLimit(4 << 20)
			failed <- follow(ctx, conn, ready.Done, transitions)
		})
	}
	ready.Wait()
	big := strings.Repeat("x", 4000) // so that what stalls fills up
	for i := range transitions {
		tell(record.EventPhase, fmt.Sprintf("%d %s", i, big))
		tell(record.EventProgress, "chatter "+big)
	}
	r.end(t, run)
	done.Wait()
	for range watching {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// stall opens a live connection and never reads from it.
func stall(t *testing.T, ctx context.Context, r *room, id string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "GET /api/runs/%s/live HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", id, r.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
}

// follow counts the transitions that a connection tells until the run has ended.
func follow(ctx context.Context, conn *websocket.Conn, ready func(), want int) error {
	heard := 0
	for first := true; ; first = false {
		_, data, err := conn.Read(ctx)
		if err != nil {
			if first {
				ready()
			}
			return err
		}
		var m server.Message
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		if first {
			ready()
		}
		if m.Type == "event" && m.Event.Kind == record.EventPhase {
			if !strings.HasPrefix(m.Event.Message, fmt.Sprintf("%d ", heard)) {
				return fmt.Errorf("after %d came %.10s", heard, m.Event.Message)
			}
			heard++
		}
		if m.Type == "run" && m.Run.Status.Ended() {
			if heard != want {
				return fmt.Errorf("%d of %d transitions were told", heard, want)
			}
			return nil
		}
	}
}

func TestWebhooksAreSignedAndTriedAgain(t *testing.T) {
	type got struct {
		header http.Header
		body   []byte
	}
	messages := make(chan got, 10)
	var mu sync.Mutex
	tries, first := 0, http.Header{}
	r := open(t, t.TempDir()+"/runs.db", &server.Options{Open: true, Deliver: func(req *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if tries++; tries == 1 {
			first = req.Header
			return nil, errors.New("nobody there")
		}
		body := make([]byte, req.ContentLength)
		if _, err := req.Body.Read(body); err != nil {
			return nil, err
		}
		messages <- got{req.Header, body}
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	}})
	var hook server.AddedWebhook
	r.ask(t, "POST", "/api/webhooks", `{"url":"https://hooks.example/"}`).decode(t, &hook)
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	r.play(t, record.Pass, 90)

	ctx, stop := context.WithTimeout(t.Context(), long)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.door.Serve(ctx, l, "", "") }()
	select {
	case m := <-messages:
		want := "v1," + server.Sign(hook.Secret, m.header.Get("Webhook-Id"), m.header.Get("Webhook-Timestamp"), m.body)
		if m.header.Get("Webhook-Signature") != want || !strings.Contains(string(m.body), id) {
			t.Errorf("signed %q, not %q: %s", m.header.Get("Webhook-Signature"), want, m.body)
		}
		// Whoever has it already knows it by its number; whoever plays it again later,
		// or as another, has no signature for that.
		if id := first.Get("Webhook-Id"); id == "" || m.header.Get("Webhook-Id") != id {
			t.Errorf("it is %q, and was %q at the first try", m.header.Get("Webhook-Id"), id)
		}
		number, at := m.header.Get("Webhook-Id"), m.header.Get("Webhook-Timestamp")
		for name, forged := range map[string]string{
			"later": server.Sign(hook.Secret, number, at+"0", m.body), "as another": server.Sign(hook.Secret, number+"0", at, m.body),
			"another text": server.Sign(hook.Secret, number, at, append([]byte(" "), m.body...)), "another secret": server.Sign("whsec", number, at, m.body),
		} {
			if "v1,"+forged == want {
				t.Errorf("%s: the signature is the same", name)
			}
		}
	case <-ctx.Done():
		t.Error("no message came")
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if a := r.ask(t, "POST", "/api/webhooks", `{"url":"file:///x"}`); a.StatusCode != 422 {
		t.Errorf("a file: %d", a.StatusCode)
	}
}
