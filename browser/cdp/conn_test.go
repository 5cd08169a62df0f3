package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser/cdp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is what a fake browser gets.
type call struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
}

// fake is a browser's side of the wire: tests read calls from it and send what
// they like.
type fake struct {
	t     *testing.T
	in    *os.File
	out   *os.File
	calls chan call
}

// connect joins a connection and a fake browser over a real pipe.
func connect(t *testing.T, opts *cdp.Options) (*cdp.Conn, *fake) {
	t.Helper()
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, in: theirIn, out: theirOut, calls: make(chan call, 10000)}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(f.calls)
		dec := json.NewDecoder(&noZeros{theirIn})
		for {
			var c call
			if dec.Decode(&c) != nil {
				return
			}
			f.calls <- c
		}
	})
	c := cdp.New(cdp.Pipe(ourIn, ourOut), opts)
	t.Cleanup(func() {
		c.Close()
		theirOut.Close()
		wg.Wait()
		theirIn.Close()
	})
	return c, f
}

// noZeros turns the pipe's zero bytes into spaces for the JSON decoder.
type noZeros struct{ r io.Reader }

func (n *noZeros) Read(b []byte) (int, error) {
	k, err := n.r.Read(b)
	for i := range b[:k] {
		if b[i] == 0 {
			b[i] = ' '
		}
	}
	return k, err
}

func (f *fake) send(format string, args ...any) {
	f.t.Helper()
	if _, err := f.out.WriteString(fmt.Sprintf(format, args...) + "\x00"); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) next() call {
	f.t.Helper()
	select {
	case c := <-f.calls:
		return c
	case <-time.After(30 * time.Second):
		f.t.Fatal("no call arrived")
		return call{}
	}
}

// echo answers every call with its own number.
func (f *fake) echo() {
	go func() {
		for c := range f.calls {
			f.out.WriteString(fmt.Sprintf(`{"id":%d,"sessionId":%q,"result":{"result":{"type":"string","value":"answer %d"}}}`+"\x00", c.ID, c.SessionID, c.ID))
		}
	}()
}

func TestCallsAndAnswersInAnyOrder(t *testing.T) {
	c, f := connect(t, nil)
	ctx := t.Context()
	first := c.Browser().Start("One.one", nil)
	second := c.Browser().Start("Two.two", map[string]int{"n": 2})
	one, two := f.next(), f.next()
	if one.Method != "One.one" || two.Method != "Two.two" || string(two.Params) != `{"n":2}` {
		t.Errorf("browser got %+v and %+v", one, two)
	}
	f.send(`{"id":%d,"error":{"code":-32000,"message":"no","data":"really"}}`, two.ID)
	f.send(`{"id":%d,"result":{"v":"yes"}}`, one.ID)
	var got struct {
		V string `json:"v"`
	}
	if err := first.Wait(ctx, &got); err != nil || got.V != "yes" {
		t.Errorf("first: %v, %v", got, err)
	}
	var refusal *cdp.Error
	var failed *cdp.CallError
	if err := second.Wait(ctx, nil); !errors.As(err, &refusal) || refusal.Code != -32000 || !errors.As(err, &failed) || failed.Method != "Two.two" {
		t.Errorf("second: %v", err)
	}
}

