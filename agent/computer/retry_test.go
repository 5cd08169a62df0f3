package computer_test

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
	modelanthropic "github.com/playtest-dev/playtest/model/anthropic"
	modelgoogle "github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"

	"github.com/playtest-dev/playtest/agent/computer/anthropic"
	"github.com/playtest-dev/playtest/agent/computer/google"
)

// clocked notes when calls are made.
type clocked struct {
	http.RoundTripper
	mu    sync.Mutex
	times []time.Time
}

func (c *clocked) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.times = append(c.times, time.Now())
	c.mu.Unlock()
	return c.RoundTripper.RoundTrip(r)
}

func (c *clocked) waits() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(c.times); i++ {
		out = append(out, c.times[i].Sub(c.times[i-1]))
	}
	return out
}

// ask makes one call as the loop does, with a clock that runs only while
// everybody waits.
func ask(d computer.Driver, t *testing.T) (*model.Response, error) {
	req := &model.Request{Purpose: computer.Purpose, Messages: []model.Message{model.UserText("play")}}
	if err := d.Prepare(req, computer.Of(64, 36)); err != nil {
		t.Fatal(err)
	}
	return d.Model().Generate(t.Context(), req)
}

func TestGoogleIsAskedAgain(t *testing.T) {
	const s = time.Second
	for _, tc := range []struct {
		name    string
		replies []modeltest.Reply
		waits   []time.Duration
		err     error
	}{
		{"at last", []modeltest.Reply{{Status: 503}, {Status: 429}, {Status: 500}, {Status: 503}, {Status: 429}, done}, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s}, nil},
		{"in vain", []modeltest.Reply{{Status: 503}, {Status: 503}, {Status: 503}, {Status: 503}, {Status: 503}, {Status: 503}}, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s}, model.ErrOverloaded},
		{"as long as it says", []modeltest.Reply{{Status: 429, RetryAfter: "11"}, {Status: 500}, done}, []time.Duration{11 * s, 4 * s}, nil},
		{"not for mistakes", []modeltest.Reply{{Status: 400, Message: "no"}}, nil, model.ErrBadRequest},
		{"nor without a key", []modeltest.Reply{{Status: 403}}, nil, model.ErrPermission},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := modeltest.NewGoogle(t)
			server.Script(tc.replies...)
			synctest.Test(t, func(t *testing.T) {
				calls := &clocked{RoundTripper: server.Client().Transport}
				m, err := modelgoogle.New("gemini-3.5-flash", server.Key, &modelgoogle.Options{BaseURL: server.URL, HTTPClient: &http.Client{Transport: calls}})
				d, err := google.New(through(t, m, err, nil), nil)
				resp, err := ask(must(t, d, err), t)
				if !errors.Is(err, tc.err) || tc.err == nil && (err != nil || resp.Text() != done.Text) {
					t.Errorf("got %v, %v", resp, err)
				}
				if got := calls.waits(); !slices.Equal(got, tc.waits) {
					t.Errorf("waited %v, want %v", got, tc.waits)
				}
			})
		})
	}
}

// The others are retried as the gateway retries everybody.
func TestOthersAreTheGatewaysMatter(t *testing.T) {
	server := modeltest.NewAnthropic(t)
	server.Script(modeltest.Reply{Status: 529}, done)
	synctest.Test(t, func(t *testing.T) {
		calls := &clocked{RoundTripper: server.Client().Transport}
		m, err := modelanthropic.New("claude-sonnet-5-5", server.Key, &modelanthropic.Options{BaseURL: server.URL, HTTPClient: &http.Client{Transport: calls}})
		d, err := anthropic.New(through(t, m, err, nil), nil)
		resp, err := ask(must(t, d, err), t)
		if err != nil || resp.Text() != done.Text {
			t.Errorf("got %v, %v", resp, err)
		}
		if waits := calls.waits(); len(waits) != 1 || waits[0] < 250*time.Millisecond || waits[0] > time.Second {
			t.Errorf("waited %v", waits)
		}
	})
}
