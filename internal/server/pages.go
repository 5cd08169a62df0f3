package server

import (
	"bytes"
	"embed"
	"fmt"
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
	data, err := files.ReadFile("ui/login.html")
	if err != nil {
		return fmt.Errorf("read the log-in page: %w", err) // it is part of the program
	}
	said := ""
	if r.URL.Query().Get("wrong") != "" {
		said = `<p class="note bad" role="alert">That token is not valid: it is mistyped, expired or revoked.</p>`
	}
	return s.send(w, r, bytes.Replace(data, []byte("<!-- refused -->"), []byte(said), 1), "text/html; charset=utf-8")
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
	return s.send(w, r, data, kind)
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, data []byte, kind string) error {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
