package lambda

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// eventError is an event that cannot be answered, with its HTTP status.
type eventError struct {
	status  int
	message string
}

func (e *eventError) Error() string { return e.message }

func bad(format string, args ...any) error {
	return &eventError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// event is what a caller sends, as it is or as the body of an HTTP request.
type event struct {
	GameURL  string          `json:"gameUrl"`
	Metadata json.RawMessage `json:"metadata"`
	Config   *config         `json:"config"`
}

// config says how to play. Times are in seconds.
type config struct {
	Mode        record.Mode     `json:"mode"`
	MaxDuration float64         `json:"maxDuration"`
	Play        float64         `json:"play"`
	Seed        int64           `json:"seed"`
	Rubric      json.RawMessage `json:"rubric"`
}

// envelope is what API Gateway (both versions), function URLs and load balancers
// put around a body.
type envelope struct {
	Method  string `json:"httpMethod"` // version 1 and load balancers
	Context *struct {
		HTTP struct {
			Method string `json:"method"`
		} `json:"http"` // version 2 and function URLs
	} `json:"requestContext"`
	RawPath  *string `json:"rawPath"`
	Body     *string `json:"body"`
	IsBase64 bool    `json:"isBase64Encoded"`
}

func (e *envelope) isHTTP() bool { return e.Context != nil || e.Method != "" || e.RawPath != nil }

// maxEvent is what Lambda lets through, and more than any game needs.
const maxEvent = 6 << 20

// parse reads what to play. Every mistake is an *eventError.
func parse(payload []byte) (record.Target, error) {
	none := record.Target{}
	if len(payload) > maxEvent {
		return none, &eventError{http.StatusRequestEntityTooLarge, "the event is too long"}
	}
	trimmed := bytes.TrimSpace(payload)
	if !json.Valid(trimmed) {
		return none, bad("the event is no JSON")
	}
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return none, bad("the event is no JSON object: want {\"gameUrl\": \"https://...\"}")
	}
	var outer envelope
	if err := json.Unmarshal(trimmed, &outer); err == nil && outer.isHTTP() {
		var err error
		if trimmed, err = outer.content(); err != nil {
			return none, err
		}
	}
	var e event
	dec := json.NewDecoder(bytes.NewReader(trimmed))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return none, bad("the event cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return none, bad("the event has something after its end")
	}
	return e.target()
}

// content is the body of a request.
func (e *envelope) content() ([]byte, error) {
	method := e.Method
	if method == "" && e.Context != nil {
		method = e.Context.HTTP.Method
	}
	if method != "" && method != http.MethodPost {
		return nil, &eventError{http.StatusMethodNotAllowed, fmt.Sprintf("the method is %.20q: send a POST with {\"gameUrl\": \"https://...\"}", method)}
	}
	if e.Body == nil || strings.TrimSpace(*e.Body) == "" {
		return nil, bad("the request has no body: want {\"gameUrl\": \"https://...\"}")
	}
	body := []byte(*e.Body)
	if e.IsBase64 {
		var err error
		if body, err = base64.StdEncoding.DecodeString(*e.Body); err != nil {
			return nil, bad("the body is said to be base64 and is not")
		}
	}
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' || !json.Valid(body) {
		return nil, bad("the body is no JSON object")
	}
	return body, nil
}

func (e *event) target() (record.Target, error) {
	t := record.Target{URL: e.GameURL, Mode: record.ModeStandard}
	if e.GameURL == "" {
		return t, bad("gameUrl is missing")
	}
	if c := e.Config; c != nil {
		if c.Mode != "" {
			t.Mode = c.Mode
		}
		t.Seed = c.Seed
		for _, d := range []struct {
			name    string
			seconds float64
			to      *time.Duration
		}{{"maxDuration", c.MaxDuration, &t.MaxDuration}, {"play", c.Play, &t.Play}} {
			if d.seconds != 0 && (d.seconds < 1 || d.seconds > record.MaxMaxDuration.Seconds()) {
				return t, bad("config.%s is %g: want seconds, from 1 to %.0f", d.name, d.seconds, record.MaxMaxDuration.Seconds())
			}
			*d.to = time.Duration(d.seconds * float64(time.Second))
		}
		if given(c.Rubric) {
			r, err := metadata.ParseRubric(c.Rubric)
			if err != nil {
				return t, bad("config.rubric: %v", err)
			}
			t.Rubric = r
		}
	}
	if t.Mode == record.ModeAgent {
		return t, bad("config.mode agent needs a model, which this function has not: use standard or adaptive")
	}
	if given(e.Metadata) {
		if e.Metadata[0] != '{' {
			return t, bad("metadata is no object")
		}
		m, err := metadata.Parse(e.Metadata)
		if err != nil {
			return t, bad("metadata: %v", err)
		}
		t.Metadata = m
	}
	if err := t.Validate(); err != nil {
		return t, bad("%v", err)
	}
	return t, nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
