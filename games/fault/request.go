package fault

import (
	"net/http"
	"path"
	"strings"
)

// kind of a request, by what the browser wants it for.
type kind int

const (
	other kind = iota
	document
	script
	worker
	data  // fetch and XMLHttpRequest
	image // pictures, sounds, films
	decor // style sheets, fonts, icons, manifests
)

// kindOf goes by what the browser says, and by the file's name where it says nothing.
func kindOf(r *http.Request) kind {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document", "iframe", "frame", "embed", "object":
		return document
	case "script":
		return script
	case "worker", "sharedworker":
		return worker
	case "empty":
		return data
	case "image", "audio", "video", "track":
		if path.Base(r.URL.Path) == "favicon.ico" {
			return decor
		}
		return image
	case "style", "font", "manifest":
		return decor
	case "":
		switch path.Ext(r.URL.Path) {
		case ".html", ".htm", "":
			return document
		case ".js", ".mjs":
			return script
		case ".json", ".wasm", ".txt":
			return data
		case ".css", ".woff", ".woff2", ".ico":
			return decor
		case ".png", ".jpg", ".webp", ".svg", ".gif", ".mp3", ".ogg", ".wav":
			return image
		}
	}
	return other
}

// mainPage reports whether the request is for the page itself rather than for a frame in it.
func mainPage(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return kindOf(r) == document && (dest == "document" || dest == "")
}

const (
	// absentPath marks addresses that scripts ask for in order to be refused.
	absentPath = "/~absent/"
	// parkedPath is where a page that navigates away ends up.
	parkedPath = "/~parked/"
)

// extras answers the addresses that only faults know.
func extras(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, absentPath):
			http.NotFound(w, r)
		case strings.Contains(r.URL.Path, parkedPath):
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<!doctype html><title>Parked</title><h1>This address is for sale</h1><p>Make an offer.</p>"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}
