// Package browserbase borrows browsers from Browserbase: a session is created over
// its REST API, attached to like any remote browser, and released when the browser
// is closed.
//
//	b, err := browserbase.Open(ctx, &browserbase.Options{APIKey: key, ProjectID: project})
//	defer b.Close() // releases the session
package browserbase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// What callers tell apart. Errors are of type *Error and match one of these where
// they are of that kind.
var (
	// ErrUnauthorized: the key is wrong, or not for that project.
	ErrUnauthorized = errors.New("the key is not accepted by Browserbase")
	// ErrLimit: too many sessions at a time, or too many requests.
	ErrLimit = errors.New("a limit of Browserbase is reached")
)

// Options of a session. The key is required.
type Options struct {
	APIKey    string
	ProjectID string // the key's own project if empty
	// Region to run in, the service's default if empty; see Regions.
	Region string
	// Timeout after which the service ends the session by itself: 1 minute to 6
	// hours, 30 minutes if zero.
	Timeout time.Duration
	// KeepAlive leaves the session running when the connection is lost. It is
	// released by Close all the same.
	KeepAlive bool
	// Proxies sends the pages' requests through the service's proxies.
	Proxies bool
	// Metadata is shown with the session.
	Metadata map[string]string

	BaseURL string       // https://api.browserbase.com if empty
	HTTP    *http.Client // a client with a timeout if nil
	Log     *slog.Logger // nowhere if nil
}

// Regions are where sessions can run.
var Regions = []string{"us-west-2", "us-east-1", "eu-central-1", "ap-southeast-1"}

const (
	defaultBase    = "https://api.browserbase.com"
	inspector      = "https://www.browserbase.com/sessions/"
	defaultTimeout = 30 * time.Minute
	minTimeout     = time.Minute
	maxTimeout     = 6 * time.Hour
	callLimit      = 30 * time.Second
	releaseLimit   = 15 * time.Second
	attempts       = 4
	maxWait        = 30 * time.Second // between two attempts, whatever the service asks for
	maxReply       = 1 << 20
)

// Error is a refusal of the service.
type Error struct {
	Doing   string // such as "creating a session"
	Status  int    // of HTTP
	Message string // the service's own
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: Browserbase answers with status %d", e.Doing, e.Status)
	if e.Message != "" {
		text += " (" + e.Message + ")"
	}
	return text
}

// Is makes the error one of its kind.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrUnauthorized:
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	case ErrLimit:
		return e.Status == http.StatusTooManyRequests || e.Status == http.StatusPaymentRequired
	}
	return false
}

// Check reports what is wrong with the options, before anything is spent.
func (o *Options) Check() error {
	switch {
	case o == nil || o.APIKey == "":
		return errors.New("browserbase: the API key is missing")
	case strings.ContainsAny(o.APIKey, " \r\n\t"):
		return errors.New("browserbase: the API key has white space in it")
	case o.Region != "" && !slices.Contains(Regions, o.Region):
		return fmt.Errorf("browserbase: region %q is not one of %s", o.Region, strings.Join(Regions, ", "))
	case o.Timeout != 0 && (o.Timeout < minTimeout || o.Timeout > maxTimeout):
		return fmt.Errorf("browserbase: timeout %s is not between %s and %s", o.Timeout, minTimeout, maxTimeout)
	}
	return nil
}

// Open creates a session and attaches to its browser. Closing the browser releases
// the session, and so does every failure on the way.
func Open(ctx context.Context, opts *Options) (*browser.Browser, error) {
	s, err := Create(ctx, opts)
	if err != nil {
		return nil, err
	}
	return s.Attach(ctx)
}

// Session is a browser at the service. It costs until it is released.
type Session struct {
	ID     string
	Region string
	// Live is where a person can watch the browser as long as it runs, "" when the
	// service does not say. Whoever has it can operate the browser.
	Live string
	// Inspect is where the session can be looked at later, after logging in.
	Inspect string

	connect string // holds the key
	client  *client
}

