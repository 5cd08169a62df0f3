package model_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func hello(purpose string) *model.Request {
	return &model.Request{Purpose: purpose, Messages: []model.Message{model.UserText("hello")}}
}

func fail(kind error, status int) error { return &model.Error{Kind: kind, Status: status} }

// scripted fails as told, call by call, and answers when nil is told. It takes
// no time unless the error is hang.
func scripted(name string, errs ...error) *modeltest.Fake {
	return modeltest.NewFake(name, nil, func(ctx context.Context, n int, _ *model.Request) (*model.Response, error) {
		var err error
		if n <= len(errs) {
			err = errs[n-1]
		}
		if errors.Is(err, errHang) {
			<-ctx.Done()
			return nil, model.TransportError(name, ctx.Err())
		}
		if err != nil {
			return nil, err
		}
		return modeltest.Say("from "+name, model.Usage{Input: 10, Output: 5}), nil
	})
}

var errHang = errors.New("hang")

func gatewayOf(t testing.TB, opts *model.Options, models ...model.Model) *model.Gateway {
	t.Helper()
	if opts == nil {
		opts = &model.Options{}
	}
	if opts.Prices == nil {
		opts.Prices = testPrices("a/one", "b/two")
	}
	return must(model.NewGateway(models, opts))(t)
}

func TestFailoverAndRetry(t *testing.T) {
	for _, tc := range []struct {
		name            string
		primary         []error
		text            string // "" when it fails
		kind            error
		primaryCalls    int
		secondaryCalls  int
		atLeast, atMost time.Duration
	}{
		{name: "healthy", text: "from a/one", primaryCalls: 1},
		{name: "one hiccup is retried", primary: []error{fail(model.ErrServer, 500)}, text: "from a/one", primaryCalls: 2, atLeast: 250 * time.Millisecond, atMost: 500 * time.Millisecond},
		{name: "two hiccups fail over", primary: []error{fail(model.ErrOverloaded, 529), fail(model.ErrServer, 500)}, text: "from b/two", primaryCalls: 2, secondaryCalls: 1, atMost: 500 * time.Millisecond},
		{name: "a hang fails over after the deadline", primary: []error{errHang}, text: "from b/two", primaryCalls: 1, secondaryCalls: 1, atLeast: 5 * time.Second, atMost: 5 * time.Second},
		{name: "broken off is retried", primary: []error{fail(model.ErrBroken, 0)}, text: "from a/one", primaryCalls: 2, atMost: 500 * time.Millisecond},
		{name: "Retry-After is kept", primary: []error{&model.Error{Kind: model.ErrRateLimit, Status: 429, RetryAfter: 3 * time.Second}}, text: "from a/one", primaryCalls: 2, atLeast: 3 * time.Second, atMost: 3300 * time.Millisecond},
		{name: "Retry-After beyond the deadline fails over at once", primary: []error{&model.Error{Kind: model.ErrRateLimit, Status: 429, RetryAfter: time.Minute}}, text: "from b/two", primaryCalls: 1, secondaryCalls: 1},
		{name: "a bad key fails over without a retry", primary: []error{fail(model.ErrAuth, 401)}, text: "from b/two", primaryCalls: 1, secondaryCalls: 1},
		{name: "an unknown model fails over", primary: []error{fail(model.ErrNotFound, 404)}, text: "from b/two", primaryCalls: 1, secondaryCalls: 1},
		{name: "a bad request does not", primary: []error{fail(model.ErrBadRequest, 400)}, kind: model.ErrBadRequest, primaryCalls: 1},
		{name: "a refusal does not", primary: []error{fail(model.ErrRefusal, 200)}, kind: model.ErrRefusal, primaryCalls: 1},
		{name: "a filter does not", primary: []error{fail(model.ErrFilter, 200)}, kind: model.ErrFilter, primaryCalls: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				primary, secondary := scripted("a/one", tc.primary...), scripted("b/two")
				run := gatewayOf(t, nil, primary, secondary).Run(nil)
				start := time.Now()
				resp, err := run.Generate(t.Context(), hello("decision"))
				took := time.Since(start)
				if tc.text != "" && (err != nil || resp.Text() != tc.text) {
					t.Errorf("got %v, %v; want %q", resp, err, tc.text)
				}
				if tc.kind != nil && !errors.Is(err, tc.kind) {
					t.Errorf("error is %v, want %v", err, tc.kind)
				}
				if n := len(primary.Requests()); n != tc.primaryCalls {
					t.Errorf("the primary was asked %d times, want %d", n, tc.primaryCalls)
				}
				if n := len(secondary.Requests()); n != tc.secondaryCalls {
					t.Errorf("the secondary was asked %d times, want %d", n, tc.secondaryCalls)
				}
				if took < tc.atLeast || took > max(tc.atMost, tc.atLeast) {
					t.Errorf("it took %v, want %v to %v", took, tc.atLeast, tc.atMost)
				}
				entries := run.Ledger().Entries()
				if len(entries) != tc.primaryCalls+tc.secondaryCalls {
					t.Errorf("the ledger has %d entries", len(entries))
				}
				if last := entries[len(entries)-1]; last.Failover != (tc.secondaryCalls > 0) || last.Purpose != "decision" {
					t.Errorf("last entry is %+v", last)
				}
			})
		})
	}
}

