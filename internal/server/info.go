package server

import "github.com/playtest-dev/playtest/internal/store"

// RouteInfo describes a route that needs a caller.
type RouteInfo struct {
	Method, Path string
	Scope        store.Scope
	// Lasting: it is live and has no end.
	Lasting bool
}

// Routes lists all routes that need a caller, for whoever wants to try each.
func (s *Server) Routes() []RouteInfo {
	out := make([]RouteInfo, len(s.routes))
	for i, rt := range s.routes {
		out[i] = RouteInfo{rt.method, rt.path, rt.scope, rt.lasting}
	}
	return out
}
