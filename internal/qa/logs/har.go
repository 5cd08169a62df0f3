package logs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// The HTTP Archive format, version 1.2, as far as it is used here. Headers,
// cookies and bodies are left out: they may hold what is nobody's business.
type (
	har struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harName    `json:"creator"`
		Browser harName    `json:"browser"`
		Pages   []harPage  `json:"pages"`
		Entries []harEntry `json:"entries"`
	}
	harName struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harPage struct {
		Started string   `json:"startedDateTime"`
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Timings struct{} `json:"pageTimings"`
	}
	harEntry struct {
		Page     string      `json:"pageref"`
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Type     string      `json:"_resourceType,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		Query       []harPair `json:"queryString"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
		Error       string     `json:"_error,omitempty"`
	}
	harContent struct {
		Size     int64  `json:"size"`
		MIMEType string `json:"mimeType"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
)

// HAR is what the page loaded, for the network panel of any browser.
func HAR(p Page, rec *record.Record) ([]byte, error) {
	const page = "page_1"
	out := har{harLog{
		Version: "1.2",
		Creator: harName{"playtest", record.Version},
		Browser: harName{"Chromium", rec.Environment.Browser},
		Pages:   []harPage{{Started: rec.Started.UTC().Format(time.RFC3339Nano), ID: page, Title: rec.Target.URL}},
		Entries: []harEntry{},
	}}
	requests := slices.Clone(p.Requests)
	slices.SortStableFunc(requests, func(a, b browser.Request) int { return a.Start.Compare(b.Start) })
	for _, r := range requests {
		took := 0.0
		if !r.End.IsZero() {
			took = max(0, float64(r.End.Sub(r.Start).Microseconds())/1000)
		}
		size := r.Bytes
		if r.FromCache {
			size = 0
		}
		failure := r.Failed
		if r.Blocked != "" {
			failure = r.Blocked
		}
		out.Log.Entries = append(out.Log.Entries, harEntry{
			Page: page, Started: r.Start.UTC().Format(time.RFC3339Nano), Time: took, Type: r.Type,
			Request: harRequest{
				Method: r.Method, URL: r.URL, Cookies: []harPair{}, Headers: []harPair{}, Query: query(r.URL), HeadersSize: -1, BodySize: -1,
			},
			Response: harResponse{
				Status: r.Status, Cookies: []harPair{}, Headers: []harPair{}, HeadersSize: -1, BodySize: size, Error: failure,
				Content: harContent{Size: r.Bytes, MIMEType: r.MIMEType},
			},
			Timings: harTimings{Wait: took},
		})
	}
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the network archive: %w", err)
	}
	return append(data, '\n'), nil
}

func query(address string) []harPair {
	out := []harPair{}
	u, err := url.Parse(address)
	if err != nil {
		return out
	}
	for name, values := range u.Query() {
		for _, v := range values {
			out = append(out, harPair{name, v})
		}
	}
	slices.SortStableFunc(out, func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
	return out
}
