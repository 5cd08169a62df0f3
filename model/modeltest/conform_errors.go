package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/playtest-dev/playtest/model"
)

func testErrors(t *testing.T, b *bench) {
	for _, tc := range []struct {
		name  string
		reply Reply
		want  error
		after time.Duration
	}{
		{"401", Reply{Status: 401, Message: "bad key " + testKey}, model.ErrAuth, 0},
		{"403", Reply{Status: 403}, model.ErrPermission, 0},
		{"404", Reply{Status: 404}, model.ErrNotFound, 0},
		{"429", Reply{Status: 429}, model.ErrRateLimit, 0},
		{"429 with a time", Reply{Status: 429, RetryAfter: "7"}, model.ErrRateLimit, 7 * time.Second},
		{"429 for good", Reply{Status: 400, Code: QuotaExceeded}, model.ErrQuota, 0},
		{"500", Reply{Status: 500}, model.ErrServer, 0},
		{"503", Reply{Status: 503}, model.ErrOverloaded, 0},
		{"529", Reply{Status: 529}, model.ErrOverloaded, 0},
		{"504", Reply{Status: 504}, model.ErrTimeout, 0},
		{"400", Reply{Status: 400, Message: "max_tokens: must be positive"}, model.ErrBadRequest, 0},
		{"context", Reply{Status: 400, Code: ContextTooLong}, model.ErrContextTooLong, 0},
		{"image", Reply{Status: 400, Code: ImageTooLarge}, model.ErrImage, 0},
		{"proxy page", Reply{Fault: HTMLError}, model.ErrServer, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b.server.Script(tc.reply)
			e := b.fails(t, question("?"), tc.want)
			if e.RetryAfter != tc.after {
				t.Errorf("retry after %v, want %v", e.RetryAfter, tc.after)
			}
			if tc.reply.Status != 0 && e.Status != tc.reply.Status {
				t.Errorf("status is %d, want %d", e.Status, tc.reply.Status)
			}
		})
	}
	t.Run("wrong key", func(t *testing.T) {
		wrong := *b
		wrong.model = b.Model(t, b.server, "sk-wrong-9876543210zyxwvutsrq")
		e := wrong.fails(t, question("?"), model.ErrAuth)
		if strings.Contains(e.Error(), "9876543210") {
			t.Errorf("the vendor's echo of the key is in the error: %v", e)
		}
	})
}

func testFaults(t *testing.T, b *bench) {
	cases := []struct {
		name  string
		fault Fault
		want  []error
	}{
		{"reset", Reset, []error{model.ErrBroken}},
		{"broken JSON", BrokenJSON, []error{model.ErrGarbage, model.ErrBroken}},
		{"other JSON", OtherJSON, []error{model.ErrGarbage, model.ErrBroken}},
		{"page", HTMLPage, []error{model.ErrGarbage, model.ErrBroken}},
	}
	if b.way.stream {
		cases = append(cases, []struct {
			name  string
			fault Fault
			want  []error
		}{
			{"truncated", Truncated, []error{model.ErrBroken}},
			{"broken event", BrokenEvent, []error{model.ErrGarbage, model.ErrBroken}},
		}...)
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			b.server.Script(Reply{Text: strings.Repeat("a long answer ", 50), Fault: tc.fault})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			resp, err := b.way.ask(ctx, b.model, question("?"))
			ok := false
			for _, want := range tc.want {
				ok = ok || errors.Is(err, want)
			}
			if !ok || model.AsError(err) == nil {
				t.Fatalf("got %v and error %v, want one of %v", resp, err, tc.want)
			}
			b.clean(t, err)
		})
	}
	if b.way.stream {
		t.Run("error in the middle", func(t *testing.T) {
			b.server.Script(Reply{Text: "It is", Code: "overloaded_error", Message: "Overloaded"})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := b.way.ask(ctx, b.model, question("?"))
			if model.AsError(err) == nil {
				t.Fatalf("error is %v", err)
			}
		})
	}
}

