package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

func TestSubmitRefuses(t *testing.T) {
	r := local(t)
	for name, tt := range map[string]struct {
		body string
		want int
		says string
	}{
		"nothing":                 {" ", 400, "empty"},
		"no JSON":                 {"url=http://a.example/", 400, "cannot be read"},
		"two values":              {`{"url":"http://a.example/"} {}`, 400, "after the JSON"},
		"an unknown field":        {`{"url":"http://a.example/","browser":"/bin/sh"}`, 400, `unknown field "browser"`},
		"a database":              {`{"url":"http://a.example/","db":"postgres://x"}`, 400, "unknown field"},
		"a wrong type":            {`{"url":7}`, 400, `"url" cannot be a number`},
		"no address":              {`{}`, 422, "The game's address is empty."},
		"a file":                  {`{"url":"file:///etc/passwd"}`, 422, "only http and https"},
		"a password":              {`{"url":"http://me:secret@a.example/"}`, 422, "user name or a password"},
		"an address without end":  {`{"url":"http://a.example/` + strings.Repeat("a", 9000) + `"}`, 422, "longer than"},
		"a mode":                  {`{"url":"http://a.example/","mode":"heroic"}`, 422, `Mode "heroic" is not one of`},
		"an agent":                {`{"url":"http://a.example/","agent":"tools"}`, 422, "for the mode agent"},
		"an evaluator":            {`{"url":"http://a.example/","evaluator":"me"}`, 422, "not one of heuristic"},
		"a model":                 {`{"url":"http://a.example/","model":"nothing"}`, 422, "Model:"},
		"a budget":                {`{"url":"http://a.example/","budget":-1}`, 422, "negative"},
		"a time":                  {`{"url":"http://a.example/","maxDuration":"soon"}`, 422, "such as 90s"},
		"too long":                {`{"url":"http://a.example/","maxDuration":"300h"}`, 422, "longer than"},
		"attempts":                {`{"url":"http://a.example/","attempts":99}`, 422, "between 1 and 10"},
		"metadata":                {`{"url":"http://a.example/","metadata":{"inputSchema":7}}`, 422, "Metadata:"},
		"metadata as text":        {`{"url":"http://a.example/","metadata":"inputSchema: 7"}`, 422, "Metadata:"},
		"a rubric":                {`{"url":"http://a.example/","rubric":{"weights":{"fun":1}}}`, 422, "Rubric:"},
		"one in a batch":          {`{"runs":[{"url":"http://a.example/"},{"url":"ftp://b"}]}`, 422, "Run 2:"},
		"one beside a batch":      {`{"url":"http://a.example/","runs":[{"url":"http://a.example/"}]}`, 422, "not both"},
		"more than a megabyte":    {`{"url":"http://a.example/","metadata":"` + strings.Repeat("x", 2<<20) + `"}`, 413, "larger than"},
		"a key without end":       {`{"url":"http://a.example/","key":"` + strings.Repeat("k", 300) + `"}`, 422, "longer than"},
		"more than a batch takes": {`{"runs":[` + strings.TrimSuffix(strings.Repeat(`{"url":"http://a.example/"},`, 1001), ",") + `]}`, 422, "at most 1000"},
	} {
		a := r.ask(t, "POST", "/api/runs", tt.body)
		var p server.Problem
		a.decode(t, &p)
		if a.StatusCode != tt.want || p.Status != tt.want || !strings.Contains(p.Detail, tt.says) || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %q, not %d with %q", name, a.StatusCode, p.Detail, tt.want, tt.says)
		}
	}
	if a := r.ask(t, "POST", "/api/runs", someBody, "Content-Type", "text/plain"); a.StatusCode != 415 {
		t.Errorf("another kind of body: %d", a.StatusCode)
	}
	if list, err := r.db.List(t.Context(), nil); err != nil || len(list) != 0 {
		t.Errorf("something was stored: %+v, %v", list, err)
	}
}

