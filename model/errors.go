package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What can go wrong, to be told apart with errors.Is.
var (
	ErrAuth           = errors.New("the key was not accepted")
	ErrPermission     = errors.New("the key may not do this")
	ErrNotFound       = errors.New("no such model")
	ErrQuota          = errors.New("the account's quota is used up")
	ErrRateLimit      = errors.New("too many requests")
	ErrOverloaded     = errors.New("the service is overloaded")
	ErrServer         = errors.New("the service failed")
	ErrTimeout        = errors.New("no answer in time")
	ErrNetwork        = errors.New("the service could not be reached")
	ErrBroken         = errors.New("the answer broke off")
	ErrGarbage        = errors.New("the answer could not be read")
	ErrEmpty          = errors.New("the answer is empty")
	ErrContextTooLong = errors.New("the request is too long for the model")
	ErrImage          = errors.New("an image was not accepted")
	ErrBadRequest     = errors.New("the request was not accepted")
	ErrUnsupported    = errors.New("the model cannot do this")
	ErrRefusal        = errors.New("the model refused")
	ErrFilter         = errors.New("a content filter stopped the answer")
	ErrSchema         = errors.New("the answer does not fit the schema")
	ErrLength         = errors.New("the answer was cut off")

	ErrBudget       = errors.New("the budget would be exceeded")
	ErrPriceUnknown = errors.New("the model's price is not known")
	ErrCircuitOpen  = errors.New("the provider is failing and is being left alone")
	ErrNoModel      = errors.New("no model is configured")
)

// Error is a failed call. It holds no vendor's error value, because those keep
// the HTTP request and with it the key.
type Error struct {
	Kind  error  // one of the above
	Model string // Name of the model
	// Message is the vendor's explanation, scrubbed and cut to a sane length.
	Message   string
	Status    int // HTTP status, 0 when there was none
	RequestID string
	// RetryAfter is how long the vendor asked to be left alone, 0 when it
	// did not say.
	RetryAfter time.Duration
	// Response is what came with a refusal, a filter stop or a cut-off
	// answer: it has been paid for.
	Response *Response

	cause error // the context's error, where that is what ended the call
}

// Error names the model, what went wrong and the vendor's words.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	b.WriteString(e.Kind.Error())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.RequestID != "" {
		b.WriteString(" [request " + e.RequestID + "]")
	}
	return b.String()
}

// Unwrap gives errors.Is the kind and the context's error.
func (e *Error) Unwrap() []error {
	if e.cause != nil {
		return []error{e.Kind, e.cause}
	}
	return []error{e.Kind}
}

// retryable says whether the same call to the same provider may work soon.
func (e *Error) retryable() bool {
	switch e.Kind {
	case ErrRateLimit, ErrOverloaded, ErrServer, ErrNetwork, ErrBroken, ErrGarbage, ErrEmpty:
		return true
	}
	return false
}

// failover says whether another provider may answer where this one did not:
// everything that is the provider's trouble and not the request's.
func (e *Error) failover() bool {
	if e.retryable() {
		return true
	}
	switch e.Kind {
	case ErrTimeout, ErrAuth, ErrPermission, ErrNotFound, ErrQuota, ErrUnsupported, ErrContextTooLong, ErrCircuitOpen, ErrPriceUnknown:
		return true
	}
	return false
}

// ill says whether the failure speaks against the provider's health, which is
// what a circuit breaker counts.
func (e *Error) ill() bool {
	switch e.Kind {
	case ErrOverloaded, ErrServer, ErrTimeout, ErrNetwork, ErrBroken, ErrGarbage:
		return true
	}
	return false
}

// maybeBilled says whether the vendor may have done work that it will charge
// for although no usage came back.
func (e *Error) maybeBilled() bool {
	switch e.Kind {
	case ErrTimeout, ErrBroken, ErrGarbage, ErrEmpty:
		return true
	}
	return false
}

// tooMuchSchema are the words in which vendors refuse a schema that is of the kind
// they take and more than they can enforce. How much that is they document in part.
var tooMuchSchema = []string{"grammar is too large", "too many states", "schema is too complex", "too many parameters", "levels of nesting"}

