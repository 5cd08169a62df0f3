package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Run is a run as lists show it.
type Run struct {
	ID          string         `json:"id"`
	Status      store.Status   `json:"status"`
	URL         string         `json:"url"`
	Host        string         `json:"host"`
	Mode        record.Mode    `json:"mode"`
	Batch       string         `json:"batch,omitempty"`
	Priority    int            `json:"priority"`
	Attempts    int            `json:"attempts"`
	MaxAttempts int            `json:"maxAttempts"`
	Phase       string         `json:"phase,omitempty"`
	Cancelling  bool           `json:"cancelling,omitempty"`
	Created     time.Time      `json:"created"`
	Started     time.Time      `json:"started,omitzero"`
	Finished    time.Time      `json:"finished,omitzero"`
	Verdict     record.Verdict `json:"verdict,omitempty"`
	Playability *int           `json:"playabilityScore,omitempty"`
	Overall     *float64       `json:"overallScore,omitempty"`
	Confidence  *float64       `json:"confidence,omitempty"`
	Summary     string         `json:"summary,omitempty"`
	Error       string         `json:"error,omitempty"`
	// Evidence says that there are files.
	Evidence bool `json:"evidence"`
	// History are the scores of the game up to this run, oldest first, when they
	// were asked for.
	History []float64 `json:"history,omitempty"`
}

func shown(r store.Run) Run {
	return Run{
		ID: r.ID, Status: r.Status, URL: r.URL, Host: r.Host, Mode: r.Mode, Batch: r.Batch, Priority: r.Priority, Attempts: r.Attempts, MaxAttempts: r.MaxAttempts,
		Phase: r.Phase, Cancelling: r.CancelRequested && !r.Status.Ended(), Created: r.Created, Started: r.Started, Finished: r.Finished,
		Verdict: r.Verdict, Playability: r.Playability, Overall: r.Overall, Confidence: r.Confidence, Summary: r.Summary, Error: r.Error, Evidence: r.Evidence > 0,
	}
}

// results answers what became of runs.
type results struct{ store outcomes }

// outcomes is what results asks of the store, of runs that are the caller's.
type outcomes interface {
	Target(ctx context.Context, id string) (record.Target, error)
	Settings(ctx context.Context, id string) (store.Settings, error)
	Attempts(ctx context.Context, id string) ([]store.Attempt, error)
	Checkpoints(ctx context.Context, id string) ([]store.Checkpoint, error)
	Ledger(ctx context.Context, id string) ([]store.Expense, error)
	Report(ctx context.Context, id string) (*record.Report, error)
	Record(ctx context.Context, id string) (rec *record.Record, complete bool, err error)
	Events(ctx context.Context, id string, after int64, limit int) ([]store.Event, error)
}

func (v *results) routes() []route {
	return []route{
		{method: "GET", path: "/api/runs", scope: store.ScopeRead, do: listRuns, summary: "List runs, newest first", gives: Page{}, query: []parameter{
			{"status", "only runs in this state"}, {"verdict", "only runs with this verdict"}, {"host", "only runs of this host"}, {"url", "only runs of this game"},
			{"batch", "only runs that were submitted together"}, {"search", "only runs with this in their address, or with this name"},
			{"cursor", "what the page before called next"}, {"limit", "most runs to list, 1 to 200"}, {"history", "1 adds the scores that each game had before"},
		}},
		{method: "GET", path: "/api/runs/{id}", scope: store.ScopeRead, do: v.show, summary: "A run with its attempts and costs", gives: Detail{}},
		{method: "GET", path: "/api/runs/{id}/report", scope: store.ScopeRead, do: v.report, summary: "The report of a run", query: []parameter{{"format", "json (as docs/report.schema.json says), html, " + strings.Join(report.Formats, ", ")}}, media: "*/*"},
		{method: "GET", path: "/api/runs/{id}/record", scope: store.ScopeRead, do: v.record, summary: "Everything that a run measured", media: "application/json"},
		{method: "GET", path: "/api/runs/{id}/screens", scope: store.ScopeRead, do: v.screens, summary: "The screens of the game that a run reached, and the inputs between them", gives: Screens{}},
		{method: "GET", path: "/api/runs/{id}/events", scope: store.ScopeRead, do: v.events, summary: "What a run has told, oldest first", gives: Events{}, query: []parameter{{"after", "the number of the last event that is known"}, {"limit", "most events to list, 1 to 1000"}}},
		{method: "GET", path: "/api/compare", scope: store.ScopeRead, do: v.compare, summary: "What differs between two runs", gives: Comparison{}, query: []parameter{{"a", "a run"}, {"b", "another run"}}},
		{method: "GET", path: "/api/games", scope: store.ScopeRead, do: listGames, summary: "The games that were played, with their last verdict", gives: Games{}},
		{method: "GET", path: "/api/games/history", scope: store.ScopeRead, do: history, summary: "The verdicts of a game over time", gives: History{}, query: []parameter{{"url", "the game's address"}}},
	}
}

// Page is a part of a list of runs.
type Page struct {
	Runs []Run `json:"runs"`
	// Next asks for the next part as the parameter cursor; empty when this is the last.
	Next string `json:"next,omitempty"`
}

const (
	maxList     = 200
	historyLong = 12
)

