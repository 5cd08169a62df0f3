package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"time"
)

// Generate asks the chain. A structured answer has been validated when it
// comes back, and its text is the JSON.
func (r *Run) Generate(ctx context.Context, req *Request) (*Response, error) {
	if err := r.check(req); err != nil {
		return nil, err
	}
	return structured(ctx, req, r.Capabilities(), func(ctx context.Context, req *Request) (*Response, error) {
		return r.chain(ctx, req, generate)
	})
}

// Stream asks the chain and passes the answer on while it is made. Another
// provider takes over only as long as nothing has been passed on. A structured
// answer that does not fit is an error; there is no repair of what has been
// shown already.
func (r *Run) Stream(ctx context.Context, req *Request) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		if err := r.check(req); err != nil {
			yield(nil, err)
			return
		}
		s := &stream{yield: yield}
		resp, err := r.chain(ctx, req, s.call)
		if err == nil && cutOff(req, resp) {
			resp, err = lost(req, resp)
		}
		if err == nil && req.Schema != nil {
			if wrong := settle(req.Schema, resp); wrong != nil {
				err = &Error{Kind: ErrSchema, Model: resp.Model, Message: clip(wrong.Error(), 500), Response: resp}
			}
		}
		switch {
		case s.stopped:
		case err != nil:
			yield(nil, err)
		default:
			yield(&Chunk{Response: resp}, nil)
		}
	}
}

// check refuses what no provider could answer, before any money is held.
func (r *Run) check(req *Request) error {
	if err := checkPairs(req.Messages); err != nil {
		return &Error{Kind: ErrBadRequest, Message: err.Error()}
	}
	if req.Schema != nil {
		if _, err := req.Schema.resolve(); err != nil {
			return &Error{Kind: ErrBadRequest, Message: err.Error()}
		}
	}
	return nil
}

// caller makes the call itself: in one piece, or as a stream.
type caller func(ctx context.Context, m Model, req *Request) (*Response, error)

func generate(ctx context.Context, m Model, req *Request) (*Response, error) {
	return m.Generate(ctx, req)
}

// errStopped ends a stream that the reader has left.
var errStopped = errors.New("the reader left")

// stream passes chunks on and remembers that it did.
type stream struct {
	yield   func(*Chunk, error) bool
	started bool
	stopped bool
}

func (s *stream) call(ctx context.Context, m Model, req *Request) (*Response, error) {
	streamer, ok := m.(Streamer)
	if !ok {
		resp, err := m.Generate(ctx, req)
		if err == nil {
			s.pass(&Chunk{Text: resp.Text()})
		}
		return resp, err
	}
	for chunk, err := range streamer.Stream(ctx, req) {
		if err != nil {
			if s.started {
				return nil, &startedError{err}
			}
			return nil, err
		}
		if chunk.Response != nil {
			return chunk.Response, nil
		}
		if !s.pass(chunk) {
			return nil, &startedError{errStopped}
		}
	}
	err := &Error{Kind: ErrBroken, Model: m.Name(), Message: "the stream ended without an answer"}
	if s.started {
		return nil, &startedError{err}
	}
	return nil, err
}

func (s *stream) pass(c *Chunk) bool {
	s.started = true
	if !s.yield(c, nil) {
		s.stopped = true
	}
	return !s.stopped
}

// startedError is a failure after part of the answer was passed on: nobody
// else may begin it again.
type startedError struct{ error }

func (e *startedError) Unwrap() error { return e.error }

// ChainError is what every provider of the chain said.
type ChainError struct{ Errs []error }

func (e *ChainError) Error() string {
	texts := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		texts[i] = err.Error()
	}
	return "no model of the chain could answer: " + strings.Join(texts, "; then ")
}

// Unwrap gives errors.Is and errors.As every failure, the last one first.
func (e *ChainError) Unwrap() []error {
	errs := make([]error, len(e.Errs))
	for i, err := range e.Errs {
		errs[len(errs)-1-i] = err
	}
	return errs
}

// chain asks one provider after the other until one answers.
func (r *Run) chain(ctx context.Context, req *Request, call caller) (*Response, error) {
	var errs []error
	for place, l := range r.gateway.links {
		resp, err := r.provider(ctx, req, l, place, call)
		if err == nil {
			return resp, nil
		}
		errs = append(errs, err)
		e := AsError(err)
		if ctx.Err() != nil || e == nil || !e.failover() || isStarted(err) {
			break
		}
	}
	if len(errs) == 1 {
		return nil, errs[0]
	}
	return nil, &ChainError{Errs: errs}
}

