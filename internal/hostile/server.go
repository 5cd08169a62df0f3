package hostile

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

const gameHTML = `<!doctype html><meta charset="utf-8"><title>a box</title><body><script src="game.js"></script>`

// pause is the rhythm of answers that take their time.
const pause = 200 * time.Millisecond

func game(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, gameHTML)
}

// headers are as many and as long as a browser still takes.
func headers(w http.ResponseWriter, r *http.Request) {
	for i := range 200 {
		w.Header().Set(fmt.Sprintf("X-%d-%s", i, strings.Repeat("n", 500)), strings.Repeat("v", 500))
	}
	io.WriteString(w, "x")
}

// longScript is some megabytes of one line.
func longScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript")
	io.WriteString(w, "void '")
	line := strings.Repeat("s", 1<<20)
	for range 12 {
		io.WriteString(w, line)
	}
	io.WriteString(w, "';")
}

// echo says back whatever it is told.
func echo(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(8 << 20)
	for {
		kind, data, err := c.Read(r.Context())
		if err != nil || c.Write(r.Context(), kind, data) != nil {
			return
		}
	}
}

// bomb is 200 MB of comment in some 200 KB, and a game.
func bomb(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	defer z.Close()
	io.WriteString(z, gameHTML+"<!--")
	line := strings.Repeat(" ", 1<<20)
	for range 200 {
		if _, err := io.WriteString(z, line); err != nil {
			return
		}
	}
	io.WriteString(z, "-->")
}

// endless is a page that never comes to its end.
func endless(w http.ResponseWriter, r *http.Request) {
	game(w)
	drip(w, r, func() { io.WriteString(w, "<p>more") })
}

// drip writes a little at a time for as long as somebody listens.
func drip(w http.ResponseWriter, r *http.Request, write func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			write()
		}
	}
}

// truncated promises more than it sends.
func truncated(w http.ResponseWriter, r *http.Request) {
	raw(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n"+gameHTML)
}

// garbage is no answer at all.
func garbage(w http.ResponseWriter, r *http.Request) {
	raw(w, "HTTP/1.1 \x00\xff\xfe\r\n"+strings.Repeat("\x00junk:\r\n", 1000))
}

func raw(w http.ResponseWriter, text string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	io.WriteString(c, text)
}

// replaced is a page that the server replaces again and again.
func replaced(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=next")
	part := "\r\n--next\r\nContent-Type: text/html\r\n\r\n" + gameHTML
	io.WriteString(w, part)
	drip(w, r, func() { io.WriteString(w, part) })
}
