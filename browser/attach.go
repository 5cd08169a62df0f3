package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// AttachOptions tune Attach.
type AttachOptions struct {
	Header  http.Header   // sent with the handshake, for services that want a token
	Log     *slog.Logger  // nowhere if nil
	Timeout time.Duration // for the browser to answer, 30 s if zero
	// Release is called once after Close has let go of the browser, and when
	// attaching fails: for services that count the time until they are told.
	Release func() error
	// Inspect is where a person can look at the browser, for reports.
	Inspect string
}

// Attach connects to a browser that somebody else runs: a DevTools WebSocket
// address (ws://, wss://) or the http:// address of its debugging port. Close
// then closes what we opened and leaves the browser running.
func Attach(ctx context.Context, address string, opts *AttachOptions) (*Browser, error) {
	if opts == nil {
		opts = &AttachOptions{}
	}
	b, err := attach(ctx, address, opts)
	if err != nil && opts.Release != nil {
		err = errors.Join(err, opts.Release())
	}
	return b, err
}

func attach(ctx context.Context, address string, opts *AttachOptions) (*Browser, error) {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, cdp.ErrTimeout)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("attaching to a browser: the address is no URL")
	}
	ws := address
	if u.Scheme == "http" || u.Scheme == "https" {
		if ws, err = debuggerURL(ctx, u, opts.Header); err != nil {
			return nil, fmt.Errorf("attaching to %s: %w", u.Host, err)
		}
	} else if u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, fmt.Errorf("attaching to a browser: scheme %q, want ws, wss, http or https", u.Scheme)
	}
	transport, err := cdp.Dial(ctx, ws, opts.Header)
	if err != nil {
		return nil, fmt.Errorf("attaching to %s: %w", u.Host, err)
	}
	b := newBrowser(cdp.New(transport, &cdp.Options{Log: log}), nil, log)
	if err := b.start(ctx, timeout); err != nil {
		return nil, errors.Join(fmt.Errorf("attaching to %s: %w", u.Host, err), b.Close())
	}
	b.release, b.inspect = opts.Release, opts.Inspect
	return b, nil
}

// debuggerURL asks a debugging port for its WebSocket address.
func debuggerURL(ctx context.Context, u *url.URL, header http.Header) (string, error) {
	ask := *u
	if !strings.HasSuffix(ask.Path, "/json/version") {
		ask.Path = strings.TrimSuffix(ask.Path, "/") + "/json/version"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ask.String(), nil)
	if err != nil {
		return "", errors.New("asking for the debugger's address: bad address")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}}
	resp, err := client.Do(req)
	if err != nil {
		// The outer error repeats the address, which may hold a token.
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return "", fmt.Errorf("asking for the debugger's address: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("asking for the debugger's address: %s", resp.Status)
	}
	var v struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&v); err != nil || v.URL == "" {
		return "", errors.New("asking for the debugger's address: no DevTools there")
	}
	return v.URL, nil
}
