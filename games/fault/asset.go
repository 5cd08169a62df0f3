package fault

import (
	"net/http"
	"time"
)

var _ = register(Fault{
	Name: "asset-missing", Title: "A needed file is missing", Kind: Broken, Needs: []string{"asset"},
	Checks: dead, Shows: []string{"deaf", "stuck"},
	Describe: "Everything that the game's code asks for (data and pictures) answers 404, or 500.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		status := http.StatusNotFound
		if seed%2 == 0 {
			status = http.StatusInternalServerError
		}
		return answer(next, asset, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, http.StatusText(status), status)
		})
	},
})

var _ = register(Fault{
	Name: "loading-asset", Title: "Loading never ends", Kind: Broken, Needs: []string{"asset"},
	Checks: dead, Shows: []string{"deaf", "stuck"},
	Describe: "Everything that the game's code asks for (data and pictures) is never answered.",
	Wrap: func(next http.Handler, _ int64) http.Handler {
		return answer(next, asset, never)
	},
})

var _ = register(Fault{
	Name: "asset-slow", Title: "Slow assets", Kind: Trap, Shows: []string{"playable"},
	Describe: "Scripts, data and pictures take two to four seconds each to arrive.",
	Wrap: func(next http.Handler, seed int64) http.Handler {
		wait := 2*time.Second + time.Duration(spread("asset-slow", seed)*2000)*time.Millisecond
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if kindOf(r) != document {
				select {
				case <-time.After(wait):
				case <-r.Context().Done():
					panic(http.ErrAbortHandler)
				}
			}
			next.ServeHTTP(w, r)
		})
	},
})

func asset(r *http.Request) bool {
	k := kindOf(r)
	return k == data || k == image
}
