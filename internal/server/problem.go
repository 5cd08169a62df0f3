package server

import (
	"context"
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
	var quota *store.QuotaError
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
	case errors.As(err, &quota):
		p := problem(http.StatusTooManyRequests, quota.Reason)
		p.retry = time.Minute
		return p
	case errors.As(err, &large):
		return problem(http.StatusRequestEntityTooLarge, "The request is larger than "+strconv.FormatInt(large.Limit, 10)+" bytes.")
	case errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, "That took too long. Try again in a moment.")
	}
	return problem(http.StatusInternalServerError, "Something went wrong on the server. Its log says what.")
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
