package main

import (
	"net"
	"testing"
	"time"
)

// Calls of a session are answered one after the other: a caller that connects
// and says nothing must not hold up the next one for ever.
func TestSessionDoesNotWaitForASilentCaller(t *testing.T) {
	old := sessionRead
	sessionRead = 50 * time.Millisecond
	defer func() { sessionRead = old }()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	done := make(chan bool, 1)
	go func() { done <- answerCall(t.Context(), ours, &keptPage{}) }()
	select {
	case end := <-done:
		if end {
			t.Error("a silent caller ended the session")
		}
	case <-time.After(10 * time.Second):
		t.Error("the session still waits")
	}
}
