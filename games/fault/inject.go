package fault

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// inject serves next with the script put in front of everything that runs: as the first script of every document, and
// before the first line of every worker.
func inject(next http.Handler, source string) http.Handler {
	if source == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := kindOf(r)
		if kind != document && kind != worker {
			next.ServeHTTP(w, r)
			return
		}
		r = whole(r)
		held := &heldResponse{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(held, r)
		body, err := held.plain()
		if err != nil {
			http.Error(w, "the fault could not read the game's answer", http.StatusBadGateway)
			return
		}
		switch {
		case kind == worker && held.status == http.StatusOK:
			body = append([]byte(source), body...)
		case kind == document && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"):
			body = insertScript(body, source)
		}
		w.Header().Del("Etag")
		w.Header().Del("Last-Modified")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(held.status)
		if r.Method != http.MethodHead {
			// Nothing useful can be done about a browser that went away.
			_, _ = w.Write(body)
		}
	})
}

// whole is a request whose answer comes whole and readable.
func whole(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	for _, name := range []string{"Accept-Encoding", "Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		r.Header.Del(name)
	}
	return r
}

// heldResponse keeps an answer until it can be changed.
type heldResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
	begun  bool
}

func (h *heldResponse) Header() http.Header { return h.header }

func (h *heldResponse) WriteHeader(status int) {
	if !h.begun {
		h.status, h.begun = status, true
	}
}

func (h *heldResponse) Write(data []byte) (int, error) {
	if !h.begun {
		h.begun = true
		if h.header.Get("Content-Type") == "" {
			h.header.Set("Content-Type", http.DetectContentType(data))
		}
	}
	return h.body.Write(data)
}

// plain is the body without its content coding.
func (h *heldResponse) plain() ([]byte, error) {
	switch coding := h.header.Get("Content-Encoding"); coding {
	case "", "identity":
		return h.body.Bytes(), nil
	case "gzip":
		z, err := gzip.NewReader(&h.body)
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		h.header.Del("Content-Encoding")
		return io.ReadAll(z)
	default:
		return nil, fmt.Errorf("content coding %q is not understood", coding)
	}
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	// Where a script can go first: behind the opening head, else behind the opening html, else behind the doctype.
	openings = []*regexp.Regexp{
		regexp.MustCompile(`(?i)<head(\s[^>]*)?>`),
		regexp.MustCompile(`(?i)<html(\s[^>]*)?>`),
		regexp.MustCompile(`(?i)<!doctype[^>]*>`),
	}
	scriptTag = regexp.MustCompile(`(?is)<script\b([^>]*)>`)
	srcOf     = regexp.MustCompile(`(?is)\ssrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)`)
)

// insertScript puts the script first in the document. Comments are blanked for the search only.
func insertScript(page []byte, source string) []byte {
	visible := comment.ReplaceAllFunc(page, blank)
	at := 0
	for _, opening := range openings {
		if found := opening.FindIndex(visible); found != nil {
			at = found[1]
			break
		}
	}
	tag := "<script>" + strings.ReplaceAll(source, "</script", `<\/script`) + "</script>"
	out := make([]byte, 0, len(page)+len(tag))
	out = append(out, page[:at]...)
	out = append(out, tag...)
	return append(out, page[at:]...)
}

func blank(b []byte) []byte { return bytes.Repeat([]byte{' '}, len(b)) }

// scriptSources are the addresses of the scripts that the document loads from its own site, in order.
func scriptSources(page []byte) (sources []string) {
	for _, tag := range scriptTag.FindAllSubmatch(comment.ReplaceAllFunc(page, blank), -1) {
		src := srcOf.FindSubmatch(tag[1])
		if src == nil {
			continue
		}
		address := strings.Trim(string(src[1]), `"'`)
		if strings.HasPrefix(address, "//") || strings.Contains(address, "://") {
			continue
		}
		sources = append(sources, address)
	}
	return sources
}