func isStarted(err error) bool {
	var s *startedError
	return errors.As(err, &s)
}

// provider asks one provider within its deadline. When it lets that pass and
// nobody else could be asked instead, it is given the same time once more.
func (r *Run) provider(ctx context.Context, req *Request, l *link, place int, call caller) (*Response, error) {
	limit := r.gateway.deadline(req, l.caps, place)
	resp, err := r.tries(ctx, limit, req, l, place, call)
	last := place == len(r.gateway.links)-1
	if errors.Is(err, ErrTimeout) && last && !urgent[req.Purpose] && !isStarted(err) && ctx.Err() == nil {
		resp, err = r.tries(ctx, limit, req, l, place, call)
	}
	return resp, err
}

// urgent are the purposes whose answers are worth nothing when they are late.
var urgent = map[string]bool{"decision": true, "check": true}

// tries asks one provider, again if that makes sense, until the time is over.
func (r *Run) tries(ctx context.Context, limit time.Duration, req *Request, l *link, place int, call caller) (*Response, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for attempt := 1; ; attempt++ {
		resp, err := r.attempt(ctx, req, l, place, attempt, call)
		if err == nil {
			return resp, nil
		}
		e := AsError(err)
		if e != nil && e.schemaTooLarge() && req.Schema != nil && l.caps.native(req.Schema) {
			l = l.inWords()
			continue
		}
		if e == nil || !e.retryable() || attempt >= r.attempts(req) || isStarted(err) || outer.Err() != nil {
			return nil, err
		}
		wait := backoff(attempt, e.RetryAfter)
		if len(req.Retries) > 0 {
			wait = max(req.Retries[attempt-1], e.RetryAfter)
		}
		if !fits(ctx, wait) {
			return nil, err
		}
		if pause(ctx, wait) != nil {
			return nil, err
		}
	}
}

// inWords is the link to the same model that is told a schema in the prompt.
func (l *link) inWords() *link {
	told := *l
	told.caps.Structured = ByPrompt
	return &told
}

// attempts is how often one provider is asked.
func (r *Run) attempts(req *Request) int {
	if len(req.Retries) > 0 {
		return 1 + len(req.Retries)
	}
	return r.gateway.opts.Attempts
}

// attempt makes one call with everything that surrounds one.
func (r *Run) attempt(ctx context.Context, req *Request, l *link, place, attempt int, call caller) (*Response, error) {
	g, name := r.gateway, l.model.Name()
	if err := l.able(req); err != nil {
		return nil, err
	}
	entry := Entry{Time: time.Now(), Purpose: req.Purpose, Model: name, Attempt: attempt, Failover: place > 0}
	key := ""
	if g.opts.Cache != nil {
		key = Key(name, req)
		if resp := g.opts.Cache.get(key); resp != nil {
			resp.Cached, resp.Cost, resp.Latency = true, Cost{Known: true}, 0
			entry.Cached, entry.Cost = true, resp.Cost
			r.ledger.add(entry)
			return resp, nil
		}
	}

	probe, wait, ok := l.breaker.allow(time.Now())
	if !ok {
		return nil, &Error{Kind: ErrCircuitOpen, Model: name, Message: fmt.Sprintf("to be tried again in %v", wait.Round(time.Second))}
	}
	health := neutral
	defer func() { l.breaker.done(time.Now(), probe, health) }()

	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-ctx.Done():
		return nil, &Error{Kind: ErrTimeout, Model: name, Message: "waiting for a turn", cause: ctx.Err()}
	}
	settle, err := r.charge(ctx, req, entry)
	if err != nil {
		return nil, err
	}
	defer settle(Entry{Cost: Cost{Known: true}}) // for a call that was not made

	price, priced := g.prices.For(name)
	lowered, lift := lower(req, l.caps)
	held, err := r.reserve(lowered, name, price, priced)
	if err != nil {
		return nil, err
	}
	defer held.Settle(0) // does nothing once settled; gives back what a panic left

	spanCtx, span := startSpan(ctx, g.tracer, name, lowered, attempt, place > 0)
	start := time.Now()
	resp, err := call(spanCtx, l.model, lowered)
	entry.Latency = time.Since(start)

	if resp != nil {
		lift(resp)
		resp.Model, resp.Latency = name, entry.Latency
	}
	r.account(&entry, held, price, priced, resp, err)
	endSpan(span, resp, err)
	r.ledger.add(entry)
	settle(entry)
	g.logAttempt(ctx, entry)

	health = judge(ctx, err)
	if e := AsError(err); e != nil && e.RetryAfter > 0 && !fits(ctx, e.RetryAfter) {
		l.breaker.leave(time.Now().Add(e.RetryAfter))
	}
	if err == nil && g.opts.Cache != nil {
		if err := g.opts.Cache.put(key, resp); err != nil {
			g.log.WarnContext(ctx, "response cache", "error", err)
		}
	}
	return resp, err
}

