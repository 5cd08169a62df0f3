package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/metadata"
)

// Problem is what goes wrong, as RFC 9457 tells it.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail is a sentence for a person.
	Detail string `json:"detail,omitempty"`

	retry time.Duration
}

func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

func problem(status int, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail}
}

// asProblem says of an error what may be said to anybody. What it does not know
// stays in the log.
func asProblem(err error) *Problem {
	var p *Problem
	var meta *metadata.Error
	var rubric *metadata.RubricError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, store.ErrNotFound), errors.Is(err, evidence.ErrNotFound), errors.Is(err, evidence.ErrName):
		return problem(http.StatusNotFound, "There is nothing here under this name.")
	case errors.Is(err, queue.ErrEnded), errors.Is(err, queue.ErrNotRetryable):
		return problem(http.StatusConflict, sentence(err.Error()))
	case errors.Is(err, store.ErrKeyTaken):
		return problem(http.StatusConflict, "The idempotency key was used for another game or other settings before.")
	case errors.As(err, &meta), errors.As(err, &rubric):
		return problem(http.StatusUnprocessableEntity, sentence(err.Error()))
	case errors.As(err, &large):
		return problem(http.StatusRequestEntityTooLarge, "The request is larger than "+strconv.FormatInt(large.Limit, 10)+" bytes.")
	case errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, "That took too long. Try again in a moment.")
	}
	return problem(http.StatusInternalServerError, "Something went wrong on the server. Its log says what.")
}

// fail answers with what went wrong.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := asProblem(err)
	if p.Status >= 500 && r.Context().Err() == nil {
		s.log.Error("request", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(p.retry.Seconds())))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="playtest"`)
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone when this fails
}

// sentence begins with a capital letter and ends with a stop.
func sentence(text string) string {
	if text == "" {
		return text
	}
	if c := text[0]; 'a' <= c && c <= 'z' {
		text = string(c-'a'+'A') + text[1:]
	}
	switch text[len(text)-1] {
	case '.', '!', '?':
		return text
	}
	return text + "."
}
