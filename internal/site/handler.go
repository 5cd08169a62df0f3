package site

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// Isolation says whether pages are isolated from other origins, which is the
// price of SharedArrayBuffer.
type Isolation string

// The choices of isolation. IsolationAuto isolates a build whose scripts ask
// for shared memory.
const (
	IsolationAuto Isolation = "auto"
	IsolationOn   Isolation = "on"
	IsolationOff  Isolation = "off"
)

// Isolations are the choices, for command lines.
var Isolations = []string{string(IsolationAuto), string(IsolationOn), string(IsolationOff)}

// maxRanged bounds a packed file of which a part was asked for: it has to be
// unpacked to the memory for that.
const maxRanged = 256 << 20

// Handler serves the files of a build.
func (b *Build) Handler(isolation Isolation) http.Handler {
	isolate := isolation == IsolationOn || isolation != IsolationOff && b.needsIsolation()
	return &handler{files: b.files, isolate: isolate}
}

type handler struct {
	files   fs.FS
	isolate bool
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	head.Set("Cache-Control", "no-cache") // the build may be another one the next time
	if h.isolate {
		// Credentialless rather than require-corp: scripts and pictures of other
		// sites load on.
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Embedder-Policy", "credentialless")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "."
	}
	if !fs.ValidPath(name) || hidden(name) {
		http.NotFound(w, r)
		return
	}
	info, err := fs.Stat(h.files, name)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(r.URL.Path, "/") {
			// Only the path, so that the answer never leads to another host.
			to := url.URL{Path: "/" + name + "/", RawQuery: r.URL.RawQuery}
			head.Set("Location", to.String())
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
		name = path.Join(name, "index.html")
		info, err = fs.Stat(h.files, name)
	} else if err == nil && strings.HasSuffix(r.URL.Path, "/") {
		err = fs.ErrNotExist
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) {
		h.serveCompressed(w, r, name)
		return
	}
	if err != nil {
		http.NotFound(w, r) // it leads out of the folder, or cannot be read
		return
	}
	h.serve(w, r, name, info)
}

// serveCompressed answers for a file of which there is only a compressed copy.
func (h *handler) serveCompressed(w http.ResponseWriter, r *http.Request, name string) {
	for _, suffix := range []string{".br", ".gz"} {
		plain, _ := splitCoding(name + suffix)
		info, err := fs.Stat(h.files, name+suffix)
		if plain == name && err == nil && info.Mode().IsRegular() {
			h.serve(w, r, name+suffix, info)
			return
		}
	}
	http.NotFound(w, r)
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request, name string, info fs.FileInfo) {
	f, err := h.files.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	plain, coding := splitCoding(name)
	if coding == "" {
		h.send(w, r, name, info, f)
		return
	}
	head := w.Header()
	head.Set("Vary", "Accept-Encoding")
	body := bufio.NewReader(f)
	if coding == codingGzip {
		if magic, _ := body.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			h.copy(w, r, typeOf(plain), info.Size(), body) // it is only called so
			return
		}
	}
	if accepts(r, coding) {
		head.Set("Content-Encoding", coding)
		h.copy(w, r, typeOf(plain), info.Size(), body)
		return
	}
	if coding == codingBrotli {
		http.Error(w, "this file is compressed with brotli, which the client does not accept", http.StatusNotAcceptable)
		return
	}
	unpacked, err := gunzip(body)
	if err != nil {
		http.Error(w, "this file is damaged", http.StatusInternalServerError)
		return
	}
	h.copy(w, r, typeOf(plain), -1, unpacked)
}

// send answers with a file as it is, or with the part of it that is asked for.
func (h *handler) send(w http.ResponseWriter, r *http.Request, name string, info fs.FileInfo, f fs.File) {
	kind := typeOf(name)
	if seeker, ok := f.(io.ReadSeeker); ok {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		http.ServeContent(w, r, name, info.ModTime(), seeker)
		return
	}
	if r.Header.Get("Range") == "" || info.Size() > maxRanged {
		body := bufio.NewReader(f)
		if kind == "" {
			start, _ := body.Peek(512)
			kind = http.DetectContentType(start)
		}
		h.copy(w, r, kind, info.Size(), body)
		return
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRanged))
	if err != nil {
		http.Error(w, "this file is damaged", http.StatusInternalServerError)
		return
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// copy answers with a whole body, of unknown size when that is negative.
func (h *handler) copy(w http.ResponseWriter, r *http.Request, kind string, size int64, body io.Reader) {
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	if size >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		body = io.LimitReader(body, size)
	}
	if r.Method == http.MethodHead {
		return
	}
	if _, err := io.Copy(w, body); err != nil {
		// The status is sent already. Cutting the connection is the only way to
		// say that what follows is missing.
		panic(http.ErrAbortHandler)
	}
}

// accepts reports whether a client can unpack a coding.
func accepts(r *http.Request, coding string) bool {
	for field := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(field), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.TrimSpace(params), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !ok || err == nil && weight > 0
	}
	return false
}

// local lets only those through who name the server by its loopback address: a
// page elsewhere on the web can make a name of its own lead here.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		if host != "127.0.0.1" && host != "localhost" {
			http.Error(w, fmt.Sprintf("%q is not an address of this server", r.Host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