// able refuses what the model says it cannot do.
func (l *link) able(req *Request) error {
	switch {
	case len(req.Tools) > 0 && !l.caps.Tools:
		return &Error{Kind: ErrUnsupported, Model: l.model.Name(), Message: "it has no tools"}
	case hasImage(req.Messages) && !l.caps.Images:
		return &Error{Kind: ErrUnsupported, Model: l.model.Name(), Message: "it cannot see images"}
	}
	return nil
}

func hasImage(messages []Message) bool {
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				return true
			}
			if p.ToolResult != nil && hasImage([]Message{{Parts: p.ToolResult.Parts}}) {
				return true
			}
		}
	}
	return false
}

// reserve holds the most that the call can cost.
func (r *Run) reserve(req *Request, name string, price Price, priced bool) (*Reservation, error) {
	if len(r.budgets) == 0 {
		return Reserve(0)
	}
	if !priced {
		if r.gateway.opts.AllowUnknownPrice {
			return Reserve(0, r.budgets...)
		}
		return nil, &Error{Kind: ErrPriceUnknown, Model: name, Message: "no budget can be kept without one"}
	}
	return Reserve(price.Most(req.Estimate(price), req.Limit()), r.budgets...)
}

// account settles the reservation and fills in what the call came to. A failed
// call that the vendor may charge for is taken to have cost all that was held:
// a hard budget cannot hope.
func (r *Run) account(entry *Entry, held *Reservation, price Price, priced bool, resp *Response, err error) {
	paid := resp
	if err != nil {
		entry.Error = failureWord(err)
		if e := AsError(err); e != nil {
			entry.RequestID = e.RequestID
			paid = e.Response
		}
	}
	if paid != nil {
		entry.Usage, entry.RequestID = paid.Usage, paid.RequestID
		entry.Cost = Cost{Known: priced}
		if priced {
			entry.Cost.Amount = price.Cost(paid.Usage)
		}
		paid.Cost = entry.Cost
		held.Settle(entry.Cost.Amount)
		return
	}
	entry.Cost = Cost{Known: true}
	if e := AsError(err); (e != nil && e.maybeBilled()) || isStarted(err) {
		entry.Uncertain = true
		entry.Cost = Cost{Amount: held.Amount(), Known: priced && len(r.budgets) > 0}
	}
	held.Settle(entry.Cost.Amount)
}

// judge is what a call's end says about the provider.
func judge(ctx context.Context, err error) outcome {
	if err == nil {
		return healthy
	}
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errStopped) {
		return neutral
	}
	e := AsError(err)
	switch {
	case e == nil:
		return neutral
	case e.ill():
		return ill
	case e.Status >= 400 && e.Status < 500 || e.Response != nil:
		return healthy // it is there and answers
	}
	return neutral
}

func (g *Gateway) logAttempt(ctx context.Context, e Entry) {
	level := slog.LevelDebug
	if e.Error != "" {
		level = slog.LevelWarn
	}
	g.log.LogAttrs(ctx, level, "model call",
		slog.String("purpose", e.Purpose), slog.String("model", e.Model), slog.Duration("latency", e.Latency),
		slog.Int("tokens_in", e.Usage.In()), slog.Int("tokens_out", e.Usage.Out()), slog.String("cost", e.Cost.String()),
		slog.Int("attempt", e.Attempt), slog.Bool("failover", e.Failover),
		slog.String("request_id", e.RequestID), slog.String("error", e.Error))
}
