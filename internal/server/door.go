package server

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// policy is for everything that is not evidence: our own scripts and styles,
// pictures from here, no frames, no inline script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// evidencePolicy is for what pages and runs left: nothing of it runs or loads
// anything from elsewhere, even when somebody opens it.
const evidencePolicy = "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// door stands before everything: what it lets through is addressed to us, comes
// from our own pages or from no page, and carries no secret in its address.
func (s *Server) door(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				s.log.Error("panic", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				s.fail(w, r, fmt.Errorf("panic: %v", p))
			}
		}()
		s.metrics.requests.Add(1)
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		if s.opts.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !s.addressed(r.Host) {
			s.fail(w, r, problem(http.StatusMisdirectedRequest, "This server does not answer to that host name."))
			return
		}
		if err := origin.Check(r); err != nil {
			s.fail(w, r, problem(http.StatusForbidden, "The request comes from another site."))
			return
		}
		if secretInAddress(r) {
			s.fail(w, r, problem(http.StatusBadRequest, "A token does not belong into an address, where logs and histories keep it: send it as Authorization: Bearer, and revoke this one."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// addressed reports whether a request's host is one of ours. An open server
// answers to this machine's own names only, or any page could reach it through a
// name of its own that leads here.
func (s *Server) addressed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if slices.ContainsFunc(s.opts.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	if s.opts.Open {
		ip := net.ParseIP(host)
		return host == "localhost" || ip != nil && ip.IsLoopback()
	}
	return len(s.opts.Hosts) == 0 && host != ""
}

// token is what one looks like, wherever it stands.
var token = regexp.MustCompile(`pt_[0-9A-Za-z]+_[0-9A-Za-z_-]+`)

func secretInAddress(r *http.Request) bool {
	for name, values := range r.URL.Query() {
		if name == "token" || name == "access_token" || token.MatchString(name) || slices.ContainsFunc(values, token.MatchString) {
			return true
		}
	}
	// What cannot be read as a query is in logs all the same.
	return token.MatchString(r.URL.Path) || token.MatchString(r.URL.RawQuery)
}
