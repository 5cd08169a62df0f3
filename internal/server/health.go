package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/store"
)

// monitor answers how the server is, and what it counted.
type monitor struct {
	store   gauges
	kept    evidence.Store
	live    *hub
	counts  *metrics
	ready   readiness
	version string
	log     *slog.Logger
}

// gauges is what the monitor asks of the store.
type gauges interface {
	Touch(ctx context.Context) error
	Counts(ctx context.Context) ([]store.Count, error)
}

func (m *monitor) routes() []route {
	return []route{
		{method: "GET", path: "/api/health", do: health, summary: "Whether the process answers", gives: Health{}},
		{method: "GET", path: "/api/ready", do: m.readyz, summary: "Whether runs can be stored and evidence be kept: it tries both", gives: Health{}},
		{method: "GET", path: "/api/me", scope: store.ScopeRead, do: m.me, summary: "Who the caller is and what the project may use", gives: Me{}},
		{method: "GET", path: "/api/audit", scope: store.ScopeAdmin, do: audit, summary: "Who did what in the project, newest first", gives: AuditLog{}, query: []parameter{{"before", "the number of the last note that is known"}}},
		{method: "GET", path: "/metrics", scope: store.ScopeAdmin, do: m.prometheus, summary: "Counters for Prometheus", media: "text/plain"},
	}
}

// Health is how the server is, in a word.
type Health struct {
	Status string `json:"status"`
}

// health says that the process answers, and nothing else.
func health(r *request) error { return r.answer(http.StatusOK, Health{"ok"}) }

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
func (m *monitor) readyz(r *request) error {
	m.ready.mu.Lock()
	defer m.ready.mu.Unlock()
	if time.Since(m.ready.at) > readyFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), readyTime)
		defer cancel()
		m.ready.err = errors.Join(m.store.Touch(ctx), evidence.Check(ctx, m.kept))
		m.ready.at = time.Now()
		if m.ready.err != nil {
			m.log.Error("not ready", "error", m.ready.err)
		}
	}
	if m.ready.err != nil {
		return problem(http.StatusServiceUnavailable, "The database or the place for evidence does not take anything. The log says more.")
	}
	return r.answer(http.StatusOK, Health{"ready"})
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

func (m *monitor) me(r *request) error {
	info, err := r.who.project.Info(r.Context())
	if err != nil {
		return err
	}
	u, err := r.who.project.Usage(r.Context(), true)
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, Me{
		Name: r.who.Name, Project: r.who.Project, Scopes: r.who.Scopes, Local: r.who.local, Version: m.version,
		Limits: info.Limits, MaxDuration: info.Limits.Duration.Seconds(), Usage: u, Watching: m.live.clients(),
	})
}

// AuditLog is a part of who did what.
type AuditLog struct {
	Notes []store.Audit `json:"notes"`
}

func audit(r *request) error {
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
func (m *monitor) prometheus(r *request) error {
	counts, err := m.store.Counts(r.Context())
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
	for _, c := range []struct {
		name, kind, help string
		value            int64
	}{
		{"playtest_http_requests_total", "counter", "Requests that came in.", m.counts.requests.Load()},
		{"playtest_auth_refused_total", "counter", "Tokens and sessions that were not valid.", m.counts.refused.Load()},
		{"playtest_runs_submitted_total", "counter", "Runs that were accepted here.", m.counts.submitted.Load()},
		{"playtest_live_clients", "gauge", "Live connections.", m.live.clients()},
		{"playtest_live_dropped_total", "counter", "Live connections that were ended because they were too slow.", m.live.dropped.Load()},
		{"playtest_webhooks_delivered_total", "counter", "Messages about ended runs that were taken.", m.counts.delivered.Load()},
		{"playtest_webhooks_failed_total", "counter", "Tries to deliver such a message that failed.", m.counts.undelivered.Load()},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", c.name, c.help, c.name, c.kind, c.name, c.value)
	}
	r.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	r.w.Header().Set("Cache-Control", "no-store")
	_, _ = r.w.Write([]byte(b.String()))
	return nil
}
