package playtest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest"
	"github.com/playtest-dev/playtest/record"
)

// Play a game and print the verdict. It launches a Chromium for the run.
func ExampleRun() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	_, report, err := playtest.Run(ctx, playtest.Target{URL: "http://localhost:8080/"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Status, report.Summary)
}

// Judge a record that was saved by an earlier run.
func ExampleJudge() {
	rec := &playtest.Record{Load: record.LoadRecord{Failure: &record.LoadFailure{Kind: "status", Message: "the server answered with status 404"}}}
	fmt.Println(playtest.Judge(rec).Status)
	// Output: fail
}

func TestRunRefusesWhatCannotBePlayed(t *testing.T) {
	if _, _, err := playtest.Run(t.Context(), playtest.Target{URL: "ftp://example.org/game"}, nil); err == nil {
		t.Error("an address that is not of the web was accepted")
	}
}

// Whoever calls Run on a machine with a database beside it has the same protection
// as whoever types the command.
func TestRunReachesOnlyTheTarget(t *testing.T) {
	var touched atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { touched.Add(1) }))
	defer secret.Close()
	game := httptest.NewServer(http.RedirectHandler(secret.URL, http.StatusFound))
	defer game.Close()
	rec, report, err := playtest.Run(t.Context(), playtest.Target{URL: game.URL, MaxDuration: 30 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if touched.Load() > 0 {
		t.Error("another port of this machine was reached")
	}
	if report.Status != record.VerdictError || len(rec.Health.Refused) != 1 {
		t.Errorf("%s: %s, refused %+v", report.Status, report.Summary, rec.Health.Refused)
	}
}
