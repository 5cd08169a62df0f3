package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

// Page is a part of a list of runs.
type Page struct {
	Runs []Run `json:"runs"`
	// Next asks for the next part as the parameter cursor; empty when this is the last.
	Next string `json:"next,omitempty"`
}

// number reads a parameter that is a number between two, or not there.
func (r *request) number(name string, least, most, otherwise int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, problem(http.StatusBadRequest, fmt.Sprintf("%s is not a number between %d and %d.", name, least, most))
	}
	return n, nil
}

const (
	maxList     = 200
	historyLong = 12
)

func (s *Server) list(r *request) error {
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
			if page.Runs[i].History, err = s.scores(r, run); err != nil {
				return err
			}
		}
	}
	return r.answer(http.StatusOK, page)
}

// scores are those of a run's game up to it, oldest first.
func (s *Server) scores(r *request, run store.Run) ([]float64, error) {
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

func (s *Server) show(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	ctx := r.Context()
	d := Detail{Run: shown(run), Reached: []Reached{}}
	target, err := s.store.Target(ctx, run.ID)
	if err != nil {
		return err
	}
	d.Metadata, d.Seed = target.Metadata != nil, target.Seed
	if d.Settings, err = s.store.Settings(ctx, run.ID); err != nil {
		return err
	}
	if d.Attempted, err = s.store.Attempts(ctx, run.ID); err != nil {
		return err
	}
	reached, err := s.store.Checkpoints(ctx, run.ID)
	if err != nil {
		return err
	}
	for _, c := range reached {
		d.Reached = append(d.Reached, Reached{c.Phase, c.Lease, c.Reached})
	}
	calls, err := s.store.Ledger(ctx, run.ID)
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

func (s *Server) cancel(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	if err := s.queue.Cancel(r.Context(), run.ID); err != nil {
		return err
	}
	if err := s.note(r, "run.cancel", run.ID, ""); err != nil {
		return err
	}
	return s.again(r)
}

func (s *Server) retry(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	if err := s.queue.Retry(r.Context(), run.ID); err != nil {
		return err
	}
	if err := s.note(r, "run.retry", run.ID, ""); err != nil {
		return err
	}
	return s.again(r)
}

// again answers with the run as it is now.
func (s *Server) again(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, shown(run))
}

// unfinished says of a run that it has no report or record yet.
func unfinished(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return problem(http.StatusNotFound, "The run has no "+what+" yet, or never got one.")
	}
	return err
}

func (s *Server) report(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	rep, err := s.store.Report(r.Context(), run.ID)
	if err != nil {
		return unfinished(err, "report")
	}
	var b bytes.Buffer
	kind := ""
	switch r.URL.Query().Get("format") {
	case "", "json":
		return r.answer(http.StatusOK, rep)
	case "md":
		kind, err = "text/markdown; charset=utf-8", report.Markdown(&b, rep)
	case "junit":
		kind, err = "application/xml", report.JUnit(&b, rep)
	case "html":
		// Its pictures lie beside it among the evidence.
		http.Redirect(r.w, r.Request, "/api/runs/"+url.PathEscape(run.ID)+"/evidence/report.html", http.StatusSeeOther)
		return nil
	default:
		return problem(http.StatusBadRequest, "The format is not one of json, md, junit, html.")
	}
	if err != nil {
		return err
	}
	h := r.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", evidencePolicy)
	h.Set("Cache-Control", "no-store")
	_, _ = r.w.Write(b.Bytes())
	return nil
}

func (s *Server) record(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	rec, _, err := s.store.Record(r.Context(), run.ID)
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

func (s *Server) events(r *request) error {
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
	list, err := s.store.Events(r.Context(), run.ID, after, int(limit))
	if err != nil {
		return err
	}
	out := Events{list, after}
	if len(list) > 0 {
		out.Last = list[len(list)-1].ID
	}
	return r.answer(http.StatusOK, out)
}
