package fault

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/playtest-dev/playtest/record"
)

// dead are the checks that a page without its script may be failed on: nothing was ever there, or it looks fine and
// does nothing.
var dead = []record.CheckName{record.GameLoaded, record.ControlsResponsive}

var _ = register(Fault{
	Name: "script-404", Title: "The main script is missing", Kind: Broken, Checks: dead, Shows: []string{"deaf", "stuck"}, Needs: []string{"script"},
	Describe: "The last script of every document answers 404.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return breakScript(next, last, http.NotFound)
	},
})

var _ = register(Fault{
	Name: "script-syntax", Title: "The main script has a syntax error", Kind: Broken, Checks: dead, Shows: []string{"deaf", "stuck"}, Needs: []string{"script"},
	Describe: "The last script of every document arrives as garbage: cut in the middle of a word, as a web page, or with a stray bracket.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		garbage := []string{
			"const game = { start() { return ",
			"<!doctype html><title>Sign in</title><p>Please sign in to go on.",
			"function begin() { console.log('ready') }\n}\n",
		}
		text := garbage[int(uint64(seed)%uint64(len(garbage)))]
		return breakScript(next, last, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write([]byte(text))
		})
	},
})

var _ = register(Fault{
	Name: "script-csp", Title: "The scripts are blocked by a policy", Kind: Broken, Checks: dead, Shows: []string{"deaf", "stuck"},
	Describe: "Every document comes with a Content-Security-Policy that allows no script.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return withPolicy(next, "script-src 'none'")
	},
})

// withPolicy serves next with a policy for every document.
func withPolicy(next http.Handler, policy string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kindOf(r) == document {
			w.Header().Set("Content-Security-Policy", policy)
		}
		next.ServeHTTP(w, r)
	})
}

var _ = register(Fault{
	Name: "loading-script", Title: "The main script never arrives", Kind: Broken,
	Checks: dead, Shows: []string{"deaf", "stuck"}, Needs: []string{"script"},
	Describe: "The last script of every document is asked for and never answered.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return breakScript(next, last, never)
	},
})

// last is the main script: libraries come before the game that uses them.
func last(sources []string) string {
	if len(sources) == 0 {
		return ""
	}
	return sources[len(sources)-1]
}

// breakScript has instead answer for one of the scripts of every document that went by, unless which chooses none.
func breakScript(next http.Handler, which func(sources []string) string, instead http.HandlerFunc) http.Handler {
	var mu sync.Mutex
	broken := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kindOf(r) != document {
			mu.Lock()
			hit := broken[r.URL.Path]
			mu.Unlock()
			if hit {
				instead(w, r)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		held := &heldResponse{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(held, whole(r))
		if page, err := held.plain(); err == nil {
			if src, err := url.Parse(which(scriptSources(page))); err == nil && src.Path != "" {
				mu.Lock()
				broken[r.URL.ResolveReference(src).Path] = true
				mu.Unlock()
			}
			w.Header().Del("Content-Length")
			w.WriteHeader(held.status)
			_, _ = w.Write(page)
			return
		}
		http.Error(w, "the fault could not read the game's page", http.StatusBadGateway)
	})
}