func TestSubmitIsWhatTheCommandLineSubmits(t *testing.T) {
	r := local(t)
	var got server.Submitted
	a := r.ask(t, "POST", "/api/runs", `{"url":"http://a.example/","mode":"adaptive","metadata":"title: Ridge\nexpectedControls: arrow keys","maxDuration":"90s","play":"5s","seed":7,"model":"anthropic/claude-haiku-5-5","budget":0.25,"priority":3,"attempts":2,"noMemory":true}`)
	a.decode(t, &got)
	if a.StatusCode != 202 || got.ID == "" || len(got.Runs) != 1 || got.Batch != "" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	target, err := r.db.Target(t.Context(), got.ID)
	if err != nil || target.Mode != record.ModeAdaptive || target.Metadata == nil || target.Metadata.Title != "Ridge" || target.MaxDuration.Seconds() != 90 || target.Play.Seconds() != 5 || target.Seed != 7 {
		t.Errorf("target %+v, %v", target, err)
	}
	with, err := r.db.Settings(t.Context(), got.ID)
	if err != nil || with.Evaluator != "data" || with.Model == "" || with.Budget == nil || *with.Budget != 0.25 || !with.NoMemory {
		t.Errorf("settings %+v, %v", with, err)
	}
	run, err := r.db.Get(t.Context(), got.ID)
	if err != nil || run.Priority != 3 || run.MaxAttempts != 2 || run.Project != store.DefaultProject {
		t.Errorf("run %+v, %v", run, err)
	}
}

func TestSubmittingTwiceWithAKey(t *testing.T) {
	r := local(t)
	var first, second server.Submitted
	r.ask(t, "POST", "/api/runs", someBody, "Idempotency-Key", "build-1").decode(t, &first)
	r.ask(t, "POST", "/api/runs", someBody, "Idempotency-Key", "build-1").decode(t, &second)
	if first.ID == "" || first.ID != second.ID || !second.Runs[0].Repeated {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if a := r.ask(t, "POST", "/api/runs", `{"url":"http://another.example/"}`, "Idempotency-Key", "build-1"); a.StatusCode != http.StatusConflict {
		t.Errorf("the key for another game: %d %s", a.StatusCode, a.body)
	}
}

func TestListByPages(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		r := open(t, address, &server.Options{Open: true})
		var batch server.Submitted
		a := r.ask(t, "POST", "/api/runs", `{"runs":[{"url":"http://a.example/1"},{"url":"http://a.example/2"},{"url":"http://a.example/3"},{"url":"http://a.example/4"},{"url":"http://a.example/5"}]}`)
		a.decode(t, &batch)
		if len(batch.Runs) != 5 || batch.Batch == "" {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		var got []string
		for next, pages := "start", 0; next != ""; pages++ {
			path := "/api/runs?limit=2&batch=" + batch.Batch
			if next != "start" {
				path += "&cursor=" + next
			}
			var page server.Page
			r.ask(t, "GET", path, "").decode(t, &page)
			for _, run := range page.Runs {
				got = append(got, run.URL[len("http://a.example/"):])
			}
			if next = page.Next; pages > 5 {
				t.Fatal("there is no end of pages")
			}
		}
		if want := []string{"5", "4", "3", "2", "1"}; !slices.Equal(got, want) {
			t.Errorf("listed %v, not %v", got, want)
		}
		for _, bad := range []string{"limit=0", "limit=1000", "limit=x", "cursor=-1", "cursor=x", "status=happy"} {
			if a := r.ask(t, "GET", "/api/runs?"+bad, ""); a.StatusCode != 400 {
				t.Errorf("%s: %d", bad, a.StatusCode)
			}
		}
	})
}

