package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/bench/served"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

// Two servers share a Postgres and a bucket: one takes runs and shows them, the other plays
// them. Whoever watches at the first sees the page that the second plays, and reads what it
// left; the second answers for all of it when the first is gone.
func TestServersShareADatabaseAndABucket(t *testing.T) {
	postgres, bucket := os.Getenv(storetest.Variable), os.Getenv("PLAYTEST_TEST_S3")
	if postgres == "" || bucket == "" {
		t.Skip("needs Postgres and S3: scripts/with-s3 scripts/with-postgres go test ./cmd/playtest")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	where, options, _ := strings.Cut(bucket, "?")
	shared := []string{"--db", storetest.Postgres(t, postgres), "--evidence", fmt.Sprintf("%s/%s?%s", where, store.NewID(), options)}
	start := func(flags ...string) (served.API, func()) {
		t.Helper()
		addr, done, err := served.Start(ctx, "playtest", append(flags, shared...)...)
		if err != nil {
			t.Fatal(err)
		}
		return served.API(addr), done
	}
	playing, done := start()
	defer done()
	showing, stop := start("--no-worker")
	stopped := false
	defer func() {
		if !stopped {
			stop()
		}
	}()

	game, err := playing.Bundled(ctx, "noughts")
	if err != nil {
		t.Fatal(err)
	}
	var accepted server.Submitted
	if err := showing.Post(ctx, "/api/runs", map[string]any{"url": game, "play": "3s"}, &accepted); err != nil {
		t.Fatal(err)
	}
	run := "/api/runs/" + accepted.ID
	pictures, phases := watchToTheEnd(ctx, t, showing, run+"/live?pictures=1")
	if pictures == 0 || phases == 0 {
		t.Errorf("%d pictures were seen and %d phases heard of", pictures, phases)
	}

	var judged server.Detail
	if err := showing.Get(ctx, run, &judged); err != nil || judged.Verdict != record.Pass || !judged.Evidence {
		t.Errorf("judged %+v, %v", judged.Run, err)
	}
	for _, api := range []served.API{showing, playing} {
		var left server.Files
		if err := api.Get(ctx, run+"/evidence", &left); err != nil || len(left.Files) < 5 {
			t.Fatalf("left %+v, %v", left, err)
		}
		for _, f := range left.Files {
			if data, _ := fetched(ctx, t, api, run+"/evidence/"+f.Name, ""); int64(len(data)) != f.Size {
				t.Errorf("%s has %d bytes, not %d", f.Name, len(data), f.Size)
			}
		}
		whole, _ := fetched(ctx, t, api, run+"/evidence/report.json", "")
		if part, status := fetched(ctx, t, api, run+"/evidence/report.json", "bytes=5-24"); status != http.StatusPartialContent || !bytes.Equal(part, whole[5:25]) {
			t.Errorf("a range: %d %q", status, part)
		}
		small, _ := fetched(ctx, t, api, run+"/picture", "")
		if _, err := jpeg.Decode(bytes.NewReader(small)); err != nil {
			t.Errorf("the small picture: %v", err)
		}
		if ready, status := fetched(ctx, t, api, "/api/ready", ""); status != http.StatusOK {
			t.Errorf("not ready: %s", ready)
		}
		if !stopped {
			stop()
			stopped = true
		}
	}
}

// watchToTheEnd counts what a live connection shows until its run has ended.
func watchToTheEnd(ctx context.Context, t *testing.T, api served.API, path string) (pictures, phases int) {
	t.Helper()
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(string(api), "http")+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(4 << 20)
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var m server.Message
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Type == "picture":
			pictures++
		case m.Type == "event" && m.Event.Kind == record.EventPhase:
			phases++
		case m.Run != nil && m.Run.Status.Ended():
			return pictures, phases
		}
	}
}

func fetched(ctx context.Context, t *testing.T, api served.API, path, part string) (data []byte, status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(api)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part != "" {
		req.Header.Set("Range", part)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return data, resp.StatusCode
}

// Told to stop, a server ends within its grace, also when a client has connected and
// says nothing.
func TestServeEndsWithinItsGrace(t *testing.T) {
	const grace = time.Second
	s, err := served.Launch(t.Context(), "playtest", "--no-worker", "--grace", grace.String())
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.Addr, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	// Whoever asks after it and is answered knows that the server has taken it up.
	resp, err := http.Get(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	told := time.Now()
	s.Done()
	if took := time.Since(told); took > 3*grace { // a busy machine may be late
		t.Errorf("it took %s to end, its grace is %s", took, grace)
	}
}
