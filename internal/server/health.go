package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

// health says that the process answers, and nothing else.
func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	return plainAnswer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readiness remembers the last look: everybody may ask, and looking writes.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

const (
	readyFor  = 5 * time.Second
	readyTime = 10 * time.Second
)

// readyz says whether runs can be stored and evidence be kept: it tries both.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	if time.Since(s.ready.at) > readyFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), readyTime)
		defer cancel()
		s.ready.err = errors.Join(s.store.Touch(ctx), evidence.Check(ctx, s.evidence))
		s.ready.at = time.Now()
		if s.ready.err != nil {
			s.log.Error("not ready", "error", s.ready.err)
		}
	}
	if s.ready.err != nil {
		return problem(http.StatusServiceUnavailable, "The database or the place for evidence does not take anything. The log says more.")
	}
	return plainAnswer(w, http.StatusOK, map[string]string{"status": "ready"})
}

func plainAnswer(w http.ResponseWriter, status int, value any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client is gone when this fails
	return nil
}

// Me is who calls, and what the project may use and uses.
type Me struct {
	Name    string        `json:"name"`
	Project string        `json:"project"`
	Scopes  []store.Scope `json:"scopes"`
	// Local: nobody logged in, the server is open to this machine.
	Local   bool         `json:"local"`
	Version string       `json:"version"`
	Limits  store.Limits `json:"limits"`
	// MaxDuration is the longest run, in seconds; 0 for no limit of the project's own.
	MaxDuration float64     `json:"maxDurationSeconds"`
	Usage       store.Usage `json:"usage"`
	Watching    int64       `json:"watching"`
}

func (s *Server) me(r *request) error {
	info, err := r.who.project.Info(r.Context())
	if err != nil {
		return err
	}
	u, err := r.who.project.Usage(r.Context(), true)
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, Me{
		Name: r.who.Name, Project: r.who.Project, Scopes: r.who.Scopes, Local: r.who.local, Version: s.opts.Version,
		Limits: info.Limits, MaxDuration: info.Limits.Duration.Seconds(), Usage: u, Watching: s.live.clients(),
	})
}

// AuditLog is a part of who did what.
type AuditLog struct {
	Notes []store.Audit `json:"notes"`
}

func (s *Server) audit(r *request) error {
	before, err := r.number("before", 1, 1<<62, 0)
	if err != nil {
		return err
	}
	notes, err := r.who.project.Noted(r.Context(), before, 100)
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, AuditLog{notes})
}

// metrics are what this process counted.
type metrics struct {
	requests, refused, submitted, delivered, undelivered atomic.Int64
}

// prometheus writes the counters. Runs are counted in the caller's project.
func (s *Server) prometheus(r *request) error {
	counts, err := s.store.Counts(r.Context())
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# HELP playtest_runs Runs in the database by state.\n# TYPE playtest_runs gauge\n")
	for _, c := range counts {
		if c.Project == r.who.project.ID() {
			fmt.Fprintf(&b, "playtest_runs{project=%q,status=%q} %d\n", c.Project, c.Status, c.Runs)
		}
	}
	for _, m := range []struct {
		name, kind, help string
		value            int64
	}{
		{"playtest_http_requests_total", "counter", "Requests that came in.", s.metrics.requests.Load()},
		{"playtest_auth_refused_total", "counter", "Tokens and sessions that were not valid.", s.metrics.refused.Load()},
		{"playtest_runs_submitted_total", "counter", "Runs that were accepted here.", s.metrics.submitted.Load()},
		{"playtest_live_clients", "gauge", "Live connections.", s.live.clients()},
		{"playtest_live_dropped_total", "counter", "Live connections that were ended because they were too slow.", s.live.dropped.Load()},
		{"playtest_webhooks_delivered_total", "counter", "Messages about ended runs that were taken.", s.metrics.delivered.Load()},
		{"playtest_webhooks_failed_total", "counter", "Tries to deliver such a message that failed.", s.metrics.undelivered.Load()},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	r.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	r.w.Header().Set("Cache-Control", "no-store")
	_, _ = r.w.Write([]byte(b.String()))
	return nil
}
