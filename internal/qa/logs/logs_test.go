package logs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/logs"
	"github.com/playtest-dev/playtest/record"
)

func at(ms int) time.Time {
	return time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

// Of a page that says too much the beginning and the end are written down.
func TestLongConsole(t *testing.T) {
	var p logs.Page
	for i := range 3000 {
		p.Console = append(p.Console, browser.ConsoleEntry{Time: at(i), Level: "log", Text: fmt.Sprintf("line %04d ", i) + strings.Repeat("x", 4000)})
	}
	got := string(logs.Console(p))
	if len(got) > 5<<20 {
		t.Errorf("%d bytes", len(got))
	}
	for _, want := range []string{"line 0000 ", "line 0500 ", "line 2600 ", "line 2999 ", " lines are left out here\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(got, "line 1500 ") {
		t.Error("the middle is there")
	}
}

func TestConsole(t *testing.T) {
	got := string(logs.Console(logs.Page{
		Console:    []browser.ConsoleEntry{{Time: at(20), Level: "warning", Text: "slow\nvery", URL: "http://localhost/a.js", Line: 7}},
		Exceptions: []browser.Exception{{Time: at(10), Text: "TypeError: x", Stack: "at f (a.js:1)"}, {Time: at(40), Text: "late", Rejection: true}},
		Entries:    []browser.Entry{{Time: at(5), Level: "error", Source: "network", Text: "404", URL: "http://localhost/f.woff2"}},
		Dialogs:    []browser.Dialog{{Time: at(30), Type: "alert", Message: "hi", Accepted: true}},
		Crashes:    []browser.Crash{{Time: at(50), Kind: "page"}},
		Dropped:    3,
	}))
	want := `2026-11-14T09:30:00.005Z error     network: 404 (http://localhost/f.woff2)
2026-11-14T09:30:00.010Z exception TypeError: x
    at f (a.js:1)
2026-11-14T09:30:00.020Z warning   slow
    very (http://localhost/a.js:7)
2026-11-14T09:30:00.030Z alert     "hi", accepted
2026-11-14T09:30:00.040Z rejection late
2026-11-14T09:30:00.050Z crash     page
3 more were dropped, here or in the network log: the page said too much to keep
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("console.log (-want +got):\n%s", diff)
	}
}

var requests = []browser.Request{
	{URL: "http://localhost/late.png?b=2&a=1", Method: "GET", Type: "Image", Status: 404, Start: at(30), End: at(45), Bytes: 12},
	{URL: "http://localhost/", Method: "GET", Type: "Document", Status: 200, MIMEType: "text/html", Start: at(0), End: at(20), Bytes: 900},
	{URL: "http://elsewhere.test/", Method: "POST", Type: "Fetch", Failed: "net::ERR_NAME_NOT_RESOLVED", Start: at(50), End: at(51)},
	{URL: "http://localhost/slow", Method: "GET", Type: "XHR", Start: at(60)},
}

func TestNetwork(t *testing.T) {
	got := string(logs.Network(logs.Page{
		Requests:    requests,
		Navigations: []browser.Navigation{{Time: at(25), URL: "http://localhost/"}, {Time: at(26), URL: "http://localhost/#x", SameDocument: true}},
	}))
	want := `2026-11-14T09:30:00.000Z GET 200 20ms 900B document http://localhost/
2026-11-14T09:30:00.025Z navigate http://localhost/
2026-11-14T09:30:00.026Z same-document http://localhost/#x
2026-11-14T09:30:00.030Z GET 404 15ms 12B image http://localhost/late.png?b=2&a=1
2026-11-14T09:30:00.050Z POST failed(net::ERR_NAME_NOT_RESOLVED) 1ms fetch http://elsewhere.test/
2026-11-14T09:30:00.060Z GET pending xhr http://localhost/slow
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("network.log (-want +got):\n%s", diff)
	}
}

func TestHAR(t *testing.T) {
	data, err := logs.HAR(logs.Page{Requests: requests}, &record.Record{Started: at(0)})
	if err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Version string
			Entries []struct {
				Started string `json:"startedDateTime"`
				Time    float64
				Request struct {
					URL   string
					Query []struct{ Name, Value string } `json:"queryString"`
				}
				Response struct {
					Status int
					Error  string `json:"_error"`
				}
			}
		}
	}
	if err := json.Unmarshal(data, &archive); err != nil {
		t.Fatal(err)
	}
	e := archive.Log.Entries
	if archive.Log.Version != "1.2" || len(e) != 4 {
		t.Fatalf("version %q with %d entries", archive.Log.Version, len(e))
	}
	if e[0].Request.URL != "http://localhost/" || e[0].Time != 20 || e[0].Response.Status != 200 {
		t.Errorf("the first entry is %+v", e[0])
	}
	if q := e[1].Request.Query; len(q) != 2 || q[0].Name != "a" || q[1].Value != "2" {
		t.Errorf("the query of the second entry is %+v", q)
	}
	if e[2].Response.Error != "net::ERR_NAME_NOT_RESOLVED" {
		t.Errorf("the failure of the third entry is %q", e[2].Response.Error)
	}
}

func TestDecisions(t *testing.T) {
	got := string(logs.Decisions(&record.Record{
		Decisions: []record.Decision{{Time: at(0), Phase: "explore", What: "press Space", Why: "it jumps", Layer: "heuristic", Confidence: 85, Threshold: 80}},
		Actions: []record.Action{
			{Time: at(5), Phase: "explore", Kind: "keypress", Target: "Space", Success: true, Effect: "moved"},
			{Time: at(9), Phase: "explore", Kind: "click", Target: "Play", Error: "page closed"},
		},
	}))
	want := `2026-11-14T09:30:00.000Z explore  decided press Space: it jumps [heuristic, confidence 85.00, threshold 80.00]
2026-11-14T09:30:00.005Z explore  keypress Space (effect: moved)
2026-11-14T09:30:00.009Z explore  click Play (error: page closed) (not sent)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("agent-decisions.log (-want +got):\n%s", diff)
	}
}

func TestFilesOfNothing(t *testing.T) {
	files, err := logs.Files(logs.Page{}, &record.Record{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"console.log", "network.log", "network.har", "agent-decisions.log"} {
		if _, ok := files[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if !strings.Contains(string(files["network.har"]), `"entries": []`) {
		t.Error("an archive without entries has no list of them")
	}
}
