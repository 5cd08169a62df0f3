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
