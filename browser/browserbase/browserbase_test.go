package browserbase_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/browser/browserbase"
	"github.com/playtest-dev/playtest/internal/browserbasetest"
)

func options(s *browserbasetest.Service) *browserbase.Options {
	return &browserbase.Options{APIKey: browserbasetest.Key, ProjectID: browserbasetest.Project, BaseURL: s.URL}
}

func TestOpen(t *testing.T) {
	s := browserbasetest.New(t, browserbasetest.Chromium(t))
	opts := options(s)
	opts.Region, opts.KeepAlive, opts.Proxies, opts.Timeout = "eu-central-1", true, true, 10*time.Minute
	b, err := browserbase.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Last(); got["region"] != "eu-central-1" || got["keepAlive"] != true || got["timeout"] != 600 || got["proxies"] != "true" {
		t.Errorf("the session was made with %v", got)
	}
	if !strings.HasPrefix(b.Inspect(), "https://www.browserbase.com/sessions/") {
		t.Errorf("inspect is %q", b.Inspect())
	}
	c, err := b.NewContext(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.NewPage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Navigate(t.Context(), "data:text/html,<title>far away</title>", nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if made, open := s.Sessions(); made != 1 || open != 0 {
		t.Errorf("%d sessions were made and %d are open", made, open)
	}

	t.Run("a session that dies", func(t *testing.T) {
		b, err := browserbase.Open(t.Context(), options(s))
		if err != nil {
			t.Fatal(err)
		}
		s.HangUp()
		<-b.Done()
		if b.Err() == nil {
			t.Error("nobody is told")
		}
		b.Close()
		if _, open := s.Sessions(); open != 0 {
			t.Error("it is not released")
		}
	})
	t.Run("a run that was cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b, err := browserbase.Open(ctx, options(s))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, open := s.Sessions(); open != 0 {
			t.Error("it is not released")
		}
	})
}

func TestFailureToConnectReleases(t *testing.T) {
	s := browserbasetest.New(t, "")
	_, err := browserbase.Open(t.Context(), options(s))
	if err == nil || strings.Contains(err.Error(), browserbasetest.Key) {
		t.Errorf("got %v", err)
	}
	if made, open := s.Sessions(); made != 1 || open != 0 {
		t.Errorf("%d sessions were made and %d are open", made, open)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*browserbase.Options)
		status   int
		after    string
		want     error
		requests int // the first included
	}{
		{"a wrong key", func(o *browserbase.Options) { o.APIKey = "bb_wrong" }, 0, "", browserbase.ErrUnauthorized, 1},
		{"another project", func(o *browserbase.Options) { o.ProjectID = "another" }, 0, "", browserbase.ErrUnauthorized, 1},
		{"a wait that is too long", nil, http.StatusTooManyRequests, "3600", browserbase.ErrLimit, 1},
		{"no money left", nil, http.StatusPaymentRequired, "", browserbase.ErrLimit, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := browserbasetest.New(t, "")
			if tt.status != 0 {
				s.Refuse = func(string, string) (int, string) { return tt.status, tt.after }
			}
			opts := options(s)
			if tt.change != nil {
				tt.change(opts)
			}
			_, err := browserbase.Create(t.Context(), opts)
			if !errors.Is(err, tt.want) || strings.Contains(err.Error(), opts.APIKey) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if n := s.Requests(); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
}

// A limit that passes is waited for, one that does not is not waited for for ever.
func TestLimitsAreWaitedFor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		passes int // refusals before it is let through
		ok     bool
		waited time.Duration
	}{
		{"one that passes", 2, true, 3 * time.Second},
		{"one that stays", 100, false, 7 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					n++
					status, body := http.StatusTooManyRequests, `{"message":"too many concurrent sessions"}`
					if n > tt.passes {
						status, body = http.StatusCreated, `{"id":"one","projectId":"p","connectUrl":"ws://127.0.0.1:1/"}`
					}
					rec := &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: r}
					rec.Body = readCloser{strings.NewReader(body)}
					return rec, nil
				})}
				began := time.Now()
				_, err := browserbase.Create(t.Context(), &browserbase.Options{APIKey: "k", HTTP: client})
				if (err == nil) != tt.ok || err != nil && !errors.Is(err, browserbase.ErrLimit) {
					t.Errorf("got %v", err)
				}
				if waited := time.Since(began); waited != tt.waited {
					t.Errorf("it waited for %s, want %s", waited, tt.waited)
				}
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestCheck(t *testing.T) {
	for _, o := range []*browserbase.Options{
		nil, {}, {APIKey: "two words"}, {APIKey: "k\n"}, {APIKey: "k", Region: "moon"}, {APIKey: "k", Timeout: time.Second}, {APIKey: "k", Timeout: 7 * time.Hour},
	} {
		if err := o.Check(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