// schemaTooLarge says whether the same question may be answered without the
// vendor enforcing the shape of the answer.
func (e *Error) schemaTooLarge() bool {
	text := strings.ToLower(e.Message)
	return e.Kind == ErrBadRequest && slices.ContainsFunc(tooMuchSchema, func(w string) bool { return strings.Contains(text, w) })
}

// AsError is the call error in err's chain, or nil.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// TransportError turns what Go's HTTP client says into an Error. Adapters use
// it for everything that is not an answer of the vendor.
func TransportError(name string, err error, secrets ...Secret) *Error {
	e := &Error{Kind: ErrGarbage, Model: name, Message: clip(Scrub(err.Error(), secrets...), 300)}
	var timeout net.Error
	var network *net.OpError
	var request *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message, e.cause = ErrTimeout, "", context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		e.Kind, e.Message, e.cause = ErrTimeout, "canceled", context.Canceled
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind, e.Message = ErrTimeout, ""
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF),
		errors.Is(err, syscall.EPIPE), strings.Contains(err.Error(), "server closed idle connection"):
		e.Kind = ErrBroken
	case errors.As(err, &network), errors.As(err, &request):
		e.Kind = ErrNetwork
	}
	return e
}

// Garbage is the Error for an answer that is not what the vendor's protocol
// allows.
func Garbage(name, what string, secrets ...Secret) *Error {
	return &Error{Kind: ErrGarbage, Model: name, Message: clip(Scrub(what, secrets...), 300)}
}

// StatusKind is the usual meaning of an HTTP status, for adapters to refine
// with what the vendor's error body says.
func StatusKind(status int) error {
	switch {
	case status == http.StatusUnauthorized:
		return ErrAuth
	case status == http.StatusForbidden:
		return ErrPermission
	case status == http.StatusNotFound:
		return ErrNotFound
	case status == http.StatusPaymentRequired:
		return ErrQuota
	case status == http.StatusRequestEntityTooLarge:
		return ErrContextTooLong
	case status == http.StatusTooManyRequests:
		return ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return ErrTimeout
	case status == http.StatusServiceUnavailable, status == 529:
		return ErrOverloaded
	case status >= 500:
		return ErrServer
	case status >= 400:
		return ErrBadRequest
	}
	return ErrGarbage
}

// refinements tell, by the vendors' words, what a status alone leaves open.
// Compatible servers use OpenAI's statuses with words of their own.
var refinements = []struct {
	from  []error
	words []string
	to    error
}{
	{[]error{ErrBadRequest, ErrContextTooLong}, []string{"image exceeds", "image too large", "image_too_large", "invalid image", "invalid_image", "image dimensions", "could not process image", "unable to process input image", "image_parse_error", "unsupported image", "unsupported_image"}, ErrImage},
	{[]error{ErrBadRequest}, []string{"context_length_exceeded", "maximum context length", "context length", "prompt is too long", "exceeds the maximum number of tokens", "exceed context", "exceeds the available context", "context window", "input token count"}, ErrContextTooLong},
	{[]error{ErrBadRequest, ErrRateLimit, ErrPermission}, []string{"insufficient_quota", "exceeded your current quota, please check your plan", "credit balance", "billing_error", "billing_hard_limit"}, ErrQuota},
	{[]error{ErrBadRequest}, []string{"content_filter", "content_policy", "content management policy", "invalid_prompt"}, ErrFilter},
	{[]error{ErrBadRequest}, []string{"api key not valid", "api_key_invalid", "invalid_api_key"}, ErrAuth},
	{[]error{ErrBadRequest}, []string{"model_not_found", "is not found for api version"}, ErrNotFound},
}

// Refine is the kind that a status and the vendor's words make together.
func Refine(kind error, words ...string) error {
	text := strings.ToLower(strings.Join(words, " "))
	for _, r := range refinements {
		if slices.Contains(r.from, kind) && slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(text, w) }) {
			return r.to
		}
	}
	return kind
}

// RetryAfter reads the headers in which vendors say when to come back:
// retry-after-ms, or Retry-After in seconds or as a date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}

// clip shortens s to about n bytes without cutting a rune, and makes it one line.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Explain makes a vendor's message fit to be shown: one line, no secret, cut.
func Explain(message string, secrets ...Secret) string {
	return clip(Scrub(message, secrets...), 500)
}
