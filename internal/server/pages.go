package server

import (
	"bytes"
	"embed"
	"net/http"
	"path"
	"strings"
	"time"
)

// files are the dashboard: one page, its style, its scripts. They are sent as
// they are written.
//
//go:embed ui
var files embed.FS

var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// page is the dashboard for whoever is logged in; its scripts find out from the
// address what to show.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return problem(http.StatusMethodNotAllowed, "There is nothing to do here but to look.")
	}
	if _, err := s.who(r); err != nil {
		if asProblem(err).Status != http.StatusUnauthorized {
			return err
		}
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return nil
	}
	return s.file(w, r, "index.html", "text/html; charset=utf-8")
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) error {
	name := "login.html"
	if r.URL.Query().Get("wrong") != "" {
		name = "login-wrong.html"
	}
	return s.file(w, r, name, "text/html; charset=utf-8")
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	kind := assetKinds[path.Ext(name)]
	if kind == "" || strings.Contains(name, "/") {
		return problem(http.StatusNotFound, "There is no such file.")
	}
	return s.file(w, r, name, kind)
}

func (s *Server) file(w http.ResponseWriter, r *http.Request, name, kind string) error {
	data, err := files.ReadFile("ui/" + name)
	if err != nil {
		return problem(http.StatusNotFound, "There is no such file.")
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
