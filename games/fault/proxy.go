package fault

import (
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/playtest-dev/playtest/games"
)

// Proxy serves a game that lives elsewhere with the fault in it, at its own root. The game is whatever target's host
// serves; addresses that the page spells out in full go past the proxy.
func Proxy(target *url.URL, f Fault, g games.Game, seed int64) http.Handler {
	base := url.URL{Scheme: target.Scheme, Host: target.Host}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&base)
			r.Out.Header.Del("Accept-Encoding")
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "the game's server does not answer", http.StatusBadGateway)
		},
	}
	return f.Wrapped(proxy, g, seed)
}