func testTimeout(t *testing.T, b *bench) {
	b.server.Script(Reply{Fault: Hang})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.way.ask(ctx, b.model, question("?"))
	if !errors.Is(err, model.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error is %v, want %v", err, model.ErrTimeout)
	}
	b.clean(t, err)
	// A slow first byte within the deadline is no failure.
	gate := make(chan struct{})
	b.server.Script(Reply{Text: "late", Gate: gate})
	time.AfterFunc(20*time.Millisecond, func() { close(gate) })
	if resp := b.ask(t, question("?")); resp.Text() != "late" {
		t.Errorf("text is %q", resp.Text())
	}
}

func testCancel(t *testing.T, b *bench) {
	b.server.Script(Reply{Fault: Hang})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := b.way.ask(ctx, b.model, question("?")); !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v, want %v", err, context.Canceled)
	}
}

// syncBuffer is a buffer that a logger may share.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// testNoLeak puts every kind of answer through a gateway with everything on
// that writes something down, and looks for the key in all of it.
func testNoLeak(t *testing.T, s Subject) {
	server := s.Server(t)
	var logs, recording, errs syncBuffer
	recorder := model.NewRecorder(&recording, server.Key)
	spans := tracetest.NewInMemoryExporter()
	gateway, err := model.NewGateway([]model.Model{recorder.Record(s.Model(t, server, server.Key))}, &model.Options{
		Attempts:       1,
		Logger:         slog.New(slog.NewJSONHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		TracerProvider: trace.NewTracerProvider(trace.WithSyncer(spans)),
		Breaker:        model.BreakerOptions{Window: 1000, Failures: 1000},
	})
	if err != nil {
		t.Fatal(err)
	}
	ledger := &model.Ledger{}
	run := gateway.Run(&model.RunOptions{Ledger: ledger})
	key := server.Key.Reveal()
	for _, reply := range []Reply{
		{Text: "your key is " + key},
		{Status: 401, Message: "wrong: " + key}, {Status: 403, Message: key}, {Status: 404, Message: key}, {Status: 429, Message: key},
		{Status: 500, Message: key}, {Status: 529, Message: key}, {Status: 400, Message: "Authorization: Bearer " + key},
		{Fault: HTMLPage}, {Fault: HTMLError}, {Fault: BrokenJSON}, {Fault: OtherJSON}, {Fault: Reset, Text: key},
		{Refusal: "not with " + key}, {Filtered: true, Text: key}, {Empty: true},
	} {
		server.Script(reply)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := run.Generate(ctx, question("my key is "+key))
		cancel()
		if err != nil {
			fmt.Fprintf(&errs, "%v\n%+v\n%#v\n%s\n", err, err, err, model.AsError(err).Message)
		}
	}
	report, err := json.Marshal(map[string]any{"entries": ledger.Entries(), "total": ledger.Total(), "purposes": ledger.ByPurpose(), "key": server.Key})
	if err != nil {
		t.Fatal(err)
	}
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	chat := s.Model(t, server, server.Key)
	for _, holder := range []any{chat, recorder, gateway, run, struct{ M model.Model }{chat}} {
		fmt.Fprintf(&errs, "%v %+v %#v %s %d %q\n", holder, holder, holder, holder, holder, holder)
	}
	traces := fmt.Sprintf("%+v", spans.GetSpans())
	for where, text := range map[string]string{"logs": logs.String(), "errors": errs.String(), "recording": recording.String(), "report": string(report), "traces": traces} {
		if len(text) < 100 {
			t.Errorf("%s: nothing was written: %q", where, text)
		}
		// A part of it is as good as the whole to someone who looks for it.
		if at := strings.Index(text, key[:20]); at >= 0 {
			t.Errorf("%s: the key is in it: …%s…", where, text[max(0, at-200):min(len(text), at+60)])
		}
	}
	if _, err := model.ReadRecording(strings.NewReader(recording.String())); err != nil {
		t.Errorf("the recording cannot be read back: %v", err)
	}
}