// A request may bring its own waits, which then hold instead of the gateway's.
func TestRetriesOfARequest(t *testing.T) {
	busy := fail(model.ErrOverloaded, 503)
	for _, tc := range []struct {
		name    string
		errs    []error
		retries []time.Duration
		calls   int
		took    time.Duration
		fails   bool
	}{
		{"until it answers", []error{busy, busy, nil}, []time.Duration{time.Second, 3 * time.Second, 9 * time.Second}, 3, 4 * time.Second, false},
		{"until they are used up", []error{busy, busy, busy}, []time.Duration{time.Second, 3 * time.Second}, 3, 4 * time.Second, true},
		{"longer if the vendor says so", []error{&model.Error{Kind: model.ErrRateLimit, RetryAfter: 5 * time.Second}, nil}, []time.Duration{time.Second}, 2, 5 * time.Second, false},
		{"not for what no retry mends", []error{fail(model.ErrAuth, 401)}, []time.Duration{time.Second}, 1, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := scripted("a/one", tc.errs...)
				run := gatewayOf(t, nil, m).Run(nil)
				req := hello("")
				req.Retries = tc.retries
				began := time.Now()
				_, err := run.Generate(t.Context(), req)
				if calls := len(run.Ledger().Entries()); (err != nil) != tc.fails || calls != tc.calls || time.Since(began) != tc.took {
					t.Errorf("%v after %d calls and %v", err, calls, time.Since(began))
				}
			})
		})
	}
}

func TestEveryProviderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := gatewayOf(t, nil, scripted("a/one", errHang), scripted("b/two", errHang)).Run(nil)
		start := time.Now()
		_, err := run.Generate(t.Context(), hello("decision"))
		var chain *model.ChainError
		if !errors.As(err, &chain) || len(chain.Errs) != 2 || !errors.Is(err, model.ErrTimeout) {
			t.Errorf("error is %v", err)
		}
		if took := time.Since(start); took != 15*time.Second {
			t.Errorf("it took %v, want the 5 s and 10 s of a decision", took)
		}
	})
}

func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secondary := scripted("b/two")
		run := gatewayOf(t, nil, scripted("a/one", errHang), secondary).Run(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := run.Generate(ctx, hello("")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		if len(secondary.Requests()) != 0 {
			t.Error("the next provider was asked for someone who had left")
		}
	})
}

