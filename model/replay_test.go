package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func TestRecordAndReplay(t *testing.T) {
	const key = model.Secret("sk-recorded-abcdefghijklmnop")
	picture := modeltest.Picture(40, 40)
	blob := strings.Repeat("QUJDRA", 400)
	live := modeltest.NewFake("a/one", nil, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
		if n == 2 {
			return nil, &model.Error{Kind: model.ErrRateLimit, Status: 429, RetryAfter: 3 * time.Second, Message: "slow down, " + key.Reveal()}
		}
		return modeltest.Say("answer "+string(rune('0'+n)), model.Usage{Input: n}), nil
	})
	ask := func(text string) *model.Request {
		return &model.Request{System: "the key is " + key.Reveal(), Messages: []model.Message{{Role: model.User, Parts: []model.Part{
			model.Text(text), model.Picture(picture), {Raw: &model.Raw{Vendor: "a", Data: json.RawMessage(`{"image":"` + blob + `"}`)}},
		}}}}
	}
	var file bytes.Buffer
	recorder := model.NewRecorder(&file, key)
	recorded := recorder.Record(live)
	var want []string
	tell := func(resp *model.Response, err error) string {
		if err != nil {
			e := model.AsError(err)
			return strings.Join([]string{e.Kind.Error(), e.RetryAfter.String()}, " ")
		}
		return resp.Text()
	}
	questions := []string{"same", "same", "same", "other"}
	for _, q := range questions {
		want = append(want, tell(recorded.Generate(t.Context(), ask(q))))
	}
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	for _, secret := range []string{key.Reveal(), blob[:900], string(picture.Data[:8])} {
		if strings.Contains(text, secret) {
			t.Errorf("%.20q is in the recording", secret)
		}
	}
	if !strings.Contains(text, `"width":40`) || !strings.Contains(text, "[secret]") {
		t.Errorf("recording is %.400s", text)
	}

	recording, err := model.ReadRecording(&file)
	if err != nil {
		t.Fatal(err)
	}
	replay := recording.Replay("a/one")
	for i, q := range questions {
		if got := tell(replay.Generate(t.Context(), ask(q))); got != want[i] {
			t.Errorf("exchange %d is %q, was %q", i, got, want[i])
		}
	}
	// Another picture is another request.
	other := ask("other")
	other.Messages[0].Parts[1] = model.Picture(modeltest.Picture(41, 40))
	if _, err := replay.Generate(t.Context(), other); !errors.Is(err, model.ErrNotRecorded) || !strings.Contains(err.Error(), "other") {
		t.Errorf("error is %v", err)
	}
	if len(live.Requests()) != len(questions) {
		t.Error("the replay made a call")
	}
	// It works behind a gateway like any model.
	if resp, err := gatewayOf(t, nil, replay).Run(nil).Generate(t.Context(), ask("other")); err != nil || resp.Text() != want[3] {
		t.Errorf("through the gateway: %v, %v", resp, err)
	}
}

func TestBrokenRecordings(t *testing.T) {
	for _, bad := range []string{"{", `{"model":"a/one","key":"k"}`, `[]`} {
		if _, err := model.ReadRecording(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: error is %v", bad, err)
		}
	}
}

func TestCache(t *testing.T) {
	for name, opts := range map[string]*model.CacheOptions{"memory": nil, "folder": {Dir: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			fake := scripted("a/one", fail(model.ErrBadRequest, 400))
			run := gatewayOf(t, &model.Options{Cache: must(model.NewCache(opts))(t)}, fake).Run(nil)
			warm := 0.5
			first, second := hello("x"), hello("another purpose")
			third := hello("x")
			third.Temperature = &warm
			_, _ = run.Generate(t.Context(), first) // fails, and is not kept
			for i, tc := range []struct {
				req    *model.Request
				cached bool
			}{{first, false}, {first, true}, {second, true}, {third, false}, {third, true}} {
				resp, err := run.Generate(t.Context(), tc.req)
				if err != nil || resp.Cached != tc.cached || resp.Text() != "from a/one" {
					t.Fatalf("call %d: %+v, %v", i, resp, err)
				}
				if tc.cached && (resp.Cost != model.Cost{Known: true}) {
					t.Errorf("call %d cost %v", i, resp.Cost)
				}
			}
			if n := run.Ledger().Total().Cached; n != 3 {
				t.Errorf("%d entries are cached", n)
			}
			if opts == nil {
				return
			}
			// Another process finds what is in the folder.
			again := gatewayOf(t, &model.Options{Cache: must(model.NewCache(opts))(t)}, scripted("a/one")).Run(nil)
			if resp, err := again.Generate(t.Context(), first); err != nil || !resp.Cached {
				t.Errorf("from the folder: %+v, %v", resp, err)
			}
		})
	}
	// Off unless asked for.
	fake := scripted("a/one")
	run := gatewayOf(t, nil, fake).Run(nil)
	for range 2 {
		_, _ = run.Generate(t.Context(), hello(""))
	}
	if len(fake.Requests()) != 2 {
		t.Error("a gateway without a cache cached")
	}
}
