package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// TestRounds: a game whose rounds are over before anybody can act does not pass; one whose
// rounds are only short does.
func TestRounds(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.HandlerFunc(odd))
	defer server.Close()
	for i, tt := range []struct {
		life string
		want record.Verdict
	}{
		{"150", record.VerdictError}, // nobody saw it played, and nothing says why
		{"6000", record.Pass},
	} {
		t.Run(tt.life+" ms", func(t *testing.T) {
			turn(t, i)
			rec, report := play(ctx, t, b, server.URL+"/ends.html?life="+tt.life)
			if report.Status != tt.want {
				t.Errorf("%s (%s), trials %+v", report.Status, report.Summary, rec.Explore.Trials)
			}
		})
	}
}