// A primary that hangs, then flaps, then recovers.
func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := "hang"
		n := 0
		primary := modeltest.NewFake("a/one", nil, func(ctx context.Context, _ int, _ *model.Request) (*model.Response, error) {
			n++
			if state == "hang" {
				<-ctx.Done()
				return nil, model.TransportError("a/one", ctx.Err())
			}
			if state == "flap" && n%2 == 0 {
				return nil, fail(model.ErrBroken, 0)
			}
			return modeltest.Say("from a/one", model.Usage{}), nil
		})
		gateway := gatewayOf(t, &model.Options{Attempts: 1}, primary, scripted("b/two"))
		run := gateway.Run(nil)
		ask := func() (string, time.Duration) {
			start := time.Now()
			resp, err := run.Generate(t.Context(), hello("decision"))
			if err != nil {
				t.Fatalf("%s: %v", state, err)
			}
			return resp.Text(), time.Since(start)
		}
		for i := range 5 {
			if text, took := ask(); text != "from b/two" || took != 5*time.Second {
				t.Fatalf("call %d: %s after %v", i, text, took)
			}
		}
		before := n
		if text, took := ask(); text != "from b/two" || took != 0 || n != before {
			t.Errorf("open: %s after %v, %d calls to the primary", text, took, n-before)
		}
		// The probe after the cooldown hangs too; one call pays for it.
		time.Sleep(31 * time.Second)
		if _, took := ask(); took != 5*time.Second || n != before+1 {
			t.Errorf("probe: %v, %d calls", took, n-before)
		}
		// The cooldown has doubled.
		time.Sleep(31 * time.Second)
		if _, took := ask(); took != 0 || n != before+1 {
			t.Errorf("after a failed probe: %v, %d calls", took, n-before)
		}
		// It recovers: the probe succeeds and the circuit closes.
		state = "well"
		time.Sleep(31 * time.Second)
		for range 3 {
			if text, _ := ask(); text != "from a/one" {
				t.Errorf("recovered: %s", text)
			}
		}
		// It flaps: half of its calls fail, which is too many.
		state = "flap"
		for range 12 {
			ask()
		}
		before = n
		if text, took := ask(); text != "from b/two" || took != 0 || n != before {
			t.Errorf("flapping: %s after %v, %d calls to the primary", text, took, n-before)
		}
	})
}

func TestOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		release := make(chan struct{})
		primary := modeltest.NewFake("a/one", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
			if n <= 5 {
				return nil, fail(model.ErrServer, 500)
			}
			calls.Add(1)
			<-release
			return modeltest.Say("from a/one", model.Usage{}), nil
		})
		run := gatewayOf(t, &model.Options{Attempts: 1}, primary, scripted("b/two")).Run(nil)
		for range 5 {
			_, _ = run.Generate(t.Context(), hello(""))
		}
		time.Sleep(31 * time.Second)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { _, _ = run.Generate(t.Context(), hello("")) })
		}
		synctest.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("%d probes at a time", n)
		}
		close(release)
		group.Wait()
	})
}

func TestRetryAfterIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary := scripted("a/one", &model.Error{Kind: model.ErrRateLimit, Status: 429, RetryAfter: time.Minute})
		run := gatewayOf(t, nil, primary, scripted("b/two")).Run(nil)
		for range 4 {
			if _, err := run.Generate(t.Context(), hello("decision")); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(primary.Requests()); n != 1 {
			t.Errorf("asked %d times within the minute", n)
		}
		time.Sleep(time.Minute)
		if resp, err := run.Generate(t.Context(), hello("decision")); err != nil || resp.Text() != "from a/one" {
			t.Errorf("after the minute: %v, %v", resp, err)
		}
	})
}

func TestCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		slow := modeltest.NewFake("a/one", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return modeltest.Say("ok", model.Usage{}), nil
		})
		run := gatewayOf(t, &model.Options{InFlight: 3}, slow).Run(nil)
		var group sync.WaitGroup
		start := time.Now()
		for range 9 {
			group.Go(func() {
				if _, err := run.Generate(t.Context(), hello("")); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if most.Load() != 3 || time.Since(start) != 3*time.Second {
			t.Errorf("%d in flight, %v", most.Load(), time.Since(start))
		}
	})
}