func TestManyCallersAtOnce(t *testing.T) {
	c, f := connect(t, nil)
	f.echo()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				res, err := protocol.Call(t.Context(), c.Browser(), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"})
				if err != nil || !strings.Contains(string(res.Result.Value), "answer") {
					t.Errorf("%v, %v", res, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestLostConnectionFailsEveryWaiterAtOnce(t *testing.T) {
	c, f := connect(t, nil)
	f.send(`{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{}}}`)
	f.send(`{"id":0}`)
	waitSession(t, c, "S")
	var replies []*cdp.Reply
	for range 100 {
		replies = append(replies, c.Browser().Start("A.a", nil), c.Session("S").Start("B.b", nil))
	}
	events, cancel := c.Session("S").Subscribe("X.x")
	defer cancel()
	for range 200 {
		f.next()
	}
	f.out.Close()
	for _, r := range replies {
		var lost *cdp.LostError
		if err := r.Wait(t.Context(), nil); !errors.As(err, &lost) || !cdp.IsGone(err) {
			t.Fatalf("waiter got %v", err)
		}
	}
	<-c.Done()
	if _, ok := <-events; ok {
		t.Error("subscription goes on")
	}
	var lost *cdp.LostError
	if err := c.Browser().Call(t.Context(), "C.c", nil, nil); !errors.As(err, &lost) {
		t.Errorf("a later call got %v", err)
	}
	if !errors.As(c.Err(), &lost) {
		t.Errorf("connection ended with %v", c.Err())
	}
}

func waitSession(t *testing.T, c *cdp.Conn, id string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); c.Session(id).Err() != nil; {
		if time.Now().After(deadline) {
			t.Fatalf("session %s never attached", id)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestCancelledCallAbandonsOnlyItsReply(t *testing.T) {
	c, f := connect(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	given := c.Browser().Start("Give.up", nil)
	kept := c.Browser().Start("Keep.on", nil)
	up, on := f.next(), f.next()
	cancel()
	if err := given.Wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
	f.send(`{"id":%d,"result":{}}`, up.ID) // too late, nobody minds
	f.send(`{"id":%d,"result":{"v":1}}`, on.ID)
	var got struct {
		V int `json:"v"`
	}
	if err := kept.Wait(t.Context(), &got); err != nil || got.V != 1 {
		t.Errorf("other call: %v, %v", got, err)
	}
	if err := c.Browser().Call(ctx, "Not.sent", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("call with an ended context: %v", err)
	}
}

func TestDeadlines(t *testing.T) {
	c, f := connect(t, &cdp.Options{Timeout: 20 * time.Millisecond})
	s := c.Browser()
	if err := s.Call(t.Context(), "A.a", nil, nil); !errors.Is(err, cdp.ErrTimeout) {
		t.Errorf("the connection's deadline: %v", err)
	}
	s.SetTimeout(30 * time.Millisecond)
	if err := s.Call(t.Context(), "A.a", nil, nil); !errors.Is(err, cdp.ErrTimeout) || !strings.Contains(err.Error(), "30ms") {
		t.Errorf("the session's deadline: %v", err)
	}
	f.next()
	f.next()
	r := s.Start("B.b", nil)
	n := f.next()
	time.AfterFunc(100*time.Millisecond, func() { f.send(`{"id":%d,"result":{}}`, n.ID) })
	if err := r.Wait(cdp.WithTimeout(t.Context(), time.Minute), nil); err != nil {
		t.Errorf("a deadline of the call's own: %v", err)
	}
}

func TestSessionsComeAndGo(t *testing.T) {
	c, f := connect(t, nil)
	q := cdp.NewQueue(nil)
	c.Browser().Listen(q, map[string]cdp.Policy{target.AttachedToTarget.Method: cdp.MustDeliver, target.DetachedFromTarget.Method: cdp.MustDeliver})
	f.send(`{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T"}}}`)
	if e, err := q.Next(t.Context()); err != nil || e.Method != target.AttachedToTarget.Method {
		t.Fatal(e, err)
	}
	s := c.Session("S")
	r := s.Start("A.a", nil)
	if got := f.next(); got.SessionID != "S" {
		t.Errorf("call went to session %q", got.SessionID)
	}
	f.send(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}`)
	if err := r.Wait(t.Context(), nil); !errors.Is(err, cdp.ErrSessionClosed) {
		t.Errorf("waiter of a session that is gone: %v", err)
	}
	<-s.Done()
	if err := c.Session("S").Call(t.Context(), "B.b", nil, nil); !errors.Is(err, cdp.ErrSessionClosed) {
		t.Errorf("call on a session that is gone: %v", err)
	}
	if err := c.Session("never").Call(t.Context(), "B.b", nil, nil); !errors.Is(err, cdp.ErrSessionClosed) {
		t.Errorf("call on a session that never was: %v", err)
	}
	f.echo()
	if err := c.Browser().Call(t.Context(), "C.c", nil, nil); err != nil {
		t.Errorf("the connection went with the session: %v", err)
	}
}

func TestAbandon(t *testing.T) {
	c, f := connect(t, nil)
	crash := errors.New("crashed")
	r := c.Browser().Start("A.a", nil)
	f.next()
	c.Browser().Abandon(crash)
	if err := r.Wait(t.Context(), nil); !errors.Is(err, crash) {
		t.Errorf("waiter got %v", err)
	}
	f.echo()
	if err := c.Browser().Call(t.Context(), "B.b", nil, nil); err != nil {
		t.Errorf("later call: %v", err)
	}
}

func TestBadTextDoesNotBreakDecoding(t *testing.T) {
	c, f := connect(t, nil)
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	typed := protocol.Events(ctx, c.Browser(), runtime.ConsoleAPICalled)
	texts := []string{"bad \xff\xfe bytes", `lone \ud83d high`, `lone \uDE00 low`, `pair \ud83d\ude00`, `escaped \\ud83d`, `two \ud83d\ud83d\ude00`}
	want := []string{`"bad ` + "\uFFFD" + ` bytes"`, `"lone \ufffd high"`, `"lone \ufffd low"`, `"pair \ud83d\ude00"`, `"escaped \\ud83d"`, `"two \ufffd\ud83d\ude00"`}
	f.send(`this is no JSON at all`)
	f.send(`{"unknown":"message"}`)
	for _, text := range texts {
		f.send(`{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[{"type":"string","value":"%s"}],"executionContextId":1,"timestamp":1}}`, text)
	}
	i := 0
	for ev, err := range typed {
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ev.Args[0].Value); got != want[i] {
			t.Errorf("%q became %s, want %s", texts[i], got, want[i])
		}
		if i++; i == len(texts) {
			break
		}
	}
	r := c.Browser().Start("A.a", nil)
	f.send(`{"id":%d,"result":{"v":"%s"}}`, f.next().ID, "\xff\\ud800")
	var got struct {
		V string `json:"v"`
	}
	if err := r.Wait(ctx, &got); err != nil || got.V != "\uFFFD\uFFFD" {
		t.Errorf("reply: %q, %v", got.V, err)
	}
}

func TestWebSocket(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		for {
			_, raw, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			var c call
			if json.Unmarshal(raw, &c) != nil || c.Method == "Hang.up" {
				return
			}
			ws.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"id":%d,"result":{"v":%q}}`, c.ID, big))
		}
	}))
	defer srv.Close()
	address := strings.Replace(srv.URL, "http", "ws", 1)
	if _, err := cdp.Dial(t.Context(), address, nil); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a token: %v", err)
	}
	tr, err := cdp.Dial(t.Context(), address, http.Header{"Authorization": {"Bearer t"}})
	if err != nil {
		t.Fatal(err)
	}
	c := cdp.New(tr, nil)
	defer c.Close()
	var got struct {
		V string `json:"v"`
	}
	if err := c.Browser().Call(t.Context(), "A.a", nil, &got); err != nil || got.V != big {
		t.Errorf("got %d bytes, %v", len(got.V), err)
	}
	var lost *cdp.LostError
	if err := c.Browser().Call(t.Context(), "Hang.up", nil, nil); !errors.As(err, &lost) {
		t.Errorf("got %v", err)
	}
}

