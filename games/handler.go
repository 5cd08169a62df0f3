package games

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// faultPrefix comes first in the path of everything that is loaded with a fault switched on: the games use relative
// addresses only, so the fault stays with every request of the page.
const faultPrefix = "/~fault/"

//go:embed index.tmpl
var indexText string

var indexPage = template.Must(template.New("index").Funcs(template.FuncMap{"keyName": keyName}).Parse(indexText))

// The types are fixed here because the system's own table differs from machine to machine.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".webp": "image/webp",
}

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b2357"/><path d="M5 3.5v9l8-4.5z" fill="#ffc857"/></svg>`

type handler struct {
	opts      ServeOptions
	framePort string
}

// Handler serves the index page and the games. Games that need a second origin find it on framePort of the same
// machine, where the same handler must listen too.
func Handler(framePort string, opts *ServeOptions) http.Handler {
	if opts == nil {
		opts = &ServeOptions{}
	}
	return newHandler(*opts, framePort)
}

func newHandler(opts ServeOptions, framePort string) *handler {
	return &handler{opts: opts, framePort: framePort}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, faulty := strings.CutPrefix(r.URL.Path, faultPrefix)
	if !faulty || h.opts.Apply == nil {
		h.healthy("/").ServeHTTP(w, r)
		return
	}
	fault, rest, _ := strings.Cut(rest, "/")
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
	h.opts.Apply(fault, w, inner, h.healthy(faultPrefix+fault+"/"))
}

// healthy serves everything as it should be. base is where the games' folders hang, as the page sees it.
func (h *handler) healthy(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the games are only read", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/":
			h.index(w)
		case "/config.js":
			h.config(w, r, base)
		case "/favicon.ico":
			serve(w, ".svg", []byte(favicon))
		default:
			h.file(w, r)
		}
	})
}

func (h *handler) index(w http.ResponseWriter) {
	data := struct {
		Games  []Game
		Faults []FaultInfo
		Prefix string
	}{Games: All(), Prefix: faultPrefix}
	if h.opts.Apply != nil {
		data.Faults = h.opts.Faults
	}
	var page strings.Builder
	if err := indexPage.Execute(&page, data); err != nil {
		http.Error(w, "the index page could not be written", http.StatusInternalServerError)
		return
	}
	serve(w, ".html", []byte(page.String()))
}

// config tells a page where its frames live. localhost and 127.0.0.1 are two sites to a browser, so the other name of
// the same machine gives a frame in a process of its own, as on the web.
func (h *handler) config(w http.ResponseWriter, r *http.Request, base string) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	switch host {
	case "localhost":
		host = "127.0.0.1"
	case "127.0.0.1":
		host = "localhost"
	}
	frame := url.URL{Scheme: "http", Host: net.JoinHostPort(host, h.framePort), Path: base}
	text, err := json.Marshal(map[string]string{"frameBase": frame.String()})
	if err != nil {
		http.Error(w, "the configuration could not be written", http.StatusInternalServerError)
		return
	}
	serve(w, ".js", fmt.Appendf(nil, "window.PLAYTEST_GAMES = %s;\n", text))
}

func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	name, rest, slash := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	g, ok := Get(name)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if !slash {
		// Relative, so that a fault's prefix in front of the path survives.
		target := url.URL{Path: name + "/", RawQuery: r.URL.RawQuery}
		w.Header().Set("Location", target.String())
		w.WriteHeader(http.StatusFound)
		return
	}
	if rest == "" {
		rest = "index.html"
	}
	data, err := fs.ReadFile(g.Files, rest)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	serve(w, path.Ext(rest), data)
}

func serve(w http.ResponseWriter, ext string, data []byte) {
	w.Header().Set("Content-Type", contentTypes[ext])
	// Nothing useful can be done about a browser that went away.
	_, _ = w.Write(data)
}

// keyName is a key code as a person would say it.
func keyName(code string) string {
	switch {
	case strings.HasPrefix(code, "Key"), strings.HasPrefix(code, "Digit"):
		return code[len(code)-1:]
	case code == "ArrowLeft":
		return "←"
	case code == "ArrowRight":
		return "→"
	case code == "ArrowUp":
		return "↑"
	case code == "ArrowDown":
		return "↓"
	}
	return code
}