func TestModelThatCannot(t *testing.T) {
	blind := modeltest.NewFake("a/one", &model.Capabilities{Structured: model.ByPrompt}, func(context.Context, int, *model.Request) (*model.Response, error) {
		return modeltest.Say("from a/one", model.Usage{}), nil
	})
	for name, req := range map[string]*model.Request{
		"image": {Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Picture(modeltest.Picture(8, 8))}}}},
		"tools": {Messages: []model.Message{model.UserText("x")}, Tools: []model.Tool{{Name: "look"}}},
	} {
		run := gatewayOf(t, nil, blind, scripted("b/two")).Run(nil)
		if resp, err := run.Generate(t.Context(), req); err != nil || resp.Text() != "from b/two" {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
		alone := gatewayOf(t, nil, blind).Run(nil)
		if _, err := alone.Generate(t.Context(), req); !errors.Is(err, model.ErrUnsupported) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	if len(blind.Requests()) != 0 {
		t.Error("a call was made that could not work")
	}
}

func TestBrokenConversations(t *testing.T) {
	call := model.Part{ToolCall: &model.ToolCall{ID: "1", Name: "look"}}
	for name, messages := range map[string][]model.Message{
		"none":              nil,
		"empty":             {{Role: model.User}},
		"no result":         {model.UserText("x"), {Role: model.Assistant, Parts: []model.Part{call}}, model.UserText("y"), {Role: model.Assistant, Parts: []model.Part{model.Text("z")}}},
		"last has none":     {model.UserText("x"), {Role: model.Assistant, Parts: []model.Part{call}}},
		"result of nothing": {{Role: model.User, Parts: []model.Part{model.Result(model.ToolCall{ID: "9"}, "x")}}},
		"call by the user":  {{Role: model.User, Parts: []model.Part{call}}},
	} {
		fake := modeltest.Replies("a/one", "never")
		if _, err := gatewayOf(t, nil, fake).Run(nil).Generate(t.Context(), &model.Request{Messages: messages}); !errors.Is(err, model.ErrBadRequest) {
			t.Errorf("%s: error is %v", name, err)
		}
		if len(fake.Requests()) != 0 {
			t.Errorf("%s: a call was made", name)
		}
	}
}

func TestChainOfNothing(t *testing.T) {
	if _, err := model.NewGateway(nil, nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("error is %v", err)
	}
	if _, err := model.NewGateway([]model.Model{scripted("a/one"), scripted("a/one")}, nil); err == nil {
		t.Error("the same model twice was taken")
	}
	for _, bad := range []string{"", "gpt", "/x", "a/", "a/b,", "a/b,a/b"} {
		if _, err := model.ParseChain(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	refs, err := model.ParseChain("anthropic/x, openrouter/qwen/qwen3:free")
	if err != nil || len(refs) != 2 || refs[1].Provider != "openrouter" || refs[1].Name != "qwen/qwen3:free" {
		t.Errorf("refs are %v, %v", refs, err)
	}
}

func TestCheckTellsOfEachModel(t *testing.T) {
	gateway := gatewayOf(t, nil, scripted("a/one", fail(model.ErrAuth, 401)), scripted("b/two"), scripted("c/three"))
	got := gateway.Check(t.Context())
	if len(got) != 3 || !errors.Is(got[0].Err, model.ErrAuth) || got[1].Err != nil || got[1].Price == nil || got[2].Price != nil {
		t.Errorf("got %+v", got)
	}
	if !got[1].Cost.Known || got[2].Cost.Known || !strings.Contains(got[2].Cost.String(), "unknown") {
		t.Errorf("costs are %v and %v", got[1].Cost, got[2].Cost)
	}
}

func BenchmarkGatewayOverhead(b *testing.B) {
	instant := modeltest.NewFake("a/one", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return modeltest.Say("ok", model.Usage{Input: 10, Output: 5}), nil
	})
	// What a decision carries: a long page, a picture, a schema.
	req := &model.Request{
		Purpose: "decision",
		System:  strings.Repeat("You play games. ", 50),
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{
			model.Text(strings.Repeat("[12-345] button: Start\n", 2000)), model.Picture(modeltest.Picture(1280, 720)),
		}}},
	}
	answer := *req
	answer.Schema = &model.Schema{Name: "a", JSON: []byte(`{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}`)}
	structured := modeltest.NewFake("a/one", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return modeltest.Say(`{"key":"Space"}`, model.Usage{Input: 10, Output: 5}), nil
	})
	for name, bc := range map[string]struct {
		fake *modeltest.Fake
		req  *model.Request
	}{"text": {instant, req}, "structured": {structured, &answer}} {
		b.Run(name, func(b *testing.B) {
			run := gatewayOf(b, nil, bc.fake).Run(&model.RunOptions{Budgets: []*model.Budget{model.NewBudget(1e6 * model.Dollar)}})
			for b.Loop() {
				if _, err := run.Generate(b.Context(), bc.req); err != nil {
					b.Fatal(err)
				}
			}
			if per := b.Elapsed() / time.Duration(b.N); per > time.Millisecond && b.N > 100 {
				b.Errorf("the gateway adds %v to a call, want under 1 ms", per)
			}
		})
	}
}