func TestQuotas(t *testing.T) {
	r := local(t)
	limit := func(l store.Limits) {
		t.Helper()
		if err := r.db.LimitProject(t.Context(), store.DefaultProject, l); err != nil {
			t.Fatal(err)
		}
	}
	limit(store.Limits{Queued: 3, Duration: 60e9})
	if a := r.ask(t, "POST", "/api/runs", `{"url":"http://a.example/","maxDuration":"2m"}`); a.StatusCode != 422 {
		t.Errorf("longer than the project's: %d", a.StatusCode)
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range 1000 {
		wait.Go(func() {
			a := r.ask(t, "POST", "/api/runs", someBody)
			mu.Lock()
			defer mu.Unlock()
			got[a.StatusCode]++
			if a.StatusCode == 429 && a.Header.Get("Retry-After") == "" {
				t.Error("nobody says when to try again")
			}
		})
	}
	wait.Wait()
	if got[202] != 3 || got[429] != 997 {
		t.Errorf("of 1,000 at once with room for 3: %v", got)
	}
	run, err := r.db.List(t.Context(), nil)
	if err != nil || len(run) != 3 {
		t.Fatalf("%d runs, %v", len(run), err)
	}
	if target, err := r.db.Target(t.Context(), run[0].ID); err != nil || target.MaxDuration.Seconds() != 60 {
		t.Errorf("a run without a limit of its own gets the project's: %+v, %v", target, err)
	}
}

// However many servers there are, a project gets what it may have and no more.
func TestQuotasHoldOverSeveralServers(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		servers := []*room{open(t, address, &server.Options{Open: true}), open(t, address, &server.Options{Open: true})}
		if err := servers[0].db.LimitProject(t.Context(), store.DefaultProject, store.Limits{Queued: 3}); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		var accepted atomic.Int64
		for i := range 100 {
			wait.Go(func() {
				switch a := servers[i%2].ask(t, "POST", "/api/runs", someBody); a.StatusCode {
				case 202:
					accepted.Add(1)
				case 429:
				default:
					t.Errorf("%d %s", a.StatusCode, a.body)
				}
			})
		}
		wait.Wait()
		if n := accepted.Load(); n != 3 {
			t.Errorf("%d were accepted", n)
		}
	})
}

// A full project gets no more, also not by the way of retrying; whoever asks again for
// what was accepted is answered as before.
func TestAFullProject(t *testing.T) {
	r := local(t)
	ended := r.submit(t, store.DefaultProject, "http://a.example/")
	if a := r.ask(t, "POST", "/api/runs/"+ended+"/cancel", ""); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if err := r.db.LimitProject(t.Context(), store.DefaultProject, store.Limits{Queued: 1}); err != nil {
		t.Fatal(err)
	}
	var first, again server.Submitted
	r.ask(t, "POST", "/api/runs", someBody, "Idempotency-Key", "build-1").decode(t, &first)
	if a := r.ask(t, "POST", "/api/runs", someBody); a.StatusCode != 429 || !strings.Contains(string(a.body), "has 1 runs waiting and may have 1") {
		t.Errorf("another: %d %s", a.StatusCode, a.body)
	}
	if a := r.ask(t, "POST", "/api/runs", `{"runs":[`+someBody+`,`+someBody+`]}`); a.StatusCode != 429 {
		t.Errorf("two more: %d %s", a.StatusCode, a.body)
	}
	if a := r.ask(t, "POST", "/api/runs/"+ended+"/retry", ""); a.StatusCode != 429 {
		t.Errorf("one that had ended: %d %s", a.StatusCode, a.body)
	}
	a := r.ask(t, "POST", "/api/runs", someBody, "Idempotency-Key", "build-1")
	if a.decode(t, &again); a.StatusCode != 202 || first.ID == "" || again.ID != first.ID {
		t.Errorf("the same once more: %d %s", a.StatusCode, a.body)
	}
}

