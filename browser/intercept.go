package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
)

// Stage is when a request is intercepted.
type Stage string

const (
	// AtRequest is before anything is sent.
	AtRequest Stage = "Request"
	// AtResponse is when the answer's headers are there and its body can be read.
	AtResponse Stage = "Response"
)

// Pattern picks requests. Its zero value picks all of them before they are sent.
type Pattern struct {
	URL   string // with * and ? as wildcards, everything if empty
	Stage Stage  // AtRequest if empty
	Type  string // such as "Script", everything if empty
}

// Answer is what becomes of an intercepted request.
type Answer struct {
	kind   string
	reason string
	status int
	header map[string]string
	body   []byte
}

// Continue lets the request, or its answer, through as it is.
func Continue() Answer { return Answer{} }

// Fail makes the request fail. The reason is one of Chromium's, such as
// "Failed", "ConnectionRefused", "BlockedByClient", "TimedOut"; "" is "Failed".
func Fail(reason string) Answer { return Answer{kind: "fail", reason: reason} }

// Fulfil answers the request ourselves, or replaces the answer that came.
func Fulfil(status int, header map[string]string, body []byte) Answer {
	return Answer{kind: "fulfil", status: status, header: header, body: body}
}

// Hold never answers: for the page the network hangs.
func Hold() Answer { return Answer{kind: "hold"} }

type interception struct {
	patterns []Pattern
	decide   func(*Request) Answer
}

func (i *interception) params() fetch.EnableParams {
	var p fetch.EnableParams
	for _, pat := range i.patterns {
		p.Patterns = append(p.Patterns, &fetch.RequestPattern{
			URLPattern: pat.URL, ResourceType: network.ResourceType(pat.Type), RequestStage: fetch.RequestStage(pat.Stage),
		})
	}
	return p
}

// Intercept has decide answer for every request of the page, its frames and
// workers that matches a pattern. It is called from several goroutines at a
// time. A nil decide ends the interception.
func (p *Page) Intercept(ctx context.Context, patterns []Pattern, decide func(*Request) Answer) error {
	var i *interception
	if decide != nil {
		if len(patterns) == 0 {
			patterns = []Pattern{{}}
		}
		i = &interception{patterns: patterns, decide: decide}
	}
	p.mu.Lock()
	p.intercept = i
	p.mu.Unlock()
	if err := p.refetch(ctx); err != nil {
		return fmt.Errorf("intercepting requests: %w", err)
	}
	return nil
}

func (p *Page) paused(s *Session, ev *fetch.EventRequestPaused) {
	p.mu.Lock()
	i, guards := p.intercept, len(p.guards)
	p.mu.Unlock()
	if i == nil && guards == 0 || ev.Request == nil {
		s.Start(fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
		return
	}
	r := &Request{
		ID: string(ev.NetworkID), URL: ev.Request.URL + ev.Request.URLFragment, Method: ev.Request.Method, Type: string(ev.ResourceType),
		FrameID: string(ev.FrameID), Headers: texts(ev.Request.Headers), Stage: AtRequest,
	}
	var post strings.Builder
	for _, part := range ev.Request.PostDataEntries {
		post.Write(part.Bytes)
	}
	r.PostData = post.String()
	if ev.ResponseStatusCode > 0 || ev.ResponseErrorReason != "" {
		r.Stage, r.Status, r.Failed = AtResponse, int(ev.ResponseStatusCode), string(ev.ResponseErrorReason)
		r.ResponseHeaders = make(map[string]string)
		for _, h := range ev.ResponseHeaders {
			if len(r.ResponseHeaders) < maxHeaders {
				r.ResponseHeaders[clip(h.Name, maxName)] = clip(h.Value, maxText)
			}
			if http.CanonicalHeaderKey(h.Name) == "Content-Type" {
				r.MIMEType, _, _ = strings.Cut(h.Value, ";")
			}
		}
		r.body = func(ctx context.Context) ([]byte, error) {
			res, err := protocol.Call(ctx, s, fetch.GetResponseBody, fetch.GetResponseBodyParams{RequestID: ev.RequestID})
			if err != nil {
				return nil, fmt.Errorf("reading body: %w", err)
			}
			return res.Body, nil
		}
	}
	p.spawn(func() {
		switch {
		case !p.guarded(r):
			answer(s, ev, Fail(string(network.ErrorReasonAborted)))
		case i == nil || !i.wants(r): // paused for a guard's sake, or for a password's
			answer(s, ev, Continue())
		default:
			answer(s, ev, i.decide(r))
		}
	})
}

// answer sends the decision. There is nothing to do about a request that is
// gone in the meantime.
func answer(s *Session, ev *fetch.EventRequestPaused, a Answer) {
	switch a.kind {
	case "hold":
	case "fail":
		reason := network.ErrorReason(a.reason)
		if reason == "" {
			reason = network.ErrorReasonFailed
		}
		s.Start(fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
	case "fulfil":
		params := fulfilment{RequestID: ev.RequestID, ResponseCode: a.status, Body: a.body, ResponseHeaders: []*fetch.HeaderEntry{}}
		for name, value := range a.header {
			params.ResponseHeaders = append(params.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: value})
		}
		s.Start(fetch.CommandFulfillRequest, params)
	default:
		s.Start(fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}
}

// fulfilment is cdproto's FulfillRequestParams with a body that is sent even
// when it is empty; left out, Chromium would keep the body it got.
type fulfilment struct {
	RequestID       fetch.RequestID      `json:"requestId"`
	ResponseCode    int                  `json:"responseCode"`
	ResponseHeaders []*fetch.HeaderEntry `json:"responseHeaders"`
	Body            []byte               `json:"body"`
}