// Create asks for a session. Limits and failures of the service are waited out as
// long as the context lasts, a few times.
func Create(ctx context.Context, opts *Options) (*Session, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	c := newClient(opts)
	timeout := opts.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	body := map[string]any{"timeout": int(timeout.Seconds()), "browserSettings": map[string]any{"viewport": map[string]int{"width": 1280, "height": 720}}}
	if opts.ProjectID != "" {
		body["projectId"] = opts.ProjectID
	}
	if opts.Region != "" {
		body["region"] = opts.Region
	}
	if opts.KeepAlive {
		body["keepAlive"] = true
	}
	if opts.Proxies {
		body["proxies"] = true
	}
	if len(opts.Metadata) > 0 {
		body["userMetadata"] = opts.Metadata
	}
	var made struct {
		ID         string `json:"id"`
		Status     string `json:"status"`
		Region     string `json:"region"`
		ProjectID  string `json:"projectId"`
		ConnectURL string `json:"connectUrl"`
	}
	if err := c.call(ctx, "creating a session", http.MethodPost, "/v1/sessions", body, &made); err != nil {
		return nil, err
	}
	s := &Session{ID: made.ID, Region: made.Region, Inspect: inspector + url.PathEscape(made.ID), connect: made.ConnectURL, client: c}
	if c.project == "" {
		c.project = made.ProjectID
	}
	if made.ID == "" || made.ConnectURL == "" {
		err := errors.New("creating a session: Browserbase names no address to connect to")
		if made.ID != "" {
			err = errors.Join(err, s.Release())
		}
		return nil, err
	}
	var debug struct {
		URL string `json:"debuggerFullscreenUrl"`
	}
	if err := c.once(ctx, "asking for the live view", http.MethodGet, "/v1/sessions/"+url.PathEscape(s.ID)+"/debug", nil, &debug); err != nil {
		c.log.Debug("browserbase", "error", err) // one can do without watching
	}
	s.Live = debug.URL
	c.log.Info("browserbase session", "id", s.ID, "region", s.Region, "inspect", s.Inspect)
	return s, nil
}

// Attach connects to the session's browser. Closing it releases the session.
func (s *Session) Attach(ctx context.Context) (*browser.Browser, error) {
	return browser.Attach(ctx, s.connect, &browser.AttachOptions{Log: s.client.log, Release: s.Release, Inspect: s.Inspect})
}

// Release ends the session. It does not depend on the context of a run, which may
// have ended already: a session that is forgotten costs until its timeout. One that
// has ended by itself needs no release.
func (s *Session) Release() error {
	ctx, cancel := context.WithTimeout(context.Background(), releaseLimit)
	defer cancel()
	body := map[string]any{"status": "REQUEST_RELEASE"}
	if s.client.project != "" {
		body["projectId"] = s.client.project
	}
	err := s.client.call(ctx, "releasing session "+s.ID, http.MethodPost, "/v1/sessions/"+url.PathEscape(s.ID), body, nil)
	var e *Error
	if errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusGone || e.Status == http.StatusConflict) {
		return nil
	}
	return err
}

type client struct {
	base, key, project string
	http               *http.Client
	log                *slog.Logger
}

func newClient(o *Options) *client {
	c := &client{base: strings.TrimSuffix(o.BaseURL, "/"), key: o.APIKey, project: o.ProjectID, http: o.HTTP, log: o.Log}
	if c.base == "" {
		c.base = defaultBase
	}
	if c.http == nil {
		// Redirects are not followed: the key would go along.
		c.http = &http.Client{Timeout: callLimit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// call is once, again after a while when the service is busy or broken.
func (c *client) call(ctx context.Context, doing, method, path string, body, reply any) error {
	wait := time.Second
	for n := 1; ; n++ {
		err := c.once(ctx, doing, method, path, body, reply)
		var later *retryError
		if !errors.As(err, &later) {
			return err
		}
		if later.after > 0 {
			wait = later.after
		}
		deadline, bounded := ctx.Deadline()
		if n == attempts || wait > maxWait || bounded && time.Until(deadline) < wait {
			return later.err
		}
		c.log.Info("browserbase is waited for", "seconds", wait.Seconds(), "error", later.err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(later.err, ctx.Err())
		}
		wait *= 2
	}
}

// retryError may go away by itself.
type retryError struct {
	err   error
	after time.Duration // as the service asks for, 0 when it does not say
}

func (e *retryError) Error() string { return e.err.Error() }
func (e *retryError) Unwrap() error { return e.err }

func (c *client) once(ctx context.Context, doing, method, path string, body, reply any) error {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	req.Header.Set("X-BB-API-Key", c.key)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
		if ctx.Err() != nil || method == http.MethodPost && path == "/v1/sessions" {
			return err // a session may have been made: another would be one too many
		}
		return &retryError{err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		refusal := &Error{Doing: doing, Status: resp.StatusCode, Message: message(data)}
		if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
			seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 when it does not say
			return &retryError{refusal, time.Duration(seconds) * time.Second}
		}
		return refusal
	}
	if reply == nil {
		return nil
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return fmt.Errorf("%s: what Browserbase answers cannot be read: %w", doing, err)
	}
	return nil
}

// message is what the service says about a refusal.
func message(data []byte) string {
	var e struct {
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return ""
	}
	text := e.Message
	if text == "" {
		text = e.Error
	}
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return text
}
