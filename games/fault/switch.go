package fault

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/playtest-dev/playtest/games"
)

// ID names a fault with its seed, as it appears in addresses: "overlay@3".
func ID(name string, seed int64) string {
	return name + "@" + strconv.FormatInt(seed, 10)
}

// parseID is the reverse of ID. The seed is 1 where none is given.
func parseID(id string) (Fault, int64, error) {
	name, number, given := strings.Cut(id, "@")
	f, ok := Get(name)
	if !ok {
		return Fault{}, 0, fmt.Errorf("no fault is called %q", name)
	}
	if !given {
		return f, 1, nil
	}
	seed, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Fault{}, 0, fmt.Errorf("%q is no seed", number)
	}
	return f, seed, nil
}

// Wrapped serves next with the fault in it, as a game that says g of itself. The zero game is one we know nothing of.
func (f Fault) Wrapped(next http.Handler, g games.Game, seed int64) http.Handler {
	h := next
	if f.Wrap != nil {
		h = f.Wrap(h, seed)
	}
	return extras(inject(h, f.source(g, seed)))
}

// Switch puts faults into the bundled games: its Apply fits games.ServeOptions.
type Switch struct {
	mu   sync.Mutex
	live map[string]*gate
	// last is the seed of the page that was opened last, for requests of the page that do not carry it.
	last map[string]int64
}

// gate is one fault in one game. Its middleware lives on between requests, since some remember the page they served.
type gate struct {
	handler http.Handler
}

// nextKey carries the healthy handler of one request to the middleware that outlives it.
type nextKey struct{}

// Apply answers a request with the fault of that id switched on. A bare name takes its seed from the address.
func (s *Switch) Apply(id string, w http.ResponseWriter, r *http.Request, next http.Handler) {
	f, seed, err := parseID(id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	g, _ := games.Get(name)
	if !strings.Contains(id, "@") {
		seed = s.seed(f.Name+"/"+g.Name, r)
	}
	ctx := withNext(r.Context(), next)
	s.gate(f, g, seed).handler.ServeHTTP(w, r.WithContext(ctx))
}

func (s *Switch) seed(key string, r *http.Request) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, err := strconv.ParseInt(r.URL.Query().Get("seed"), 10, 64); err == nil {
		if s.last == nil {
			s.last = map[string]int64{}
		}
		s.last[key] = n
		return n
	}
	if n, ok := s.last[key]; ok {
		return n
	}
	return 1
}

func (s *Switch) gate(f Fault, g games.Game, seed int64) *gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := g.Name + "/" + ID(f.Name, seed)
	if live, ok := s.live[key]; ok {
		return live
	}
	if s.live == nil {
		s.live = map[string]*gate{}
	}
	live := &gate{handler: f.Wrapped(http.HandlerFunc(serveNext), g, seed)}
	s.live[key] = live
	return live
}
func withNext(ctx context.Context, next http.Handler) context.Context {
	return context.WithValue(ctx, nextKey{}, next)
}

// serveNext hands a request to the healthy handler that came with it.
func serveNext(w http.ResponseWriter, r *http.Request) {
	if next, ok := r.Context().Value(nextKey{}).(http.Handler); ok {
		next.ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}