func TestAProjectThatHasUsedItsShareSubmitsNothing(t *testing.T) {
	for name, limits := range map[string]store.Limits{"evidence": {EvidenceBytes: 500}, "models": {DollarsPerDay: 0.10}} {
		r := local(t)
		r.submit(t, store.DefaultProject, "http://a.example/")
		run, _ := r.begin(t)
		lease := store.Lease{RunID: run.ID, Number: run.Lease}
		update(t, r.db, func(tx *store.Tx) error { return tx.Weigh(t.Context(), lease, 600) })
		if _, err := r.db.Reserve(t.Context(), lease, nil, store.Expense{Time: time.Now(), Purpose: "decide", Model: "a/b", Held: 200_000_000}); err != nil {
			t.Fatal(err)
		}
		if a := r.ask(t, "POST", "/api/runs", someBody); a.StatusCode != 202 {
			t.Errorf("%s, without a limit: %d %s", name, a.StatusCode, a.body)
		}
		if err := r.db.LimitProject(t.Context(), store.DefaultProject, limits); err != nil {
			t.Fatal(err)
		}
		if a := r.ask(t, "POST", "/api/runs", someBody); a.StatusCode != 429 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
}

func TestEvidenceIsServedHarmless(t *testing.T) {
	r := local(t)
	r.submit(t, store.DefaultProject, "http://a.example/")
	id := r.play(t, record.Pass, 90).ID
	base := "/api/runs/" + id + "/evidence/"
	for _, tt := range []struct{ name, kind, disposition string }{
		{"screenshots/20261115T080000-phase3-final-state.png", "image/png", ""},
		{"console.log", "text/plain; charset=utf-8", "attachment"},
		{"page.svg", "application/octet-stream", "attachment"},
		{"video.webm", "video/webm", ""},
		{"video.gif", "image/gif", ""},
		{"report.html", "text/html; charset=utf-8", ""},
	} {
		a := r.ask(t, "GET", base+tt.name, "")
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != tt.kind || !strings.HasPrefix(a.Header.Get("Content-Disposition"), tt.disposition) || tt.disposition == "" && a.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %v", tt.name, a.StatusCode, a.Header)
		}
		if csp := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "sandbox") || strings.Contains(csp, "script-src") || strings.Contains(csp, "allow-scripts") {
			t.Errorf("%s: policy %q", tt.name, csp)
		}
	}
	a := r.ask(t, "GET", base+"console.log", "", "Range", "bytes=4-6")
	if a.StatusCode != http.StatusPartialContent || string(a.body) != "two" {
		t.Errorf("a range: %d %q", a.StatusCode, a.body)
	}
	for _, bad := range []string{"..%2f..%2fruns.db", "%2e%2e/%2e%2e/runs.db", "..%5c..%5cruns.db", ".writing", "a//b", "nothing.png", "a/b/c/d/e", "%00", "attempt-1%2fmanifest.json%00"} {
		if a := r.ask(t, "GET", base+bad, ""); a.StatusCode == 200 {
			t.Errorf("%s: %d %s", bad, a.StatusCode, a.body)
		}
	}
	pic := r.ask(t, "GET", "/api/runs/"+id+"/picture", "")
	if img, err := jpeg.Decode(bytes.NewReader(pic.body)); err != nil || img.Bounds().Dx() != 480 || len(pic.body) > 60_000 {
		t.Errorf("a small picture: %d bytes, %v", len(pic.body), err)
	}
}

func TestReportInEveryFormat(t *testing.T) {
	r := local(t)
	waiting := r.submit(t, store.DefaultProject, "http://a.example/")
	if a := r.ask(t, "GET", "/api/runs/"+waiting+"/report", ""); a.StatusCode != 404 || !strings.Contains(string(a.body), "no report yet") {
		t.Errorf("before its end: %d %s", a.StatusCode, a.body)
	}
	id := r.play(t, record.Pass, 90, func(rep *record.Report) {
		rep.Issues = []record.Issue{{Severity: record.Minor, Description: "A picture is missing."}}
	}).ID
	says := map[string]string{"json": `"status":"pass"`, "md": "works", "junit": "<testsuite", "sarif": `"version": "2.1.0"`, "tap": "1..", "github": "::notice", "html": "", "pdf": "not one of"}
	for _, format := range report.Formats {
		if says[format] == "" {
			t.Errorf("nobody looks at %s", format)
		}
	}
	for format, want := range says {
		a := r.ask(t, "GET", "/api/runs/"+id+"/report?format="+format, "")
		if ok := a.StatusCode == 200 || format == "html" && a.StatusCode == 303 || format == "pdf" && a.StatusCode == 400; !ok || !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %d %s", format, a.StatusCode, a.body)
		}
		if format != "html" && format != "pdf" && format != "json" && !strings.HasPrefix(a.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s is served with the policy %q", format, a.Header.Get("Content-Security-Policy"))
		}
		if format == "html" && a.Header.Get("Location") != "/api/runs/"+id+"/evidence/report.html" {
			t.Errorf("html: %d %v", a.StatusCode, a.Header)
		}
	}
}

