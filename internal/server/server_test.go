package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// room is a server with its database and evidence, and nobody who plays.
type room struct {
	*httptest.Server
	db    *store.Store
	queue *queue.Queue
	kept  evidence.Store
	door  *server.Server
}

func open(t *testing.T, address string, opts *server.Options) *room {
	t.Helper()
	r := furnish(t, address, opts)
	r.Server = httptest.NewServer(r.door.Handler())
	t.Cleanup(func() {
		r.door.Close()
		r.Server.Close()
	})
	return r
}

// furnish makes a room that nobody serves yet.
func furnish(t *testing.T, address string, opts *server.Options) *room {
	t.Helper()
	db := storetest.Open(t, address)
	q, err := queue.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.Open(filepath.Join(t.TempDir(), "evidence"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	door, err := server.New(q, kept, opts)
	if err != nil {
		t.Fatal(err)
	}
	return &room{db: db, queue: q, kept: kept, door: door}
}

// closed is a server that needs tokens, locally one that needs none.
func closed(t *testing.T) *room {
	return open(t, storetest.SQLite(t), &server.Options{Version: "test"})
}
func local(t *testing.T) *room {
	return open(t, storetest.SQLite(t), &server.Options{Open: true, Version: "test", PollEvery: 5 * time.Millisecond})
}

func (r *room) token(t *testing.T, project string, scopes ...store.Scope) string {
	t.Helper()
	text, _, err := r.db.AddToken(t.Context(), project, "test", scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// answer is what a request got.
type answer struct {
	*http.Response
	body []byte
}

func (a answer) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
}

// ask sends a request; headers are pairs of names and values.
func (r *room) ask(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, data}
}

func (r *room) submit(t *testing.T, project, url string) string {
	t.Helper()
	if err := r.db.AddProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	accepted, err := r.queue.Submit(t.Context(), store.Submission{Target: record.Target{URL: url}, Project: project})
	if err != nil {
		t.Fatal(err)
	}
	return accepted[0].ID
}

func sample(id, url string, verdict record.Verdict, score int) (*record.Record, *record.Report) {
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	rec := &record.Record{Version: record.RecordVersion, RunID: id, Target: record.Target{URL: url}, Started: now, Finished: now.Add(20 * time.Second)}
	rep := &record.Report{Version: record.ReportVersion, Status: verdict, Summary: "It <script>alert(1)</script> works.", PlayabilityScore: score, OverallScore: float64(score), Confidence: 0.8, Timestamp: now,
		Checks:      []record.Check{{Name: record.GameLoaded, State: record.Proven, Reason: "It loaded."}},
		Controls:    []record.ControlResult{{Control: record.Control{ID: "key:ArrowLeft", Type: record.ControlKey, Description: "left"}, Trial: record.Trial{Outcome: record.Responsive}}},
		Screenshots: []record.Screenshot{{Stage: record.StageFinalState, Path: "screenshots/20261115T080000-phase3-final-state.png", Time: now}},
	}
	for _, name := range metadata.MetricNames {
		rep.Metrics = append(rep.Metrics, record.Metric{Name: name, Score: score, Weight: 0.2, Justification: "Because."})
	}
	return rec, rep
}

func picture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 960, 600))
	for y := range 600 {
		for x := range 960 {
			img.Set(x, y, color.RGBA{uint8(x / 4), uint8(y / 3), 90, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// play ends the next run that waits, with evidence. Its report may be changed before.
func (r *room) play(t *testing.T, verdict record.Verdict, score int, change ...func(*record.Report)) store.Run {
	t.Helper()
	ctx := t.Context()
	var run store.Run
	update(t, r.db, func(tx *store.Tx) (err error) {
		run, err = tx.Claim(ctx, "tester", 0)
		return err
	})
	lease := store.Lease{RunID: run.ID, Number: run.Lease}
	w, err := evidence.NewWriter(r.kept, run.ID, &evidence.WriterOptions{Attempt: int(run.Lease)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Picture("20261115T080000-phase3-final-state.png", picture()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"console.log": "one two three four\n", "report.html": "<!doctype html><title>report</title>", "page.svg": "<svg onload='alert(1)'/>", "video.webm": "frames", "video.gif": "frames"} {
		if err := w.File(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Close(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rec, rep := sample(run.ID, run.URL, verdict, score)
	for _, c := range change {
		c(rep)
	}
	event := record.Event{Time: rec.Started, RunID: run.ID, Phase: record.PhaseLoad, Kind: record.EventPhase, Message: "opening <b>the page</b>"}
	if err := r.db.AddEvents(ctx, lease, []record.Event{event}); err != nil {
		t.Fatal(err)
	}
	update(t, r.db, func(tx *store.Tx) error {
		return tx.Finish(ctx, lease, store.Completed, store.Result{Record: rec, Report: rep, Manifest: m.SHA256})
	})
	return run
}

func update(t *testing.T, s *store.Store, do func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(context.WithoutCancel(t.Context()), do); err != nil {
		t.Fatal(err)
	}
}
