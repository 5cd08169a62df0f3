package fault

import (
	"net/http"

	"github.com/playtest-dev/playtest/record"
)

var _ = register(Fault{
	Name: "page-404", Title: "The page is not there", Kind: Broken,
	Checks: []record.CheckName{record.GameLoaded}, Shows: []string{"status"},
	Describe: "The main page answers 404 or 410, with a page that says so.",
	Wrap:     pageStatus(http.StatusNotFound, http.StatusGone),
})

var _ = register(Fault{
	Name: "page-500", Title: "The server fails", Kind: Broken,
	Checks: []record.CheckName{record.GameLoaded}, Shows: []string{"status"},
	Describe: "The main page answers 500, 502 or 503.",
	Wrap:     pageStatus(http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable),
})

var _ = register(Fault{
	Name: "page-silent", Title: "The server never answers", Kind: Broken,
	Checks: []record.CheckName{record.GameLoaded}, Shows: []string{"status"},
	Describe: "The request for the main page is taken and never answered.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return answer(next, mainPage, never)
	},
})

// answer has instead answer the requests that match.
func answer(next http.Handler, match func(*http.Request) bool, instead http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if match(r) {
			instead(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// never holds the request until the browser gives up on it.
func never(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	// The connection is cut rather than ended, so that nobody sees an empty answer.
	panic(http.ErrAbortHandler)
}

func pageStatus(statuses ...int) func(http.Handler, int64) http.Handler {
	return func(next http.Handler, seed int64) http.Handler {
		status := statuses[int(uint64(seed)%uint64(len(statuses)))]
		return answer(next, mainPage, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			text := http.StatusText(status)
			_, _ = w.Write([]byte("<!doctype html><title>" + text + "</title><h1>" + text + "</h1><p>The server could not give you this page.</p>"))
		})
	}
}
