package browser

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/network"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// Network events carry what pages and servers say. However odd they are, what is
// kept of each stays small and can be written as JSON.
func FuzzNetworkEvents(f *testing.F) {
	f.Add([]byte(`{"requestId":"1","loaderId":"1","request":{"url":"http://a/","method":"GET","headers":{"a":"b","c":1,"d":null}},"initiator":{"type":"script"}}`),
		[]byte(`{"requestId":"1","type":"Document","response":{"status":200,"mimeType":"text/html","headers":{"x":["y"]}}}`))
	f.Add([]byte(`{"requestId":"1","request":{},"redirectResponse":{"url":"http://b/"},"wallTime":1e300,"timestamp":-1}`), []byte(`{"requestId":"1","errorText":"net::ERR_FAILED","corsErrorStatus":{"corsError":"x"},"encodedDataLength":1e308}`))
	f.Add([]byte(`{"requestId":""}`), []byte(`[]`))
	methods := []string{
		network.RequestWillBeSent.Method, network.WebSocketCreated.Method, network.RequestServedFromCache.Method, network.ResponseReceived.Method,
		network.WebSocketFrameError.Method, network.LoadingFailed.Method, network.LoadingFinished.Method, network.WebSocketClosed.Method,
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		l := newLog()
		s := &Session{Session: &cdp.Session{}, FrameID: "F"}
		for _, data := range [][]byte{first, second, first} {
			for _, method := range methods {
				_ = l.network(s, cdp.Event{Method: method, Params: data})
			}
		}
		l.InFlight()
		l.Refused()
		for _, r := range l.Requests() {
			r.Lost()
			size := len(r.ID) + len(r.Method) + len(r.Type) + len(r.MIMEType) + len(r.Initiator) + len(r.FrameID) + len(r.Blocked)
			for _, headers := range []map[string]string{r.Headers, r.ResponseHeaders} {
				for name, value := range headers {
					size += len(name) + len(value)
				}
			}
			if size > 32<<10 || len(r.URL) > maxURL {
				t.Errorf("keeps %d bytes", size)
			}
			if _, err := json.Marshal(r.Headers); err != nil {
				t.Error(err)
			}
		}
	})
}
