package lambda_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/lambda"
	"github.com/playtest-dev/playtest/record"
)

func handler(t *testing.T, change func(*lambda.Options)) (*lambda.Handler, *[]record.Target) {
	t.Helper()
	var played []record.Target
	opts := lambda.Options{Play: func(_ context.Context, target record.Target) (*lambda.Played, error) {
		played = append(played, target)
		return &lambda.Played{Report: &record.Report{Version: record.ReportVersion, Status: record.Pass, Summary: "It can be played."}, Evidence: "s3://games/run"}, nil
	}}
	if change != nil {
		change(&opts)
	}
	h, err := lambda.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return h, &played
}

func invoke(t *testing.T, ctx context.Context, h *lambda.Handler, payload string) (lambda.Response, map[string]any) {
	t.Helper()
	data, err := h.Invoke(ctx, []byte(payload))
	if err != nil {
		t.Fatalf("the function itself fails: %v", err)
	}
	var r lambda.Response
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		t.Fatalf("the body is no JSON: %v\n%s", err, r.Body)
	}
	return r, body
}

const game = `{"gameUrl":"https://example.com/game/","metadata":{"metadataVersion":"1.0"},"config":{"maxDuration":90,"play":20,"seed":7}}`

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestEveryWayIn(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(game))
	for name, payload := range map[string]string{
		"direct":                        game,
		"API Gateway v1":                `{"resource":"/","path":"/play","httpMethod":"POST","headers":{"X":"y"},"requestContext":{"stage":"prod","identity":{"sourceIp":"192.0.2.1"}},"body":` + quoted(game) + `,"isBase64Encoded":false}`,
		"API Gateway v2":                `{"version":"2.0","routeKey":"POST /play","rawPath":"/play","requestContext":{"http":{"method":"POST","path":"/play"}},"body":` + quoted(game) + `,"isBase64Encoded":false}`,
		"API Gateway v1 without method": `{"requestContext":{"stage":"prod"},"body":` + quoted(game) + `}`,
		"function URL":                  `{"version":"2.0","routeKey":"$default","rawPath":"/","requestContext":{"domainName":"x.lambda-url.eu-central-1.on.aws","http":{"method":"POST"}},"body":"` + encoded + `","isBase64Encoded":true}`,
		"load balancer":                 `{"requestContext":{"elb":{"targetGroupArn":"arn"}},"httpMethod":"POST","path":"/","body":"` + encoded + `","isBase64Encoded":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			h, played := handler(t, nil)
			r, body := invoke(t, t.Context(), h, payload)
			if r.StatusCode != http.StatusOK || body["status"] != "pass" || body["evidence"] != "s3://games/run" || r.Headers["content-type"] != "application/json" {
				t.Fatalf("got %+v", r)
			}
			got := (*played)[0]
			if got.URL != "https://example.com/game/" || got.MaxDuration != 90*time.Second || got.Play != 20*time.Second || got.Seed != 7 || got.Metadata == nil {
				t.Errorf("played %+v", got)
			}
		})
	}
}

func TestWrongEvents(t *testing.T) {
	wrapped := func(body string) string {
		return `{"rawPath":"/","requestContext":{"http":{"method":"POST"}},"body":` + body + `}`
	}
	tests := []struct {
		name, payload string
		status        int
		says          string
	}{
		{"nothing", ``, 400, "no JSON"},
		{"no JSON", `{"gameUrl":`, 400, "no JSON"},
		{"two objects", `{"gameUrl":"https://a/"}{}`, 400, "no JSON"},
		{"null", `null`, 400, "no JSON object"},
		{"number", `5`, 400, "no JSON object"},
		{"text", `"https://example.com/"`, 400, "no JSON object"},
		{"list", `[{"gameUrl":"https://a/"}]`, 400, "no JSON object"},
		{"empty", `{}`, 400, "gameUrl is missing"},
		{"address is a number", `{"gameUrl":5}`, 400, "gameUrl"},
		{"address is null", `{"gameUrl":null}`, 400, "gameUrl is missing"},
		{"address without scheme", `{"gameUrl":"example.com"}`, 400, "no scheme"},
		{"address of a file", `{"gameUrl":"file:///etc/passwd"}`, 400, "only http and https"},
		{"address with a password", `{"gameUrl":"https://me:hunter2@example.com/"}`, 400, "password"},
		{"misspelt field", `{"gameURI":"https://a/"}`, 400, "gameURI"},
		{"metadata is text", `{"gameUrl":"https://a/","metadata":"x"}`, 400, "metadata is no object"},
		{"metadata with an unknown field", `{"gameUrl":"https://a/","metadata":{"nonsense":1}}`, 400, "metadata"},
		{"config is a list", `{"gameUrl":"https://a/","config":[]}`, 400, "config"},
		{"unknown mode", `{"gameUrl":"https://a/","config":{"mode":"fast"}}`, 400, "mode"},
		{"agent", `{"gameUrl":"https://a/","config":{"mode":"agent"}}`, 400, "model"},
		{"negative time", `{"gameUrl":"https://a/","config":{"maxDuration":-1}}`, 400, "maxDuration"},
		{"a time of milliseconds", `{"gameUrl":"https://a/","config":{"maxDuration":300000}}`, 400, "seconds"},
		{"bad rubric", `{"gameUrl":"https://a/","config":{"rubric":{"threshold":"high"}}}`, 400, "rubric"},
		{"GET", `{"rawPath":"/","requestContext":{"http":{"method":"GET"}}}`, 405, "POST"},
		{"GET of v1", `{"httpMethod":"GET","body":null}`, 405, "POST"},
		{"no body", wrapped(`null`), 400, "no body"},
		{"empty body", wrapped(`" "`), 400, "no body"},
		{"body is no JSON", wrapped(`"gameUrl=https://a/"`), 400, "no JSON object"},
		{"body is a list", wrapped(`"[]"`), 400, "no JSON object"},
		{"body is no base64", `{"httpMethod":"POST","body":"%%%","isBase64Encoded":true}`, 400, "base64"},
		{"too long", `{"gameUrl":"https://a/` + strings.Repeat("a", 6<<20) + `"}`, 413, "too long"},
		{"long address", `{"gameUrl":"https://a/` + strings.Repeat("a", 9<<10) + `"}`, 400, "longer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, played := handler(t, nil)
			r, body := invoke(t, t.Context(), h, tt.payload)
			says, _ := body["error"].(string)
			if r.StatusCode != tt.status || !strings.Contains(says, tt.says) || strings.Contains(says, "hunter2") {
				t.Errorf("status %d, %q; want %d and something about %q", r.StatusCode, says, tt.status, tt.says)
			}
			if len(*played) > 0 {
				t.Error("it was played")
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limit, ended time.Duration
		h, played := handler(t, func(o *lambda.Options) {
			play := o.Play
			o.Play = func(ctx context.Context, target record.Target) (*lambda.Played, error) {
				limit = target.MaxDuration
				deadline, _ := ctx.Deadline()
				ended = time.Until(deadline)
				return play(ctx, target)
			}
		})
		for _, tt := range []struct {
			left, limit, hard time.Duration
			status            int
		}{
			{15 * time.Minute, 90 * time.Second, 895 * time.Second, 200}, // as asked for
			{60 * time.Second, 40 * time.Second, 55 * time.Second, 200},  // what is left, less the reserve
			{18 * time.Second, 12 * time.Second, 16500 * time.Millisecond, 200},
			{12 * time.Second, 0, 0, 504},
			{-time.Second, 0, 0, 504},
		} {
			limit, ended = 0, 0
			ctx, cancel := context.WithTimeout(t.Context(), tt.left)
			r, _ := invoke(t, ctx, h, game)
			cancel()
			if r.StatusCode != tt.status || limit != tt.limit || ended != tt.hard {
				t.Errorf("with %s left: status %d, at most %s, ended after %s; want %d, %s, %s", tt.left, r.StatusCode, limit, ended, tt.status, tt.limit, tt.hard)
			}
		}
		if len(*played) != 3 {
			t.Errorf("%d were played, want 3", len(*played))
		}
	})
}

func TestWhatGoesWrong(t *testing.T) {
	t.Run("no browser", func(t *testing.T) {
		h, _ := handler(t, func(o *lambda.Options) {
			o.Play = func(context.Context, record.Target) (*lambda.Played, error) { return nil, errors.New("no Chromium") }
		})
		if r, body := invoke(t, t.Context(), h, game); r.StatusCode != 500 || !strings.Contains(body["error"].(string), "no Chromium") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("no report", func(t *testing.T) {
		h, _ := handler(t, func(o *lambda.Options) {
			o.Play = func(context.Context, record.Target) (*lambda.Played, error) { return nil, nil }
		})
		if r, _ := invoke(t, t.Context(), h, game); r.StatusCode != 500 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("evidence refused", func(t *testing.T) {
		h, _ := handler(t, func(o *lambda.Options) {
			o.Play = func(context.Context, record.Target) (*lambda.Played, error) {
				return &lambda.Played{Report: &record.Report{Status: record.Fail}, Lost: "access denied"}, nil
			}
		})
		if r, body := invoke(t, t.Context(), h, game); r.StatusCode != 200 || body["status"] != "fail" || body["evidenceError"] != "access denied" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("address refused", func(t *testing.T) {
		h, played := handler(t, func(o *lambda.Options) {
			o.Admit = func(context.Context, string) error { return errors.New("a private address") }
		})
		if r, _ := invoke(t, t.Context(), h, game); r.StatusCode != 403 || len(*played) > 0 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a report that is too long", func(t *testing.T) {
		h, _ := handler(t, func(o *lambda.Options) {
			o.Play = func(context.Context, record.Target) (*lambda.Played, error) {
				rep := &record.Report{Status: record.Pass}
				for range 10000 {
					rep.Metadata.ActionHistory = append(rep.Metadata.ActionHistory, record.ReportedAction{Target: strings.Repeat("x", 1000)})
				}
				return &lambda.Played{Report: rep}, nil
			}
		})
		if r, body := invoke(t, t.Context(), h, game); len(r.Body) > 4<<20 || body["shortened"] == nil {
			t.Errorf("%d bytes", len(r.Body))
		}
	})
}
