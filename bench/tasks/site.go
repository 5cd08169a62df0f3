package tasks

import (
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

//go:embed pages/*.html
var pages embed.FS

// serve puts the sites on loopback. {{other}} in a page is the same server under
// the name of another site.
func serve() *httptest.Server {
	var other string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/receive":
			file, header, err := r.FormFile("file")
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			defer file.Close()
			n, _ := io.Copy(io.Discard, file) // what arrived is what is told
			fmt.Fprintf(w, "%s has %d bytes", header.Filename, n)
			return
		case "/prices.txt":
			w.Header().Set("Content-Disposition", "attachment; filename=prices.txt")
			fmt.Fprint(w, "tea 4.50\n")
			return
		}
		data, err := pages.ReadFile("pages/" + strings.Trim(r.URL.Path, "/") + ".html")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.ReplaceAll(string(data), "{{other}}", other))
	}))
	other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s
}
