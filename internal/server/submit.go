package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

const (
	// maxBody bounds the body of a request, maxBatch the runs in it.
	maxBody  = 1 << 20
	maxBatch = 1000
	// maxKey bounds an idempotency key, maxName a batch's name.
	maxKey  = 200
	maxName = 100
	// maxAttempts and maxPriority are what a request may ask for.
	maxAttempts = 10
	maxPriority = 100
	maxDelay    = 30 * 24 * time.Hour
)

// Game is what to play and how. Everything but the address may be left out; it
// names no browser, no command and no place: those are the operator's.
type Game struct {
	URL string `json:"url" jsonschema:"the game's address, http or https"`
	// Metadata as an object, or as text in JSON or YAML.
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"what the game's author says about it: an object, or the text of a JSON or YAML file"`
	Rubric   json.RawMessage `json:"rubric,omitempty" jsonschema:"weights, threshold and questions: an object, or the text of a JSON or YAML file"`
	// Mode, Agent, Evaluator and Model are the words that playtest runs submit takes.
	Mode        string   `json:"mode,omitempty" jsonschema:"standard, adaptive or agent"`
	Agent       string   `json:"agent,omitempty" jsonschema:"tools or computer, in agent mode"`
	Evaluator   string   `json:"evaluator,omitempty" jsonschema:"heuristic, data or vision"`
	Model       string   `json:"model,omitempty" jsonschema:"a chain of models such as anthropic/claude-haiku-5-5"`
	Budget      *float64 `json:"budget,omitempty" jsonschema:"most dollars that models may cost"`
	MaxDuration string   `json:"maxDuration,omitempty" jsonschema:"longest time for the whole run, such as 5m"`
	Play        string   `json:"play,omitempty" jsonschema:"how long the standard mode plays, such as 30s"`
	Delay       string   `json:"delay,omitempty" jsonschema:"do not begin before this time has passed"`
	Seed        int64    `json:"seed,omitempty" jsonschema:"makes the choices of a run repeatable"`
	Priority    int      `json:"priority,omitempty" jsonschema:"runs with a higher one go first"`
	Attempts    int      `json:"attempts,omitempty" jsonschema:"how often a run is taken up before it is given up"`
	NoMemory    bool     `json:"noMemory,omitempty" jsonschema:"play without what was learned in earlier runs"`
	Key         string   `json:"key,omitempty" jsonschema:"makes the submission repeatable: the second time it is answered with the first run"`
}

// Submit is a game, or several as a batch.
type Submit struct {
	Game
	Runs  []Game `json:"runs,omitempty" jsonschema:"several games instead of one"`
	Batch string `json:"batch,omitempty" jsonschema:"the name of what is submitted together; made when left out"`
}

// Submitted are the runs that were accepted. They will be played.
type Submitted struct {
	// ID is the run's when there is one.
	ID    string           `json:"id,omitempty"`
	Batch string           `json:"batch,omitempty"`
	Runs  []store.Accepted `json:"runs"`
}

// intake takes what is to be played, and changes its mind about it.
type intake struct {
	queue  playlist
	counts *metrics
}

// playlist is what intake asks of the queue.
type playlist interface {
	Admit(ctx context.Context, project string, subs ...store.Submission) ([]store.Accepted, error)
	Readmit(ctx context.Context, project, id string) error
	Cancel(ctx context.Context, id string) error
}

func (i *intake) routes() []route {
	return []route{
		{method: "POST", path: "/api/runs", scope: store.ScopeSubmit, do: i.submit, summary: "Submit a run, or up to 1,000 of them as a batch", takes: Submit{}, gives: Submitted{}, status: http.StatusAccepted},
		{method: "POST", path: "/api/runs/{id}/cancel", scope: store.ScopeCancel, do: i.cancel, summary: "Stop a run; what was found until then is kept", gives: Run{}},
		{method: "POST", path: "/api/runs/{id}/retry", scope: store.ScopeSubmit, do: i.retry, summary: "Queue a run again that failed, was cancelled or was parked", gives: Run{}},
		{method: "POST", path: "/api/validate", scope: store.ScopeSubmit, do: validate, summary: "Check metadata without playing", takes: Validate{}, gives: Validated{}},
	}
}

func (i *intake) submit(r *request) error {
	var body Submit
	if err := r.read(&body); err != nil {
		return err
	}
	games, single := body.Runs, false
	switch {
	case len(games) == 0:
		games, single = []Game{body.Game}, true
	case body.URL != "":
		return problem(http.StatusUnprocessableEntity, `There is a "url" beside "runs": one game, or several, but not both.`)
	case len(games) > maxBatch:
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("There are %d runs; a batch has at most %d.", len(games), maxBatch))
	}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		if !single {
			return problem(http.StatusUnprocessableEntity, `The header Idempotency-Key is for one game; in a batch each has its own "key".`)
		}
		games[0].Key = key
	}
	if len(body.Batch) > maxName {
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("The batch's name is longer than %d bytes.", maxName))
	}
	if !single && body.Batch == "" {
		body.Batch = "batch-" + store.NewID()
	}
	info, err := r.who.project.Info(r.Context())
	if err != nil {
		return err
	}
	subs := make([]store.Submission, 0, len(games))
	for n, g := range games {
		sub, err := g.submission(info.Limits.Duration)
		if err != nil {
			p := asProblem(err)
			if !single {
				p = problem(p.Status, fmt.Sprintf("Run %d: %s", n+1, p.Detail))
			}
			return p
		}
		sub.Batch = body.Batch
		subs = append(subs, sub)
	}
	accepted, err := i.admit(r, subs)
	if err != nil {
		return err
	}
	out := Submitted{Batch: body.Batch, Runs: accepted}
	if single {
		out.ID = accepted[0].ID
	}
	return r.answer(http.StatusAccepted, out)
}

// admit stores submissions when the project may have more.
func (i *intake) admit(r *request, subs []store.Submission) ([]store.Accepted, error) {
	accepted, err := i.queue.Admit(r.Context(), r.who.project.ID(), subs...)
	if err != nil {
		return nil, err
	}
	i.counts.submitted.Add(int64(len(accepted)))
	if len(accepted) == 1 {
		return accepted, r.note("run.submit", accepted[0].ID, subs[0].Target.URL)
	}
	return accepted, r.note("batch.submit", subs[0].Batch, fmt.Sprintf("%d runs", len(accepted)))
}

func (i *intake) cancel(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	if err := i.queue.Cancel(r.Context(), run.ID); err != nil {
		return err
	}
	if err := r.note("run.cancel", run.ID, ""); err != nil {
		return err
	}
	return again(r)
}

func (i *intake) retry(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	if err := i.queue.Readmit(r.Context(), run.Project, run.ID); err != nil {
		return err
	}
	if err := r.note("run.retry", run.ID, ""); err != nil {
		return err
	}
	return again(r)
}

// again answers with the run as it is now.
func again(r *request) error {
	run, err := r.run()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, shown(run))
}

// submission is what is stored of a request, through the same parsers that the
// command line uses.
func (g Game) submission(longest time.Duration) (sub store.Submission, err error) {
	wrong := func(format string, args ...any) error {
		return problem(http.StatusUnprocessableEntity, sentence(fmt.Sprintf(format, args...)))
	}
	t := record.Target{URL: g.URL, Mode: record.Mode(g.Mode), Seed: g.Seed}
	if t.Mode == "" {
		t.Mode = record.ModeStandard
	}
	if err := record.ValidateURL(g.URL); err != nil {
		return sub, wrong("%v", err)
	}
	if t.Metadata, err = parseMetadata(g.Metadata); err != nil {
		return sub, err
	}
	if raw := document(g.Rubric); len(raw) > 0 {
		if t.Rubric, err = metadata.ParseRubric(raw); err != nil {
			return sub, wrong("%v", err)
		}
	}
	var delay time.Duration
	for _, d := range []struct {
		name, text string
		into       *time.Duration
		least      time.Duration
	}{{"maxDuration", g.MaxDuration, &t.MaxDuration, time.Second}, {"play", g.Play, &t.Play, time.Second}, {"delay", g.Delay, &delay, 0}} {
		if d.text == "" {
			continue
		}
		v, err := time.ParseDuration(d.text)
		if err != nil || v < d.least {
			return sub, wrong("%s %q is not a time such as 90s or 5m", d.name, clip(d.text))
		}
		*d.into = v
	}
	if longest > 0 {
		if t.MaxDuration > longest {
			return sub, wrong("maxDuration %s is longer than the project's %s", t.MaxDuration, longest)
		}
		if t.MaxDuration == 0 {
			t.MaxDuration = min(longest, record.DefaultMaxDuration)
		}
	}
	settings := store.Settings{Agent: g.Agent, Model: g.Model, Evaluator: g.Evaluator, Budget: g.Budget, NoMemory: g.NoMemory}
	if settings.Evaluator == "" && g.Model != "" {
		settings.Evaluator = opinion.Data
	}
	if g.Model != "" {
		if _, err := model.ParseChain(g.Model); err != nil {
			return sub, wrong("model: %v", err)
		}
	}
	if err := t.Validate(); err != nil {
		return sub, wrong("%v", err)
	}
	if err := settings.Validate(t.Mode); err != nil {
		return sub, wrong("%v", err)
	}
	switch {
	case g.Priority < -maxPriority || g.Priority > maxPriority:
		return sub, wrong("priority %d is not between -%d and %d", g.Priority, maxPriority, maxPriority)
	case g.Attempts < 0 || g.Attempts > maxAttempts:
		return sub, wrong("attempts %d is not between 1 and %d", g.Attempts, maxAttempts)
	case delay > maxDelay:
		return sub, wrong("delay %s is longer than %s", delay, maxDelay)
	case len(g.Key) > maxKey:
		return sub, wrong("the key is longer than %d bytes", maxKey)
	}
	return store.Submission{Target: t, Settings: settings, Key: g.Key, Priority: g.Priority, Delay: delay, MaxAttempts: g.Attempts}, nil
}

// document is what a field holds that is an object or the text of a file.
func document(raw json.RawMessage) []byte {
	raw = bytes.TrimSpace(raw)
	var text string
	switch {
	case bytes.Equal(raw, []byte("null")):
		return nil
	case json.Unmarshal(raw, &text) == nil:
		return []byte(strings.TrimSpace(text))
	}
	return raw
}

func parseMetadata(raw json.RawMessage) (*metadata.Metadata, error) {
	data := document(raw)
	if len(data) == 0 {
		return nil, nil
	}
	m, err := metadata.Parse(data)
	if err != nil {
		return nil, problem(http.StatusUnprocessableEntity, sentence(err.Error()))
	}
	return m, nil
}

func clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "..."
}

// Validate is metadata to be checked.
type Validate struct {
	Metadata json.RawMessage `json:"metadata" jsonschema:"an object, or the text of a JSON or YAML file"`
}

// Validated says whether metadata can be used.
type Validated struct {
	Valid bool `json:"valid"`
	// Problem is what is wrong with it.
	Problem string `json:"problem,omitempty"`
	// Actions are how many inputs it declares.
	Actions int `json:"actions"`
}

func validate(r *request) error {
	var body Validate
	if err := r.read(&body); err != nil {
		return err
	}
	m, err := parseMetadata(body.Metadata)
	out := Validated{Valid: err == nil && m != nil}
	switch {
	case err != nil:
		out.Problem = asProblem(err).Detail
	case m == nil:
		out.Problem = "There is nothing in it."
	default:
		err = m.Validate()
		out.Valid = err == nil
		if err != nil {
			out.Problem = sentence(err.Error())
		}
		out.Actions = len(m.Bindings())
	}
	return r.answer(http.StatusOK, out)
}
