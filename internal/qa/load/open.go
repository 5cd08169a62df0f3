package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

const (
	// maxRetries bounds how often a page is opened again.
	maxRetries = 2
	// maxWait is the longest that a server may ask us to stay away. One that asks
	// for more is not asked again.
	maxWait = 30 * time.Second
	// dnsWait is how long a resolver that knew no answer is left alone, at first.
	dnsWait = 500 * time.Millisecond
)

// OpenError is a page that could not be opened, in words for a person.
type OpenError struct {
	Failure record.LoadFailure
	Err     error // what the browser said, for the log
}

// Error returns the failure without the browser's own words.
func (e *OpenError) Error() string { return e.Failure.Message }

func (e *OpenError) Unwrap() error { return e.Err }

// open opens the game's address, again where waiting may help: the server is busy
// and says for how long, nobody answered, or the name was not found. Connections
// that fail and servers that break are the run's to try again.
func open(ctx context.Context, g *game.Game) error {
	rec := &g.Record.Load
	for i := 0; ; i++ {
		after, err := visit(ctx, g)
		if err == nil || rec.Failure == nil {
			return err
		}
		wait, again := pause(*rec, after, i)
		if !again || ctx.Err() != nil {
			return &OpenError{Failure: *rec.Failure, Err: err}
		}
		g.Emit(record.EventWarning, "%s; trying again in %s", rec.Failure.Message, wait.Round(100*time.Millisecond))
		retries := append(rec.Retries, record.LoadRetry{Failure: rec.Failure.Message, Waited: wait})
		select {
		case <-ctx.Done():
			return &OpenError{Failure: *rec.Failure, Err: err}
		case <-time.After(wait):
		}
		*rec = record.LoadRecord{Retries: retries}
	}
}

// pause says whether the page is worth another attempt, and how long to wait
// before it. After is the server's Retry-After.
func pause(rec record.LoadRecord, after string, attempt int) (time.Duration, bool) {
	if attempt >= maxRetries {
		return 0, false
	}
	switch f := rec.Failure; {
	case f.Kind == "dns" || f.Kind == "offline":
		return dnsWait << attempt, true
	case f.Kind == "timeout":
		// It had its time. A second attempt is quick where only the first was stuck.
		return time.Second, attempt == 0
	case f.Kind == "status" && rec.Status == http.StatusTooManyRequests:
		wait := retryAfter(after, time.Now())
		if wait == 0 {
			wait = time.Second << attempt
		}
		return wait, wait <= maxWait
	}
	return 0, false
}

// retryAfter reads a Retry-After header: seconds, or a date. 0 says nothing.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if n, err := strconv.Atoi(value); err == nil {
		return max(0, min(time.Duration(n)*time.Second, time.Hour))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// visit opens the address once. It returns the server's Retry-After, if it sent one.
func visit(ctx context.Context, g *game.Game) (after string, err error) {
	rec := &g.Record.Load
	nctx, cancel := context.WithTimeout(ctx, NavigateLimit)
	defer cancel()
	resp, err := g.Navigate(nctx, g.Record.Target.URL)
	if err != nil {
		var nav *browser.NavigationError
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.As(err, &nav):
			kind := nav.Kind
			if offline(nav.Reason) {
				kind = "offline"
			}
			rec.Failure = &record.LoadFailure{Kind: kind, Message: explain(kind, nav.Reason)}
		case nctx.Err() != nil:
			rec.Failure = &record.LoadFailure{Kind: "timeout", Message: explain("timeout", "")}
		case g.Page.Crashed():
			rec.Failure = &record.LoadFailure{Kind: "crash", Message: explain("crash", "")}
		default:
			rec.Failure = &record.LoadFailure{Kind: "aborted", Message: explain("", "")}
		}
		rec.Errors = append(rec.Errors, rec.Failure.Message)
		return "", fmt.Errorf("open %s: %w", g.Record.Target.URL, err)
	}
	rec.URL, rec.Status, rec.MIMEType = resp.URL, resp.Status, resp.MIMEType
	if resp.Status >= 400 {
		rec.Failure = &record.LoadFailure{Kind: "status", Message: fmt.Sprintf("the server answered with status %d", resp.Status)}
		rec.Errors = append(rec.Errors, rec.Failure.Message)
		g.Screenshot(ctx, record.StageInitialLoad, "phase1-initial-load", "what the server sent")
		return header(resp.Headers, "Retry-After"), fmt.Errorf("open %s: status %d", g.Record.Target.URL, resp.Status)
	}
	return "", nil
}

func header(all map[string]string, name string) string {
	for k, v := range all {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// offline: the browser found no network to ask.
func offline(reason string) bool {
	return slices.ContainsFunc([]string{"ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_NETWORK_IO_SUSPENDED"}, func(code string) bool {
		return strings.Contains(reason, code)
	})
}

// explain says in words of the user's world why a page cannot be opened. Reasons of
// the browser's own are repeated only where they are words.
func explain(kind, reason string) string {
	switch kind {
	case "dns":
		return "the game's host name could not be found"
	case "offline":
		return "there is no network"
	case "connection":
		return "the game's server could not be reached"
	case "tls":
		return "the game's server has no valid certificate"
	case "redirects":
		return "the game's address redirects in a loop"
	case "timeout":
		return "the game's server did not answer in time"
	case "download":
		return "the address offers a download instead of a page"
	case "blocked":
		return "the browser refuses to open this address"
	case "url":
		return "the browser cannot read this address"
	case "protocol":
		return "the server's answer is no valid web page"
	case "crash":
		return "the page crashed while it was opened"
	case "refused":
		return "the page could not be opened: " + reason // which are our own words
	}
	return "the page could not be opened"
}
