package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// request is one that was let in.
type request struct {
	*http.Request
	who caller
	w   http.ResponseWriter
}

// id is the run that the address names.
func (r *request) id() string { return r.PathValue("id") }

// run is the run that the address names, when it is the caller's.
func (r *request) run() (store.Run, error) { return r.who.project.Get(r.Context(), r.id()) }

// route is a door of its own: who may come, what they bring and what they get.
// The OpenAPI document is made of these, and so is the test that tries every one.
type route struct {
	method, path string
	// scope is what a caller needs.
	scope store.Scope
	// lasting routes have no deadline: they are live.
	lasting bool
	do      func(s *Server, r *request) error

	summary string
	// query are the parameters after the question mark, with what they mean.
	query []parameter
	// takes and gives are values of the types in the bodies; nil for none.
	takes, gives any
	// status of success, 200 when zero; media of the answer, JSON when empty.
	status int
	media  string
}

type parameter struct{ name, about string }

// watching are the parameters of a run's live connections.
var watching = []parameter{{"after", "the number of the last event that is known"}, {"pictures", "1 adds pictures of the page that is played, a few a second"}}

// routeTime bounds a request that is not live.
const routeTime = 30 * time.Second

// routes are all that need a caller. What is there for everybody is in mux.
func routes() []route {
	return []route{
		{method: "POST", path: "/api/runs", scope: store.ScopeSubmit, do: (*Server).submit, summary: "Submit a run, or up to 1,000 of them as a batch", takes: Submit{}, gives: Submitted{}, status: http.StatusAccepted},
		{method: "GET", path: "/api/runs", scope: store.ScopeRead, do: (*Server).list, summary: "List runs, newest first", gives: Page{}, query: []parameter{
			{"status", "only runs in this state"}, {"verdict", "only runs with this verdict"}, {"host", "only runs of this host"}, {"url", "only runs of this game"},
			{"batch", "only runs that were submitted together"}, {"search", "only runs with this in their address, or with this name"},
			{"cursor", "what the page before called next"}, {"limit", "most runs to list, 1 to 200"}, {"history", "1 adds the scores that each game had before"},
		}},
		{method: "GET", path: "/api/runs/{id}", scope: store.ScopeRead, do: (*Server).show, summary: "A run with its attempts and costs", gives: Detail{}},
		{method: "POST", path: "/api/runs/{id}/cancel", scope: store.ScopeCancel, do: (*Server).cancel, summary: "Stop a run; what was found until then is kept", gives: Run{}},
		{method: "POST", path: "/api/runs/{id}/retry", scope: store.ScopeSubmit, do: (*Server).retry, summary: "Queue a run again that failed, was cancelled or was parked", gives: Run{}},
		{method: "GET", path: "/api/runs/{id}/report", scope: store.ScopeRead, do: (*Server).report, summary: "The report of a run", query: []parameter{{"format", "json (as docs/report.schema.json says), md, junit or html"}}, media: "*/*"},
		{method: "GET", path: "/api/runs/{id}/record", scope: store.ScopeRead, do: (*Server).record, summary: "Everything that a run measured", media: "application/json"},
		{method: "GET", path: "/api/runs/{id}/screens", scope: store.ScopeRead, do: (*Server).screens, summary: "The screens of the game that a run reached, and the inputs between them", gives: Screens{}},
		{method: "GET", path: "/api/runs/{id}/events", scope: store.ScopeRead, do: (*Server).events, summary: "What a run has told, oldest first", gives: Events{}, query: []parameter{{"after", "the number of the last event that is known"}, {"limit", "most events to list, 1 to 1000"}}},
		{method: "GET", path: "/api/runs/{id}/evidence", scope: store.ScopeRead, do: (*Server).evidenceList, summary: "The files that a run has left", gives: Files{}},
		{method: "GET", path: "/api/runs/{id}/evidence/{name...}", scope: store.ScopeRead, do: (*Server).evidenceFile, summary: "A file that a run has left; ranges can be asked for", media: "*/*"},
		{method: "GET", path: "/api/runs/{id}/picture", scope: store.ScopeRead, do: (*Server).picture, summary: "A small picture of the game", media: "image/jpeg"},
		{method: "GET", path: "/api/runs/{id}/live", scope: store.ScopeRead, do: (*Server).liveSocket, lasting: true, summary: "A run as it goes on, over a WebSocket", query: watching, media: "application/json", status: http.StatusSwitchingProtocols},
		{method: "GET", path: "/api/runs/{id}/stream", scope: store.ScopeRead, do: (*Server).liveStream, lasting: true, summary: "A run as it goes on, as server-sent events", query: watching, media: "text/event-stream"},
		{method: "GET", path: "/api/live", scope: store.ScopeRead, do: (*Server).liveSocket, lasting: true, summary: "The newest runs as they change, over a WebSocket", media: "application/json", status: http.StatusSwitchingProtocols},
		{method: "GET", path: "/api/stream", scope: store.ScopeRead, do: (*Server).liveStream, lasting: true, summary: "The newest runs as they change, as server-sent events", media: "text/event-stream"},
		{method: "GET", path: "/api/compare", scope: store.ScopeRead, do: (*Server).compare, summary: "What differs between two runs", gives: Comparison{}, query: []parameter{{"a", "a run"}, {"b", "another run"}}},
		{method: "GET", path: "/api/games", scope: store.ScopeRead, do: (*Server).games, summary: "The games that were played, with their last verdict", gives: Games{}},
		{method: "GET", path: "/api/games/history", scope: store.ScopeRead, do: (*Server).history, summary: "The verdicts of a game over time", gives: History{}, query: []parameter{{"url", "the game's address"}}},
		{method: "GET", path: "/api/bundled", scope: store.ScopeRead, do: (*Server).bundled, summary: "Games that come with playtest", gives: BundledGames{}},
		{method: "POST", path: "/api/validate", scope: store.ScopeSubmit, do: (*Server).validate, summary: "Check metadata without playing", takes: Validate{}, gives: Validated{}},
		{method: "GET", path: "/api/me", scope: store.ScopeRead, do: (*Server).me, summary: "Who the caller is and what the project may use", gives: Me{}},
		{method: "GET", path: "/api/webhooks", scope: store.ScopeAdmin, do: (*Server).webhooks, summary: "Who is told of the end of runs", gives: Webhooks{}},
		{method: "POST", path: "/api/webhooks", scope: store.ScopeAdmin, do: (*Server).addWebhook, summary: "Be told of the end of runs; the secret for the signatures is given once", takes: AddWebhook{}, gives: AddedWebhook{}, status: http.StatusCreated},
		{method: "DELETE", path: "/api/webhooks/{id}", scope: store.ScopeAdmin, do: (*Server).deleteWebhook, summary: "Be told no more", status: http.StatusNoContent},
		{method: "GET", path: "/api/audit", scope: store.ScopeAdmin, do: (*Server).audit, summary: "Who did what in the project, newest first", gives: AuditLog{}, query: []parameter{{"before", "the number of the last note that is known"}}},
		{method: "GET", path: "/api/openapi.json", scope: store.ScopeRead, do: (*Server).openAPI, summary: "This document", media: "application/json"},
		{method: "GET", path: "/metrics", scope: store.ScopeAdmin, do: (*Server).prometheus, summary: "Counters for Prometheus", media: "text/plain"},
	}
}

