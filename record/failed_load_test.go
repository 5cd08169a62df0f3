package record_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// What failed is told in words, not in the browser's codes.
func TestWhyALoadFailed(t *testing.T) {
	for _, tt := range []struct {
		load record.FailedLoad
		want string
	}{
		{record.FailedLoad{Status: 404}, "status 404"},
		{record.FailedLoad{Error: "blocked by the page's content security policy"}, "blocked by the page's content security policy"},
		{record.FailedLoad{Error: "net::ERR_NAME_NOT_RESOLVED"}, "its host was not found"},
		{record.FailedLoad{Error: "net::ERR_CONNECTION_REFUSED"}, "its server could not be reached"},
		{record.FailedLoad{Error: "net::ERR_SOMETHING_NEW"}, "it did not arrive"},
	} {
		if got := tt.load.Why(); got != tt.want || strings.Contains(got, "ERR_") {
			t.Errorf("%+v: %q, want %q", tt.load, got, tt.want)
		}
	}
}
