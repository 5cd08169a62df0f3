// Package lambda answers the events of an AWS Lambda function: a game's address
// comes in, from a direct invocation, API Gateway or a function URL, and a report
// goes out.
//
//	|<------------------------- the invocation's deadline ------------------------->|
//	| playing: at most MaxDuration          | judging and keeping evidence: Reserve |
//
// Whatever happens, the answer is a response with a status: an error of the
// function itself would hide the reason from whoever called over HTTP.
package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Played is what came of a game.
type Played struct {
	Report *record.Report
	// Evidence is where pictures and logs are, empty when they are not kept; Lost
	// says why they are not although they should be.
	Evidence, Lost string
}

// Options of a handler. Play is required.
type Options struct {
	// Play plays a game. It keeps to the target's MaxDuration and, when that does
	// not help, to the context, which ends while there is still time to answer. It
	// returns an error only when there is no report.
	Play func(ctx context.Context, target record.Target) (*Played, error)
	// Admit refuses addresses that must not be played. Nil admits all.
	Admit func(ctx context.Context, address string) error
	// Reserve is the time that is kept back before the deadline for judging, for
	// evidence and for the answer: 20 s if zero, and never more than a third of what
	// is left. Least is what must be left for playing, 10 s if zero.
	Reserve, Least time.Duration
	Log            *slog.Logger // nowhere if nil
}

// Handler answers invocations. It is a lambda.Handler of aws-lambda-go.
type Handler struct{ opts Options }

// New makes a handler.
func New(opts Options) (*Handler, error) {
	if opts.Play == nil {
		return nil, errors.New("lambda: Play is required")
	}
	if opts.Reserve <= 0 {
		opts.Reserve = 20 * time.Second
	}
	if opts.Least <= 0 {
		opts.Least = 10 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts}, nil
}

// Response is what API Gateway and function URLs take; a direct caller gets the
// same.
type Response struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	// Body is JSON as text.
	Body            string `json:"body"`
	IsBase64Encoded bool   `json:"isBase64Encoded"`
}

// maxBody is what a response of Lambda can hold, six megabytes with the escapes
// of the text in it, and some room.
const maxBody = 4 << 20

// Invoke answers one invocation. It returns no error: every outcome is a response.
func (h *Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	began := time.Now()
	r := h.respond(ctx, payload)
	h.opts.Log.Info("answered", "status", r.StatusCode, "seconds", time.Since(began).Seconds(), "bytes", len(r.Body))
	return json.Marshal(r)
}

func (h *Handler) respond(ctx context.Context, payload []byte) *Response {
	target, err := parse(payload)
	if err != nil {
		return failure(err)
	}
	if h.opts.Admit != nil {
		if err := h.opts.Admit(ctx, target.URL); err != nil {
			return failure(&eventError{http.StatusForbidden, err.Error()})
		}
	}
	ctx, cancel, err := h.within(ctx, &target)
	if err != nil {
		return failure(err)
	}
	defer cancel()
	played, err := h.opts.Play(ctx, target)
	if err == nil && (played == nil || played.Report == nil) {
		err = errors.New("there is no report")
	}
	if err != nil {
		h.opts.Log.Error("play", "error", err)
		return failure(fmt.Errorf("the game could not be played: %w", err))
	}
	return report(played)
}

// within bounds the target by the deadline of the invocation.
func (h *Handler) within(ctx context.Context, target *record.Target) (context.Context, context.CancelFunc, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, nil
	}
	left := time.Until(deadline)
	reserve := min(h.opts.Reserve, left/3)
	most := left - reserve
	if most < h.opts.Least {
		return nil, nil, &eventError{http.StatusGatewayTimeout, fmt.Sprintf(
			"%.0f seconds are left before the function's deadline, and a run needs %.0f: give the function a longer timeout", max(left, 0).Seconds(), (h.opts.Least + min(h.opts.Reserve, h.opts.Least/2)).Seconds())}
	}
	limit := target.MaxDuration
	if limit == 0 {
		limit = record.DefaultMaxDuration + target.Metadata.Wait() + target.Metadata.PlayFor()
	}
	target.MaxDuration = min(limit, most)
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(-reserve/4))
	return ctx, cancel, nil
}

func report(p *Played) *Response {
	data, err := body(p.Report, p, "")
	if err == nil && len(data) > maxBody {
		short := *p.Report
		short.Metadata.ActionHistory, short.Metadata.ConsoleErrors, short.Controls, short.Screenshots = nil, nil, nil, nil
		data, err = body(&short, p, "actionHistory, consoleErrors, controls and screenshots: the report is longer than a response can be")
	}
	if err != nil {
		return failure(fmt.Errorf("the report cannot be written: %w", err))
	}
	return &Response{StatusCode: http.StatusOK, Headers: headers(), Body: string(data)}
}

// body is a report with what belongs to this door beside its own fields.
func body(rep *record.Report, p *Played, shortened string) ([]byte, error) {
	data, err := json.Marshal(rep)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	for name, value := range fields {
		all[name] = value
	}
	for name, value := range map[string]string{"evidence": p.Evidence, "evidenceError": p.Lost, "shortened": shortened} {
		if value != "" {
			all[name] = value
		}
	}
	return json.Marshal(all)
}

// failure is the response for what is not a report.
func failure(err error) *Response {
	status := http.StatusInternalServerError
	var e *eventError
	if errors.As(err, &e) {
		status = e.status
	}
	body, _ := json.Marshal(map[string]string{"error": err.Error()}) // text always can be written
	return &Response{StatusCode: status, Headers: headers(), Body: string(body)}
}

func headers() map[string]string {
	return map[string]string{"content-type": "application/json", "cache-control": "no-store"}
}
