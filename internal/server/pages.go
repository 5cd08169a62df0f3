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

// pageRoutes are the dashboard's files, which hold nothing of anybody, and what
// answers where nothing else does.
func (d *door) pageRoutes() []route {
	return []route{
		{method: "POST", path: "/login", do: d.logIn},
		{method: "POST", path: "/logout", do: d.logOut},
		{method: "GET", path: "/login", do: loginPage},
		{method: "GET", path: "/assets/{name...}", do: asset},
		{path: "/api/", do: nothing},
		{path: "/", do: d.page},
	}
}

func nothing(*request) error {
	return problem(http.StatusNotFound, "There is nothing at this address. GET /api/openapi.json lists what there is.")
}

// page is the dashboard for whoever is logged in; its scripts find out from the
// address what to show.
func (d *door) page(r *request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return problem(http.StatusMethodNotAllowed, "There is nothing to do here but to look.")
	}
	if _, err := d.who(r.Request); err != nil {
		if asProblem(err).Status != http.StatusUnauthorized {
			return err
		}
		http.Redirect(r.w, r.Request, "/login", http.StatusSeeOther)
		return nil
	}
	return sendFile(r, "index.html", "text/html; charset=utf-8")
}

func loginPage(r *request) error {
	data, err := files.ReadFile("ui/login.html")
	if err != nil {
		return fmt.Errorf("read the log-in page: %w", err) // it is part of the program
	}
	said := ""
	if r.URL.Query().Get("wrong") != "" {
		said = `<p class="note bad" role="alert">That token is not valid: it is mistyped, expired or revoked.</p>`
	}
	return send(r, bytes.Replace(data, []byte("<!-- refused -->"), []byte(said), 1), "text/html; charset=utf-8")
}

func asset(r *request) error {
	name := r.PathValue("name")
	kind := assetKinds[path.Ext(name)]
	if kind == "" || strings.Contains(name, "/") {
		return problem(http.StatusNotFound, "There is no such file.")
	}
	return sendFile(r, name, kind)
}

func sendFile(r *request, name, kind string) error {
	data, err := files.ReadFile("ui/" + name)
	if err != nil {
		return problem(http.StatusNotFound, "There is no such file.")
	}
	return send(r, data, kind)
}

func send(r *request, data []byte, kind string) error {
	r.w.Header().Set("Content-Type", kind)
	r.w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(r.w, r.Request, "", time.Time{}, bytes.NewReader(data))
	return nil
}
