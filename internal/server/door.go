package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// policy is for everything that is not evidence: our own scripts and styles,
// pictures from here, no frames, no inline script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// evidencePolicy is for what pages and runs left: nothing of it runs or loads
// anything from elsewhere, even when somebody opens it.
const evidencePolicy = "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// door lets requests in: those that are addressed to us, of callers who may.
type door struct {
	tokens tokens
	// open, hosts and secure are those of Options.
	open, secure bool
	hosts        []string
	counts       *metrics
	log          *slog.Logger
}

// tokens is what the door asks of the store.
type tokens interface {
	Authenticate(ctx context.Context, text string) (store.Token, error)
	Session(ctx context.Context, text string) (store.Token, error)
	BeginSession(ctx context.Context, t store.Token, valid time.Duration) (string, error)
	EndSession(ctx context.Context, text string) error
	Project(id string) *store.Project
}

// guard stands before everything: what it lets through is addressed to us, comes
// from our own pages or from no page, and carries no secret in its address.
func (d *door) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				d.log.Error("panic", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				d.fail(w, r, fmt.Errorf("panic: %v", p))
			}
		}()
		d.counts.requests.Add(1)
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		if d.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !d.addressed(r.Host) {
			d.fail(w, r, problem(http.StatusMisdirectedRequest, "This server does not answer to that host name."))
			return
		}
		if err := origin.Check(r); err != nil {
			d.fail(w, r, problem(http.StatusForbidden, "The request comes from another site."))
			return
		}
		if secretInAddress(r) {
			d.fail(w, r, problem(http.StatusBadRequest, "A token does not belong into an address, where logs and histories keep it: send it as Authorization: Bearer, and revoke this one."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// addressed reports whether a request's host is one of ours. An open server
// answers to this machine's own names only, or any page could reach it through a
// name of its own that leads here.
func (d *door) addressed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if slices.ContainsFunc(d.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	if d.open {
		ip := net.ParseIP(host)
		return host == "localhost" || ip != nil && ip.IsLoopback()
	}
	return len(d.hosts) == 0 && host != ""
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

// enter checks who comes and lets the handler answer.
func (d *door) enter(rt route, w http.ResponseWriter, r *http.Request) {
	var who caller
	if rt.scope != "" {
		var err error
		who, err = d.who(r)
		if err == nil && !who.Allows(rt.scope) {
			err = problem(http.StatusForbidden, "The token does not allow this: it needs the scope "+string(rt.scope)+".")
		}
		if err != nil {
			d.fail(w, r, err)
			return
		}
	}
	if !rt.lasting {
		ctx, cancel := context.WithTimeout(r.Context(), cmp.Or(rt.within, routeTime))
		defer cancel()
		r = r.WithContext(ctx)
	}
	if err := rt.do(&request{r, who, w}); err != nil {
		d.fail(w, r, err)
	}
}

// fail answers with what went wrong.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := asProblem(err)
	if p.Status >= 500 && r.Context().Err() == nil {
		d.log.Error("request", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(p.retry.Seconds())))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="playtest"`)
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone when this fails
}
