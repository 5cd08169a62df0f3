package logs_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/logs"
	"github.com/playtest-dev/playtest/record"
)

// Whatever pages ask for, the archive of their requests is JSON.
func FuzzHAR(f *testing.F) {
	f.Add("http://a/?x=1&y", "GET", "text/html", "name", "value", int64(0), 200)
	f.Add("::::", "\x00\xff", "a/b; charset=\xff", "\u202e", "\xed\xa0\xbd", int64(-1), -5)
	f.Add("data:,x", "", "", "", "", int64(1)<<62, 999)
	f.Fuzz(func(t *testing.T, url, method, mime, name, value string, at int64, status int) {
		r := browser.Request{
			URL: url, Method: method, MIMEType: mime, Status: status, Start: time.Unix(0, at), End: time.Unix(0, at+1), Bytes: at,
			Headers: map[string]string{name: value}, ResponseHeaders: map[string]string{value: name}, Redirects: []string{url},
		}
		data, err := logs.HAR(logs.Page{Requests: []browser.Request{r}}, &record.Record{})
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) {
			t.Errorf("no JSON: %s", data)
		}
	})
}