func TestCompareAndHistory(t *testing.T) {
	r := local(t)
	var ids []string
	for _, run := range []struct {
		verdict record.Verdict
		score   int
	}{{record.Fail, 20}, {record.Pass, 90}, {record.Fail, 40}, {record.Fail, 30}} {
		ids = append(ids, r.submit(t, store.DefaultProject, "http://a.example/"))
		r.play(t, run.verdict, run.score)
	}
	var c server.Comparison
	r.ask(t, "GET", "/api/compare?a="+ids[1]+"&b="+ids[2], "").decode(t, &c)
	if c.A.Verdict != record.Pass || c.B.Verdict != record.Fail || len(c.Metrics) != 5 || *c.Metrics[0].A != 90 || *c.Metrics[0].B != 40 || len(c.Controls) != 1 || c.Controls[0].Changed {
		t.Errorf("compared %+v", c)
	}
	var h server.History
	r.ask(t, "GET", "/api/games/history?url=http%3A%2F%2Fa.example%2F", "").decode(t, &h)
	if len(h.Points) != 4 || h.Points[0].Run != ids[0] || h.FirstFailing != ids[2] || h.LastPassing != ids[1] {
		t.Errorf("history %+v", h)
	}
	var g server.Games
	r.ask(t, "GET", "/api/games", "").decode(t, &g)
	if len(g.Games) != 1 || g.Games[0].Runs != 4 || g.Games[0].Last.ID != ids[3] {
		t.Errorf("games %+v", g)
	}
	var page server.Page
	r.ask(t, "GET", "/api/runs?history=1&verdict=pass", "").decode(t, &page)
	if len(page.Runs) != 1 || !slices.Equal(page.Runs[0].History, []float64{20, 90}) {
		t.Errorf("with history %+v", page)
	}
}

func TestCancelAndRetry(t *testing.T) {
	r := local(t)
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	for _, tt := range []struct {
		path string
		want int
		then store.Status
	}{{"retry", 409, ""}, {"cancel", 200, store.Cancelled}, {"retry", 200, store.Queued}} {
		a := r.ask(t, "POST", "/api/runs/"+id+"/"+tt.path, "")
		var run server.Run
		if tt.want == 200 {
			a.decode(t, &run)
		}
		if a.StatusCode != tt.want || run.Status != tt.then {
			t.Errorf("%s: %d %s", tt.path, a.StatusCode, a.body)
		}
	}
}

func TestMetadataCanBeChecked(t *testing.T) {
	r := local(t)
	for body, want := range map[string]string{
		`{"metadata":{"title":"x"}}`:                "",
		`{"metadata":"title: x\ninputSchema: 7\n"}`: "Metadata:",
		`{"metadata":""}`:                           "nothing in it",
		`{"metadata":"{\"titel\": \"x\"}"}`:         "did you mean",
	} {
		var v server.Validated
		a := r.ask(t, "POST", "/api/validate", body)
		a.decode(t, &v)
		if a.StatusCode != 200 || v.Valid != (want == "") || !strings.Contains(v.Problem, want) {
			t.Errorf("%s: %d %+v", body, a.StatusCode, v)
		}
	}
}

