package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"playtest/browser/cdp"
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
	TLSError  string   // set when the answer was taken in spite of a bad certificate
}

// NavigationError says why a page could not be opened.
type NavigationError struct {
	URL    string
	Reason string // Chromium's words, such as net::ERR_NAME_NOT_RESOLVED
	Kind   string // "dns", "connection", "tls", "redirects", "timeout", "download", "aborted", "blocked", "url", "protocol", "crash", "closed", "other"
	Err    error  // the error behind it, if there is one
}

func (e *NavigationError) Error() string {
	return fmt.Sprintf("navigating to %s: %s", clip(e.URL, 200), e.Reason)
}

func (e *NavigationError) Unwrap() error { return e.Err }

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

	res, err := protocol.Call(cdp.WithTimeout(ctx, timeout), p.root, page.Navigate, page.NavigateParams{URL: url, Referrer: opts.Referrer})
	if err != nil {
		return nil, p.navigationFailed(url, timeout, err)
	}
	request := p.log.document(string(res.LoaderID))
	if res.ErrorText != "" {
		if request == nil || request.Status == 0 || res.IsDownload {
			return nil, refused(url, res)
		}
		// An answer without a body that Chromium shows its own page for.
	}
	if res.LoaderID == "" { // within the document
		return &Response{URL: p.URL()}, nil
	}
	err = p.wait(ctx, func() bool { return p.main.loader == string(res.LoaderID) && p.main.url != "" })
	if err != nil {
		return nil, p.navigationFailed(url, timeout, err)
	}
	r := &Response{URL: p.URL()}
	if request = p.log.document(string(res.LoaderID)); request != nil {
		r.Status, r.MIMEType, r.Headers = request.Status, request.MIMEType, request.ResponseHeaders
		r.FromCache, r.Redirects = request.FromCache, request.Redirects
	}
	return r, nil
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

func refused(url string, res page.NavigateResult) error {
	e := &NavigationError{URL: url, Reason: res.ErrorText, Kind: kindOf(res.ErrorText)}
	if res.IsDownload {
		e.Kind, e.Reason = "download", "the address is a download"
	}
	return e
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
