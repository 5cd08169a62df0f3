package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playtest-dev/playtest/record"
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
		want record.Verdict
	}{
		{"150", record.Fail},
		{"6000", record.Pass},
	} {
		if tt.want == record.Pass && !*everyPage {
			continue
		}
		t.Run(tt.life+" ms", func(t *testing.T) {
			rec, report := play(ctx, t, b, server.URL+"/ends.html?life="+tt.life)
			if report.Status != tt.want || (rec.Health.Ends != nil) != (tt.want == record.Fail) {
				t.Errorf("%s (%s), ends %+v, trials %+v", report.Status, report.Summary, rec.Health.Ends, rec.Explore.Trials)
			}
		})
	}
}