func listRuns(r *request) error {
	q := r.URL.Query()
	limit, err := r.number("limit", 1, maxList, 50)
	if err != nil {
		return err
	}
	f := store.Filter{
		Status: store.Status(q.Get("status")), Verdict: q.Get("verdict"), Host: q.Get("host"), URL: q.Get("url"), Batch: q.Get("batch"), Search: q.Get("search"), Limit: int(limit) + 1,
	}
	if f.Status != "" && !slices.Contains(store.Statuses, f.Status) {
		return problem(http.StatusBadRequest, fmt.Sprintf("There is no state %q.", clip(string(f.Status))))
	}
	if f.Before, err = r.number("cursor", 1, 1<<62, 0); err != nil {
		return problem(http.StatusBadRequest, "The cursor is not one that this server gave.")
	}
	runs, err := r.who.project.List(r.Context(), f)
	if err != nil {
		return err
	}
	var page Page
	if len(runs) > int(limit) {
		runs = runs[:limit]
		page.Next = strconv.FormatInt(runs[limit-1].Seq, 10)
	}
	page.Runs = make([]Run, len(runs))
	for i, run := range runs {
		page.Runs[i] = shown(run)
		if q.Get("history") == "1" {
			if page.Runs[i].History, err = scores(r, run); err != nil {
				return err
			}
		}
	}
	return r.answer(http.StatusOK, page)
}

// scores are those of a run's game up to it, oldest first.
func scores(r *request, run store.Run) ([]float64, error) {
	points, err := r.who.project.History(r.Context(), run.URL, run.Seq, historyLong)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, p := range slices.Backward(points) {
		if p.Overall != nil {
			out = append(out, *p.Overall)
		}
	}
	return out, nil
}

// Detail is a run with everything that is known beside its report.
type Detail struct {
	Run
	Metadata  bool            `json:"metadata"`
	Seed      int64           `json:"seed,omitempty"`
	Settings  store.Settings  `json:"settings"`
	Attempted []store.Attempt `json:"attempted"`
	Reached   []Reached       `json:"checkpoints"`
	// Cost is what models cost so far, in dollars.
	Cost  float64 `json:"cost"`
	Calls int     `json:"modelCalls"`
}

// Reached is a phase that a run has behind it.
type Reached struct {
	Phase   string    `json:"phase"`
	Attempt int64     `json:"attempt"`
	At      time.Time `json:"at"`
}

func (v *results) show(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	ctx := r.Context()
	d := Detail{Run: shown(run), Reached: []Reached{}}
	target, err := v.store.Target(ctx, run.ID)
	if err != nil {
		return err
	}
	d.Metadata, d.Seed = target.Metadata != nil, target.Seed
	if d.Settings, err = v.store.Settings(ctx, run.ID); err != nil {
		return err
	}
	if d.Attempted, err = v.store.Attempts(ctx, run.ID); err != nil {
		return err
	}
	reached, err := v.store.Checkpoints(ctx, run.ID)
	if err != nil {
		return err
	}
	for _, c := range reached {
		d.Reached = append(d.Reached, Reached{c.Phase, c.Lease, c.Reached})
	}
	calls, err := v.store.Ledger(ctx, run.ID)
	if err != nil {
		return err
	}
	d.Calls = len(calls)
	for _, c := range calls {
		if c.Nano != nil {
			d.Cost += float64(*c.Nano) / 1e9
		}
	}
	return r.answer(http.StatusOK, d)
}

// unfinished says of a run that it has no report or record yet.
func unfinished(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return problem(http.StatusNotFound, "The run has no "+what+" yet, or never got one.")
	}
	return err
}

// kinds are what the formats of others are sent as.
var kinds = map[string]string{
	"md": "text/markdown; charset=utf-8", "junit": "application/xml", "sarif": "application/sarif+json", "github": "text/plain; charset=utf-8", "tap": "text/plain; charset=utf-8",
}

func (v *results) report(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	rep, err := v.store.Report(r.Context(), run.ID)
	if err != nil {
		return unfinished(err, "report")
	}
	format := r.URL.Query().Get("format")
	kind := kinds[format]
	switch {
	case format == "" || format == "json":
		return r.answer(http.StatusOK, rep)
	case format == "html":
		// Its pictures lie beside it among the evidence.
		http.Redirect(r.w, r.Request, "/api/runs/"+url.PathEscape(run.ID)+"/evidence/report.html", http.StatusSeeOther)
		return nil
	case kind == "":
		return problem(http.StatusBadRequest, "The format is not one of json, html, "+strings.Join(report.Formats, ", ")+".")
	}
	rec, _, err := v.store.Record(r.Context(), run.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // without one less is known of causes
		return err
	}
	var b bytes.Buffer
	if err := report.Write(&b, format, report.Case{Report: rep, Record: rec}); err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", evidencePolicy)
	h.Set("Cache-Control", "no-store")
	_, _ = r.w.Write(b.Bytes())
	return nil
}

func (v *results) record(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	rec, _, err := v.store.Record(r.Context(), run.ID)
	if err != nil {
		return unfinished(err, "record")
	}
	return r.answer(http.StatusOK, rec)
}

// Events are a part of what a run has told.
type Events struct {
	Events []store.Event `json:"events"`
	// Last is the number to ask on from.
	Last int64 `json:"last"`
}

func (v *results) events(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	after, err := r.number("after", 0, 1<<62, 0)
	if err != nil {
		return err
	}
	limit, err := r.number("limit", 1, 1000, 200)
	if err != nil {
		return err
	}
	list, err := v.store.Events(r.Context(), run.ID, after, int(limit))
	if err != nil {
		return err
	}
	out := Events{list, after}
	if len(list) > 0 {
		out.Last = list[len(list)-1].ID
	}
	return r.answer(http.StatusOK, out)
}
