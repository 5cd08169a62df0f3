package cdp_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// chunk is written often instead of one text of half a gigabyte.
var chunk = strings.Repeat("x", 1<<20)

// A page decides how large an event is. It costs us that event, never the
// connection that other pages use as well.
func TestEventsThatAreTooLargeAreSkipped(t *testing.T) {
	c, f := connect(t, nil)
	q := cdp.NewQueue(nil)
	c.Browser().Listen(q, map[string]cdp.Policy{"A.small": cdp.MustDeliver, "A.large": cdp.MustDeliver})
	go func() {
		f.out.WriteString(`{"method":"A.large","params":{"v":"`)
		for range 600 {
			f.out.WriteString(chunk)
		}
		f.out.WriteString(`"}}` + "\x00" + `{"method":"A.small","params":{}}` + "\x00")
	}()
	if e, err := q.Next(t.Context()); err != nil || e.Method != "A.small" {
		t.Errorf("got %s, %v", e.Method, err)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

// Of what a page can say at will little is kept, and a flood of it must not hold
// up its neighbours: such events are skipped when they are much smaller.
func TestNoiseIsSkippedSooner(t *testing.T) {
	for method, want := range map[string]string{
		"Runtime.consoleAPICalled": "A.small", "Runtime.exceptionThrown": "A.small", "Log.entryAdded": "A.small",
		"Debugger.scriptParsed": "Debugger.scriptParsed", // may carry a map of its source
	} {
		c, f := connect(t, nil)
		q := cdp.NewQueue(nil)
		c.Browser().Listen(q, map[string]cdp.Policy{"A.small": cdp.MustDeliver, method: cdp.MustDeliver})
		go func() {
			fmt.Fprintf(f.out, `{"method":%q,"params":{"v":"`, method)
			f.out.WriteString(chunk + chunk)
			f.out.WriteString(`"}}` + "\x00" + `{"method":"A.small","params":{}}` + "\x00")
		}()
		if e, err := q.Next(t.Context()); err != nil || e.Method != want {
			t.Errorf("%s of 2 MB: got %s first, %v", method, e.Method, err)
		}
	}
}

// What was delivered stays as it was while the next messages are read.
func TestMessagesDoNotShareMemory(t *testing.T) {
	c, f := connect(t, nil)
	q := cdp.NewQueue(nil)
	c.Browser().Listen(q, map[string]cdp.Policy{"A.a": cdp.MustDeliver})
	go func() {
		for i := range 100 {
			fmt.Fprintf(f.out, `{"method":"A.a","params":{"v":"%03d"}}`+"\x00", i)
		}
	}()
	var all []cdp.Event
	for range 100 {
		e, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for i, e := range all {
		if want := fmt.Sprintf(`{"v":"%03d"}`, i); string(e.Params) != want {
			t.Fatalf("event %d is %s", i, e.Params)
		}
	}
}

func TestReplyThatIsTooLargeFailsItsCall(t *testing.T) {
	c, f := connect(t, nil)
	r := c.Browser().Start("A.a", nil)
	id := f.next().ID
	go func() {
		fmt.Fprintf(f.out, `{"id":%d,"result":{"v":"`, id)
		for range 100 {
			f.out.WriteString(chunk)
		}
		f.out.WriteString(`"}}` + "\x00")
	}()
	var large *cdp.TooLargeError
	if err := r.Wait(t.Context(), nil); !errors.As(err, &large) || large.Size < 100<<20 || len(large.Head) > 64<<10 {
		t.Errorf("got %v", err)
	}
	f.echo()
	if err := c.Browser().Call(t.Context(), "B.b", nil, nil); err != nil {
		t.Errorf("the connection went with it: %v", err)
	}
}

// What is told of the code that ran takes ten times its size once it is read.
// What a page decides the size of may be smaller than what we decide it of.
func TestRepliesOfPagesHaveLimitsOfTheirOwn(t *testing.T) {
	for method, want := range map[string]bool{
		"Profiler.takePreciseCoverage": false, "Runtime.evaluate": false, "Runtime.callFunctionOn": false, "Page.captureScreenshot": true,
	} {
		c, f := connect(t, nil)
		r := c.Browser().Start(method, nil)
		id := f.next().ID
		go func() {
			fmt.Fprintf(f.out, `{"id":%d,"result":{"v":"`, id)
			for range 20 {
				f.out.WriteString(chunk)
			}
			f.out.WriteString(`"}}` + "\x00")
		}()
		if err := r.Wait(t.Context(), nil); (err == nil) != want {
			t.Errorf("20 MB of %s: %v", method, err)
		}
	}
}

func TestWebSocketSkipsWhatIsTooLarge(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		if _, _, err := ws.Read(r.Context()); err != nil {
			return
		}
		large, err := ws.Writer(r.Context(), websocket.MessageText)
		if err != nil {
			return
		}
		large.Write([]byte(`{"method":"A.large","params":{"v":"`))
		for range 40 {
			large.Write([]byte(chunk))
		}
		large.Write([]byte(`"}}`))
		large.Close()
		ws.Write(r.Context(), websocket.MessageText, []byte(`{"id":1,"result":{}}`))
		ws.Read(r.Context())
	}))
	defer srv.Close()
	tr, err := cdp.Dial(t.Context(), strings.Replace(srv.URL, "http", "ws", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cdp.New(tr, nil)
	defer c.Close()
	if err := c.Browser().Call(t.Context(), "A.a", nil, nil); err != nil {
		t.Error(err)
	}
}
