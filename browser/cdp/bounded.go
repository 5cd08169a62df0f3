package cdp

import (
	"bytes"
	"fmt"
	"slices"
)

// What one message may take of our memory. Replies are what we asked for:
// pictures of very long pages stay well below. Events carry what a page says,
// and a page may say console.log('\u0001'.repeat(95e6)).
const (
	maxReply = 64 << 20
	maxEvent = 16 << 20
	// maxNoise bounds the events that a page can send at will and of which a few
	// kilobytes are kept. A flood of larger ones would hold up what other pages
	// of the browser are waiting for.
	maxNoise = 1 << 20

	// headSize is what is kept of a message that is skipped: enough to see which
	// call it answers or which event it is.
	headSize = 4 << 10
)

// TooLargeError says that a message was skipped because of its size. The
// connection goes on.
type TooLargeError struct {
	Size int
	// Head is how the message begins.
	Head []byte
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message of %d MiB skipped", e.Size>>20)
}

// maxReplies are the replies with another limit than maxReply: a page decides how
// much there is to say, and it takes many times its size once it is read.
var maxReplies = map[string]int{
	"Profiler.takePreciseCoverage": 12 << 20,
	"Runtime.evaluate":             8 << 20,
	"Runtime.callFunctionOn":       8 << 20,
}

// replyLimit is how large the reply to a call may be.
func replyLimit(method string) int {
	if limit, ok := maxReplies[method]; ok {
		return limit
	}
	return maxReply
}

// limiter is a transport that asks how large the reply to a call may be.
type limiter interface{ limitReplies(func(id int64) int) }

// noise are the beginnings of events that maxNoise holds for.
var noise = [][]byte{
	[]byte(`{"method":"Runtime.consoleAPICalled"`),
	[]byte(`{"method":"Runtime.exceptionThrown"`),
	[]byte(`{"method":"Log.entryAdded"`),
	[]byte(`{"method":"Network.webSocketFrame`),
}

// bounded collects the parts of a message and lets go of one that grows too
// large, so that reading past it costs no memory.
type bounded struct {
	data []byte
	size int
	// limit of this message, known from its first bytes; 0 before them.
	limit int
	// replies says how large the reply to a call may be, maxReply if nil.
	replies func(id int64) int
}

// reuse makes room for the next message in the memory of the last one, unless
// that was unusually large.
func (b *bounded) reuse() {
	if cap(b.data) > maxNoise {
		b.data = nil
	}
	b.data, b.size, b.limit = b.data[:0], 0, 0
}

// add takes the next part. The first one holds the beginning of the message.
func (b *bounded) add(part []byte) {
	if b.limit == 0 {
		b.limit = b.limitOf(part)
	}
	b.size += len(part)
	if !b.skipped() {
		if len(b.data)+len(part) > cap(b.data) { // twice as large: append would copy a megabyte ten times
			b.data = slices.Grow(b.data, max(len(part), len(b.data)))
		}
		b.data = append(b.data, part...)
	} else if len(b.data) > headSize {
		b.data = bytes.Clone(b.data[:headSize])
	}
}

func (b *bounded) skipped() bool { return b.size > b.limit }

// limitOf is the limit of a message that begins with head.
func (b *bounded) limitOf(head []byte) int {
	if isReply(head) {
		if b.replies != nil {
			return b.replies(replyID(head))
		}
		return maxReply
	}
	for _, n := range noise {
		if bytes.HasPrefix(head, n) {
			return maxNoise
		}
	}
	return maxEvent
}

func (b *bounded) done() ([]byte, error) {
	if b.skipped() {
		return nil, &TooLargeError{Size: b.size, Head: b.data}
	}
	return b.data, nil
}

// isReply tells an answer from an event by its first bytes: Chromium writes the
// id first, and events have none.
func isReply(m []byte) bool { return bytes.HasPrefix(m, []byte(`{"id":`)) }

// answers is the number of the call that a skipped message answers, 0 for an
// event.
func (e *TooLargeError) answers() int64 { return replyID(e.Head) }

// replyID reads the number of the call that a message answers, 0 for an event.
func replyID(head []byte) int64 {
	rest, ok := bytes.CutPrefix(head, []byte(`{"id":`))
	if !ok {
		return 0
	}
	var id int64
	for _, c := range rest {
		if c < '0' || c > '9' || id > 1<<50 {
			break
		}
		id = id*10 + int64(c-'0')
	}
	return id
}

// answerIn takes a session's reply apart without reading what is in it, which whoever waits
// for it does: of a page of thousands of elements that is a megabyte, and to read it twice
// takes milliseconds. Chromium writes {"id":7,"result":{},"sessionId":"A1"}. A string right
// before the end that has no quote in it belongs to the outermost object, and so does the
// name before it. What is written in any other way is left to the decoder.
func answerIn(m []byte) (id int64, result []byte, ok bool) {
	id = replyID(m)
	rest, ok := bytes.CutPrefix(m, fmt.Appendf(nil, `{"id":%d,"result":`, id))
	rest, closed := bytes.CutSuffix(rest, []byte(`"}`))
	const name = `,"sessionId":"`
	at := bytes.LastIndex(rest[max(0, len(rest)-128):], []byte(name)) + max(0, len(rest)-128)
	if !ok || id == 0 || !closed || at <= 0 || !bytes.HasPrefix(rest[at:], []byte(name)) || bytes.ContainsAny(rest[at+len(name):], `"\`) {
		return 0, nil, false
	}
	return id, rest[:at], true
}

// method reads the name of a skipped event, "" when it does not begin with it.
func (e *TooLargeError) method() string {
	rest, ok := bytes.CutPrefix(e.Head, []byte(`{"method":"`))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest[:min(len(rest), 100)], []byte(`"`))
	return string(name)
}
