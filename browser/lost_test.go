package browser_test

import (
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

func TestRequestLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		request browser.Request
		want    string
	}{
		"arrived":                    {browser.Request{Type: "Script", Status: 200}, ""},
		"under way":                  {browser.Request{Type: "Image"}, ""},
		"missing":                    {browser.Request{Type: "Image", Status: 404}, "status 404"},
		"missing and refused":        {browser.Request{Type: "Script", Status: 404, MIMEType: "text/plain", Failed: "net::ERR_ABORTED", Canceled: true}, "status 404"},
		"a page instead of a script": {browser.Request{Type: "Script", Status: 200, MIMEType: "text/html", Failed: "net::ERR_ABORTED", Canceled: true}, "not a script but text/html"},
		"forbidden by the page":      {browser.Request{Type: "Script", Blocked: "csp"}, "blocked by the page's content security policy"},
		"not wanted any more":        {browser.Request{Type: "Fetch", Failed: "net::ERR_ABORTED", Canceled: true}, ""},
		"no connection":              {browser.Request{Type: "Fetch", Failed: "net::ERR_CONNECTION_REFUSED"}, "net::ERR_CONNECTION_REFUSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.request.Lost(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