// The document says what the handlers do: every answer follows the schema that
// it is promised to follow.
func TestAnswersFollowTheOpenAPIDocument(t *testing.T) {
	r := open(t, storetest.SQLite(t), &server.Options{Open: true, Version: "1.2.3", Bundled: []server.Bundled{{Name: "ridge", Title: "Ridge", URL: "http://127.0.0.1:1/ridge/"}}})
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema map[string]string }
			}
		}
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	r.ask(t, "GET", "/api/openapi.json", "").decode(t, &doc)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Fatalf("version %q", doc.OpenAPI)
	}
	check := func(t *testing.T, name string, body []byte) {
		t.Helper()
		s, err := doc.Components.Schemas[name].Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
	r.submit(t, store.DefaultProject, "http://games.example/")
	r.play(t, record.Pass, 90)
	second := r.submit(t, store.DefaultProject, "http://games.example/")
	bodies := map[string]string{
		"/api/runs": someBody, "/api/validate": `{"metadata":{"title":"x"}}`, "/api/webhooks": `{"url":"https://hooks.example/"}`,
	}
	checked := 0
	every(t, &room{Server: r.Server, db: r.db, queue: r.queue, kept: r.kept, door: r.door}, func(t *testing.T, rt server.RouteInfo, _ string) {
		op, ok := doc.Paths[strings.ReplaceAll(rt.Path, "...", "")][strings.ToLower(rt.Method)]
		if !ok {
			t.Fatal("the document does not know it")
		}
		if rt.Lasting {
			return
		}
		// every works in red; here everything is the default project's.
		list, err := r.db.Project(store.DefaultProject).List(t.Context(), store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		done := list[slices.IndexFunc(list, func(r store.Run) bool { return r.Status == store.Completed })].ID
		path := strings.ReplaceAll(rt.Path, "{name...}", "console.log")
		switch rt.Path {
		case "/api/runs/{id}/cancel", "/api/runs/{id}/retry":
			path = strings.ReplaceAll(path, "{id}", second)
		case "/api/webhooks/{id}":
			hooks, err := r.db.Project(store.DefaultProject).Webhooks(t.Context())
			if err != nil || len(hooks) == 0 {
				t.Fatal("no webhook")
			}
			path = strings.ReplaceAll(path, "{id}", hooks[0].ID)
		case "/api/compare":
			path += "?a=" + done + "&b=" + done
		case "/api/games/history":
			path += "?url=http%3A%2F%2Fgames.example%2F"
		}
		path = strings.ReplaceAll(path, "{id}", done)
		body := ""
		if rt.Method == "POST" {
			body = bodies[rt.Path]
		}
		a := r.ask(t, rt.Method, path, body)
		promised, ok := op.Responses[fmt.Sprint(a.StatusCode)]
		if !ok {
			t.Fatalf("the document does not promise %d: %s", a.StatusCode, a.body)
		}
		if ref := promised.Content["application/json"].Schema["$ref"]; ref != "" {
			check(t, strings.TrimPrefix(ref, "#/components/schemas/"), a.body)
			checked++
		}
	})
	for _, path := range []string{"/api/health", "/api/ready"} {
		if _, ok := doc.Paths[path]["get"].Responses["200"]; !ok {
			t.Errorf("the document does not know %s", path)
		}
		check(t, "Health", r.ask(t, "GET", path, "").body)
	}
	check(t, "Problem", r.ask(t, "GET", "/api/runs/none", "").body)
	if checked < 12 {
		t.Errorf("only %d answers were compared", checked)
	}
}

func TestMetricsAreForPrometheus(t *testing.T) {
	r := local(t)
	r.submit(t, store.DefaultProject, "http://a.example/")
	r.submit(t, "red", "http://b.example/")
	text := string(r.ask(t, "GET", "/metrics", "").body)
	for _, want := range []string{"# TYPE playtest_runs gauge", `playtest_runs{project="default",status="queued"} 1`, "playtest_http_requests_total "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, `project="red"`) {
		t.Errorf("it counts for another project:\n%s", text)
	}
}

// full is a place for evidence that takes nothing any more.
type full struct{ evidence.Store }

func (full) Put(context.Context, string, string, io.Reader) (evidence.File, error) {
	return evidence.File{}, errors.New("no space left on /srv/evidence")
}

// Ready is only who can store runs and keep evidence; nobody outside is told why not.
func TestNotReady(t *testing.T) {
	for name, spoil := range map[string]func(*room) evidence.Store{
		"a full disk":  func(r *room) evidence.Store { return full{r.kept} },
		"no database":  func(r *room) evidence.Store { r.db.Close(); return r.kept },
		"all is there": func(r *room) evidence.Store { return r.kept },
	} {
		r := furnish(t, storetest.SQLite(t), &server.Options{Open: true})
		door, err := server.New(r.queue, spoil(r), &server.Options{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(door.Close)
		want := http.StatusServiceUnavailable
		if name == "all is there" {
			want = http.StatusOK
		}
		if code, body := answered(t, door, "/api/ready"); code != want || strings.Contains(body, "/srv") {
			t.Errorf("%s: %d %s", name, code, body)
		}
		if code, body := answered(t, door, "/api/health"); code != http.StatusOK {
			t.Errorf("%s: the process answers %d %s", name, code, body)
		}
	}
}

// answered is what a server says that nobody serves.
func answered(t *testing.T, door *server.Server, path string, headers ...string) (code int, body string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	door.Handler().ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// All that the dashboard consists of is less than its first page may load.
func TestTheDashboardIsSmall(t *testing.T) {
	files, err := os.ReadDir("ui")
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size == 0 || size > 100_000 {
		t.Errorf("it has %d bytes", size)
	}
}