func TestPipeMessagesLargerThanItsBuffer(t *testing.T) {
	c, f := connect(t, nil)
	big := strings.Repeat("y", 3<<20)
	r := c.Browser().Start("A.a", map[string]string{"v": big})
	n := f.next()
	go fmt.Fprintf(f.out, `{"id":%d,"result":{"v":%q}}`+"\x00", n.ID, big)
	var got struct {
		V string `json:"v"`
	}
	if err := r.Wait(t.Context(), &got); err != nil || got.V != big || len(n.Params) < len(big) {
		t.Errorf("got %d bytes, %v", len(got.V), err)
	}
}

// A browser that does not read must not make callers wait beyond their time,
// nor us keep its calls without bound.
func TestBrowserThatDoesNotRead(t *testing.T) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirIn.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirOut.Close()
	c := cdp.New(cdp.Pipe(ourIn, ourOut), &cdp.Options{Timeout: 50 * time.Millisecond})
	long := strings.Repeat("z", 100_000)
	var overflow bool
	for range 20000 {
		r := c.Browser().Start("A.a", long)
		select {
		case <-r.Done():
			overflow = errors.Is(r.Wait(t.Context(), nil), cdp.ErrOverflow)
		default:
		}
		if overflow {
			break
		}
		long = "short"
	}
	if !overflow {
		t.Error("calls pile up without bound")
	}
	if err := c.Close(); err != nil { // does not hang on the blocked write
		t.Error(err)
	}
}
