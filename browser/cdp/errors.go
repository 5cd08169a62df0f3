package cdp

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is what calls get after Close.
	ErrClosed = errors.New("protocol connection closed")
	// ErrSessionClosed is what calls get whose target is gone.
	ErrSessionClosed = errors.New("protocol session closed")
	// ErrTimeout is what a call gets that was not answered in its time.
	ErrTimeout = errors.New("no answer from the browser")
	// ErrOverflow ends what could not keep up: a must-deliver queue nobody
	// drains, or calls to a browser that does not read.
	ErrOverflow = errors.New("queue overflow")
)

// codeSessionNotFound is Chromium's answer to a message for a session that has
// ended in the meantime.
const codeSessionNotFound = -32001

// LostError ends a connection that the other side or the system broke.
type LostError struct{ Err error }

func (e *LostError) Error() string { return fmt.Sprintf("protocol connection lost: %v", e.Err) }
func (e *LostError) Unwrap() error { return e.Err }

// Error is Chromium's own refusal of a call.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

func (e *Error) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("%s: %s (%d)", e.Message, e.Data, e.Code)
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// CallError tells which call failed, and why.
type CallError struct {
	Method string
	Err    error
}

func (e *CallError) Error() string { return fmt.Sprintf("%s: %v", e.Method, e.Err) }
func (e *CallError) Unwrap() error { return e.Err }
