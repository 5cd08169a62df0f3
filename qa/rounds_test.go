package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"playtest"
)

// TestRounds: rounds that are over before anybody can act fail a game; rounds
// that are only short do not.
func TestRounds(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.HandlerFunc(odd))
	defer server.Close()
	for _, tt := range []struct {
		life string
		want playtest.Verdict
	}{
		{"150", playtest.Fail},
		{"6000", playtest.Pass},
	} {
		if tt.want == playtest.Pass && !*everyPage {
			continue
		}
		t.Run(tt.life+" ms", func(t *testing.T) {
			record, report := play(ctx, t, b, server.URL+"/ends.html?life="+tt.life)
			if report.Status != tt.want || (record.Health.Ends != nil) != (tt.want == playtest.Fail) {
				t.Errorf("%s (%s), ends %+v, trials %+v", report.Status, report.Summary, record.Health.Ends, record.Explore.Trials)
			}
		})
	}
}
