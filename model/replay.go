package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"
)

// A recording is JSON lines, one exchange a line. Pictures are kept as hashes,
// keys not at all, so that one can be committed beside a test.

// exchange is one line of a recording.
type exchange struct {
	Model        string         `json:"model"`
	Key          string         `json:"key"` // of the request as recorded
	Capabilities Capabilities   `json:"capabilities"`
	Request      *Request       `json:"request"`
	Response     *Response      `json:"response,omitempty"`
	Error        *recordedError `json:"error,omitempty"`
}

type recordedError struct {
	Kind       string        `json:"kind"`
	Message    string        `json:"message,omitempty"`
	Status     int           `json:"status,omitempty"`
	RequestID  string        `json:"request_id,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Response   *Response     `json:"response,omitempty"`
}

// Recorder writes down what models are asked and answer. Safe for use by many
// goroutines.
type Recorder struct {
	secrets []Secret
	mu      sync.Mutex
	w       io.Writer
	err     error
}

// NewRecorder records to w. Secrets are scrubbed wherever they turn up; what
// looks like a key is scrubbed anyway.
func NewRecorder(w io.Writer, secrets ...Secret) *Recorder {
	return &Recorder{w: w, secrets: secrets}
}

// Format prints no fields whatever the verb: there are secrets among them.
func (r *Recorder) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "recorder") }

// Err is the first failure to write. The calls themselves are not failed for it.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Record is the model with its exchanges written down.
func (r *Recorder) Record(m Model) Model { return &recorded{Model: m, to: r} }

type recorded struct {
	Model
	to *Recorder
}

func (m *recorded) Capabilities() Capabilities {
	caps := Describe(m.Model)
	caps.Streaming = false // an exchange is recorded whole
	return caps
}

func (m *recorded) Generate(ctx context.Context, req *Request) (*Response, error) {
	resp, err := m.Model.Generate(ctx, req)
	m.to.write(m.Name(), m.Capabilities(), req, resp, err)
	return resp, err
}

func (r *Recorder) write(name string, caps Capabilities, req *Request, resp *Response, err error) {
	x := exchange{Model: name, Capabilities: caps, Request: hashImages(req), Response: resp}
	x.Key = Key(name, x.Request)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return // the caller's doing; a replay would blame the model
		}
		x.Error = &recordedError{Kind: failureWord(err), Message: err.Error()}
		if e := AsError(err); e != nil {
			x.Error = &recordedError{Kind: failureWord(e), Message: e.Message, Status: e.Status, RequestID: e.RequestID, RetryAfter: e.RetryAfter, Response: e.Response}
		}
	}
	line, err := json.Marshal(x)
	if err == nil {
		line, err = scrubJSON(line, r.secrets)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.w.Write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("record exchange: %w", err)
	}
}

// hashImages is the request with each picture replaced by its hash, and long
// encoded runs in vendors' raw blocks likewise.
func hashImages(req *Request) *Request {
	out := *req
	out.Messages = slices.Clone(req.Messages)
	for i := range out.Messages {
		out.Messages[i].Parts = hashParts(out.Messages[i].Parts)
	}
	return &out
}

// blob is a run of base64 too long to be anything a person wrote.
var blob = regexp.MustCompile(`[A-Za-z0-9+/_-]{900,}={0,2}`)

func hashParts(parts []Part) []Part {
	out := slices.Clone(parts)
	for i, p := range out {
		switch {
		case p.Image != nil:
			img := *p.Image
			img.Data = []byte(p.Image.Hash())
			out[i].Image = &img
		case p.ToolResult != nil:
			result := *p.ToolResult
			result.Parts = hashParts(result.Parts)
			out[i].ToolResult = &result
		}
		if p.Raw != nil {
			raw := *p.Raw
			raw.Data = blob.ReplaceAllFunc(raw.Data, func(b []byte) []byte {
				return []byte((&Image{Data: b}).Hash())
			})
			out[i].Raw = &raw
		}
	}
	return out
}

// Recording is exchanges to be replayed. Safe for use by many goroutines.
type Recording struct {
	mu      sync.Mutex
	answers map[string][]exchange // by key, in the order they were recorded
	caps    map[string]Capabilities
}

// maxLine bounds one exchange.
const maxLine = 16 << 20

// ReadRecording reads what a Recorder wrote.
func ReadRecording(r io.Reader) (*Recording, error) {
	rec := &Recording{answers: map[string][]exchange{}, caps: map[string]Capabilities{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var x exchange
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return nil, fmt.Errorf("read recording, line %d: %w", n, err)
		}
		if x.Response == nil && x.Error == nil {
			return nil, fmt.Errorf("read recording, line %d: neither response nor error", n)
		}
		rec.answers[x.Key] = append(rec.answers[x.Key], x)
		rec.caps[x.Model] = x.Capabilities
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	return rec, nil
}

// Models are the recorded models' names, sorted.
func (r *Recording) Models() []string {
	var names []string
	for name := range r.caps {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Replay is a model that answers from the recording and makes no call. A
// request that was made several times gets its answers in order, and the last
// one from then on; one that was not recorded is an error.
func (r *Recording) Replay(name string) Model { return &replayed{name: name, from: r} }

type replayed struct {
	name string
	from *Recording
}

func (m *replayed) Name() string { return m.name }

func (m *replayed) Capabilities() Capabilities { return m.from.caps[m.name] }

// ErrNotRecorded is a request that the recording has no answer to.
var ErrNotRecorded = errors.New("the request is not in the recording")

func (m *replayed) Generate(ctx context.Context, req *Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, TransportError(m.name, err)
	}
	key := Key(m.name, hashImages(req))
	m.from.mu.Lock()
	defer m.from.mu.Unlock()
	left := m.from.answers[key]
	if len(left) == 0 {
		last := ""
		if n := len(req.Messages); n > 0 {
			last = clip(req.Messages[n-1].Text(), 120)
		}
		return nil, fmt.Errorf("%s: %w: %q (key %.12s)", m.name, ErrNotRecorded, last, key)
	}
	x := left[0]
	if len(left) > 1 {
		m.from.answers[key] = left[1:]
	}
	if x.Error != nil {
		return nil, x.Error.asError(m.name)
	}
	return x.Response.clone(), nil
}

func (e *recordedError) asError(name string) error {
	out := &Error{Kind: ErrServer, Model: name, Message: e.Message, Status: e.Status, RequestID: e.RequestID, RetryAfter: e.RetryAfter, Response: e.Response}
	for kind, word := range failureWords {
		if word == e.Kind {
			out.Kind = kind
		}
	}
	return out
}