// mux is the routes, and what is there for everybody: logging in, the
// dashboard's files, which hold nothing of anybody, and whether the server lives.
func (s *Server) mux() http.Handler {
	m := http.NewServeMux()
	for _, rt := range s.routes {
		m.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) { s.enter(rt, w, r) })
	}
	public := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	public("GET /api/health", s.health)
	public("GET /api/ready", s.readyz)
	public("POST /login", s.logIn)
	public("POST /logout", s.logOut)
	public("GET /login", s.loginPage)
	public("GET /assets/{name...}", s.asset)
	public("/api/", func(http.ResponseWriter, *http.Request) error {
		return problem(http.StatusNotFound, "There is nothing at this address. GET /api/openapi.json lists what there is.")
	})
	public("/", s.page)
	return m
}

// enter checks who comes and lets the handler answer.
func (s *Server) enter(rt route, w http.ResponseWriter, r *http.Request) {
	who, err := s.who(r)
	if err == nil && !who.Allows(rt.scope) {
		err = problem(http.StatusForbidden, "The token does not allow this: it needs the scope "+string(rt.scope)+".")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !rt.lasting {
		ctx, cancel := context.WithTimeout(r.Context(), routeTime)
		defer cancel()
		r = r.WithContext(ctx)
	}
	if err := rt.do(s, &request{r, who, w}); err != nil {
		s.fail(w, r, err)
	}
}

// answer writes a value as JSON.
func (r *request) answer(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("Content-Type", "application/json")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	r.w.WriteHeader(status)
	_, _ = r.w.Write(append(body, '\n')) // the client is gone when this fails
	return nil
}

// note keeps in the project's log what the caller did.
func (s *Server) note(r *request, action, subject, detail string) error {
	return r.who.project.Note(r.Context(), store.Audit{Actor: r.who.actor(), Action: action, Subject: subject, Detail: detail})
}
