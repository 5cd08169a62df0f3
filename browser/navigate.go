package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// NavigateOptions tune Navigate.
type NavigateOptions struct {
	Timeout  time.Duration // until the new document has committed, 30 s if zero
	Referrer string
}

// Response is what a navigation got.
type Response struct {
	URL       string // after redirects
	Status    int    // 0 where there is no HTTP, as for data: addresses
	MIMEType  string
	Headers   map[string]string
	FromCache bool
	Redirects []string // addresses that redirected, in order
}

// NavigationError says why a page could not be opened.
type NavigationError struct {
	URL    string
	Reason string // Chromium's words, such as net::ERR_NAME_NOT_RESOLVED
	Kind   string // "dns", "connection", "tls", "redirects", "timeout", "download", "aborted", "blocked", "url", "protocol", "crash", "closed", "refused", "other"
	Err    error  // the error behind it, if there is one
}

func (e *NavigationError) Error() string {
	return fmt.Sprintf("navigating to %s: %s", clip(e.URL, 200), e.Reason)
}

func (e *NavigationError) Unwrap() error { return e.Err }

// ForgetHistory leaves a page nothing to go back to, as in a tab of its own: the
// blank page that it was opened with would be.
func (p *Page) ForgetHistory(ctx context.Context) error {
	for try := 0; ; try++ {
		err := p.root.Call(ctx, page.CommandResetNavigationHistory, nil, nil)
		var perr *cdp.Error
		if errors.As(err, &perr) && strings.Contains(perr.Message, "Not attached to an active page") && try < 20 {
			// The document that has just committed takes over in a moment.
			if err := pause(ctx, 10*time.Millisecond); err != nil {
				return fmt.Errorf("forgetting history: %w", err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("forgetting history: %w", err)
		}
		return nil
	}
}

// Navigate opens an address in the main frame and returns when the new document
// has committed, which is before it has loaded; see WaitLoad. Answers such as
// 404 are no errors: look at the status.
func (p *Page) Navigate(ctx context.Context, url string, opts *NavigateOptions) (*Response, error) {
	if opts == nil {
		opts = &NavigateOptions{}
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, cdp.ErrTimeout)
	defer cancel()
	p.leave(1)
	defer p.leave(-1)

	n := p.navigation()
	reply := p.root.Start(page.CommandNavigate, page.NavigateParams{URL: url, Referrer: opts.Referrer})
	if err := n.committing(ctx, reply); err != nil {
		return nil, p.navigationFailed(url, timeout, err)
	}
	var res page.NavigateResult
	if err := reply.Wait(cdp.WithTimeout(ctx, timeout), &res); err != nil {
		return nil, p.navigationFailed(url, timeout, err)
	}
	if res.ErrorText != "" && res.ErrorText != errStatus {
		return nil, n.refused(ctx, url, res)
	}
	if res.LoaderID == "" { // within the document
		return &Response{URL: p.URL()}, nil
	}
	request, err := n.committed(ctx, string(res.LoaderID))
	if err != nil {
		return nil, p.navigationFailed(url, timeout, err)
	}
	r := &Response{URL: p.URL()}
	if request != nil {
		r.Status, r.MIMEType, r.Headers = request.Status, request.MIMEType, request.ResponseHeaders
		r.FromCache, r.Redirects = request.FromCache, request.Redirects
	}
	return r, nil
}

// errStatus is Chromium's word for an answer such as 404 that has no body to
// show. It is an answer all the same.
const errStatus = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"

var errNoContent = errors.New("the answer has no content")

// navigation is one under way.
type navigation struct {
	page    *Page
	since   int // requests seen before it
	crashes int
}

func (p *Page) navigation() *navigation {
	since := p.log.Counts().Requests
	p.mu.Lock()
	defer p.mu.Unlock()
	return &navigation{page: p, since: since, crashes: p.crashes}
}

func (n *navigation) crashed() bool { return n.page.crashes != n.crashes }

// committing waits until Chromium has answered. To an answer without content
// it never reacts, so the log has to tell.
func (n *navigation) committing(ctx context.Context, reply *cdp.Reply) error {
	p := n.page
	for {
		p.mu.Lock()
		err, changed := p.err, p.changed
		switch {
		case err != nil:
		case n.crashed():
			err = ErrCrashed
		case p.log.noContent(n.since, p.main.id):
			err = errNoContent
		}
		p.mu.Unlock()
		if err != nil {
			return err
		}
		select {
		case <-reply.Done():
			return nil
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// committed waits until the loader's document is the page's, and is answered.
func (n *navigation) committed(ctx context.Context, loader string) (*Request, error) {
	var request *Request
	err := n.page.waitFor(ctx, func() (bool, error) {
		if n.crashed() {
			return false, ErrCrashed
		}
		main := n.page.main
		if main.loader != loader || main.url == "" {
			return false, nil
		}
		request = n.page.log.document(loader)
		return !strings.HasPrefix(main.url, "http") || request != nil && (request.Status != 0 || !request.End.IsZero()), nil
	})
	return request, err
}

func (p *Page) navigationFailed(url string, timeout time.Duration, err error) error {
	e := &NavigationError{URL: url, Reason: err.Error(), Kind: "other", Err: err}
	var refusal *cdp.Error
	switch {
	case errors.Is(err, cdp.ErrTimeout) || errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Reason = "timeout", fmt.Sprintf("no answer within %v", timeout)
		p.root.Start(page.CommandStopLoading, nil)
	case errors.Is(err, context.Canceled):
		e.Kind, e.Reason = "aborted", "cancelled"
		p.root.Start(page.CommandStopLoading, nil)
	case errors.Is(err, errNoContent):
		e.Kind, e.Reason = "aborted", err.Error()
	case errors.Is(err, ErrCrashed):
		e.Kind, e.Reason = "crash", "the page crashed"
	case p.Closed():
		e.Kind, e.Err = "closed", p.Err()
		e.Reason = e.Err.Error()
	case cdp.IsGone(err):
		e.Kind, e.Reason = "closed", ErrPageClosed.Error()
	case errors.As(err, &refusal):
		e.Reason = refusal.Message
		if strings.Contains(strings.ToLower(refusal.Message), "url") {
			e.Kind = "url"
		}
	}
	return e
}

func (n *navigation) refused(ctx context.Context, url string, res page.NavigateResult) error {
	e := &NavigationError{URL: url, Reason: res.ErrorText, Kind: kindOf(res.ErrorText)}
	if n.page.log.proxy != nil && unanswered(res.ErrorText) {
		n.explain(ctx, e, string(res.LoaderID))
	}
	if res.IsDownload {
		e.Kind, e.Reason = "download", "the address is a download"
	}
	return e
}

// explain asks the log what the proxy said about the document, which may have
// been somewhere else after redirects.
func (n *navigation) explain(ctx context.Context, e *NavigationError, loader string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var request *Request
	_ = n.page.waitFor(ctx, func() (bool, error) {
		request = n.page.log.document(loader)
		return request != nil && !request.End.IsZero(), nil
	})
	switch {
	case request == nil || request.Failed == "":
	case request.Refused != "":
		e.Kind, e.Reason = "refused", fmt.Sprintf("playtest refused to open %s: it is %s", hostPort(request.URL), request.Refused)
	default:
		e.Kind, e.Reason = kindOf(request.Failed), request.Failed
	}
}

// kinds are tried in order; the first that is part of the reason counts.
var kinds = []struct{ part, kind string }{
	{"ERR_NAME_", "dns"}, {"ERR_DNS_", "dns"}, {"ERR_ICANN", "dns"},
	{"TIMED_OUT", "timeout"},
	{"ERR_TOO_MANY_REDIRECTS", "redirects"},
	{"ERR_CERT_", "tls"}, {"ERR_SSL_", "tls"}, {"ERR_BAD_SSL", "tls"}, {"ERR_TLS", "tls"},
	{"ERR_CONNECTION_", "connection"}, {"ERR_ADDRESS_", "connection"}, {"ERR_INTERNET_", "connection"},
	{"ERR_NETWORK_", "connection"}, {"ERR_SOCKET", "connection"}, {"ERR_PROXY", "connection"}, {"ERR_TUNNEL", "connection"},
	{"ERR_EMPTY_RESPONSE", "connection"},
	{"ERR_BLOCKED", "blocked"}, {"ERR_UNSAFE_PORT", "blocked"}, {"ERR_ACCESS_DENIED", "blocked"},
	{"ERR_ABORTED", "aborted"},
	{"URL", "url"}, {"ERR_FILE_", "url"},
	{"ERR_HTTP", "protocol"}, {"ERR_INVALID_", "protocol"}, {"ERR_RESPONSE_", "protocol"}, {"ERR_CONTENT_", "protocol"},
	{"ERR_INCOMPLETE_", "protocol"},
}

func kindOf(reason string) string {
	for _, k := range kinds {
		if strings.Contains(reason, k.part) {
			return k.kind
		}
	}
	return "other"
}

// Load states for WaitLoad.
const (
	Interactive = "interactive" // the document is parsed
	Complete    = "complete"    // and its pictures and scripts are there
	NetworkIdle = "networkidle" // and nothing was asked for during half a second
)

// WaitLoad waits until the main frame's document has come as far as state.
func (p *Page) WaitLoad(ctx context.Context, state string) error {
	name, ok := map[string]string{Interactive: "DOMContentLoaded", Complete: "load", NetworkIdle: "networkIdle"}[state]
	if !ok {
		return fmt.Errorf("waiting for load: unknown state %q", state)
	}
	if err := p.wait(ctx, func() bool { return p.main.lifecycle[name] }); err != nil {
		return fmt.Errorf("waiting for load state %s: %w", state, err)
	}
	return nil
}
