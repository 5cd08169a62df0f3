package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// MetricOverall is the name of the sixth score row.
const MetricOverall = "overall"

// Finish stores the end of a run in one step: the record, the one report that
// it will ever have under this lease or another, its scores and the rows that
// can be asked about, which attempt's evidence is the run's, and the status.
func (t *Tx) Finish(ctx context.Context, l Lease, status Status, res Result) error {
	if err := t.Checkpoint(ctx, l, record.PhaseEvaluate, res.Record, true); err != nil {
		return err
	}
	if err := t.End(ctx, l, status, "", res.Manifest); err != nil {
		return err
	}
	return t.keep(ctx, l, res.Record, res.Report)
}

// keep writes a report and what follows from it and its record.
func (t *Tx) keep(ctx context.Context, l Lease, rec *record.Record, rep *record.Report) error {
	body, err := pack(rep)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, "result_report", l.RunID, l.Number, body); err != nil {
		return err
	}
	if _, err := t.exec(ctx, "result_scores", l.RunID, string(rep.Status), rep.PlayabilityScore, rep.OverallScore, rep.Confidence, rep.Summary); err != nil {
		return err
	}
	if err := t.scores(ctx, l.RunID, rep); err != nil {
		return err
	}
	return t.details(ctx, l.RunID, rec)
}

func (t *Tx) scores(ctx context.Context, id string, rep *record.Report) error {
	err := t.each(ctx, "result_score", len(rep.Metrics), func(i int) []any {
		m := rep.Metrics[i]
		return []any{id, m.Name, float64(m.Score), m.Weight, m.Justification}
	})
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "result_score", id, MetricOverall, rep.OverallScore, 1.0, rep.Summary)
	return err
}

func (t *Tx) details(ctx context.Context, id string, rec *record.Record) error {
	err := t.each(ctx, "result_action", len(rec.Actions), func(i int) []any {
		a := rec.Actions[i]
		outcome := a.Effect
		if a.Error != "" {
			outcome = a.Error
		}
		return []any{id, a.Time.UnixMilli(), a.Phase, a.Kind, a.Target, a.Reasoning, text(outcome), flag(a.Success), a.Took.Milliseconds()}
	})
	if err != nil {
		return err
	}
	outcomes := map[string]record.Outcome{}
	for _, trial := range rec.Explore.Trials {
		outcomes[trial.ControlID] = trial.Outcome
	}
	discovered := rec.Started
	for _, p := range rec.Phases {
		if p.Phase == record.PhaseDiscover {
			discovered = p.Started.Add(p.Duration)
		}
	}
	controls := rec.Discover.Controls
	err = t.each(ctx, "result_control", len(controls), func(i int) []any {
		c := controls[i]
		return []any{id, c.ID, c.Selector, string(c.Type), c.Description, c.Confidence, text(string(outcomes[c.ID])), discovered.UnixMilli()}
	})
	if err != nil {
		return err
	}
	answers, err := t.answers(ctx, id)
	if err != nil {
		return err
	}
	return t.each(ctx, "result_decision", len(rec.Decisions), func(i int) []any {
		d := rec.Decisions[i]
		return []any{id, d.Time.UnixMilli(), d.Phase, d.What, d.Why, text(d.Layer), d.Confidence, d.Threshold, text(decider(d, answers))}
	})
}

// modelLayers are the last words of the layers in which a model decides.
var modelLayers = []string{"agent", "computer", "vision", "language", "model"}

// decider is the model behind a decision, "" when none was: the one whose
// answer lies nearest to it in time. The record does not name it.
func decider(d record.Decision, answers []answer) string {
	words := strings.Fields(d.Layer)
	if len(words) == 0 || !slices.Contains(modelLayers, words[len(words)-1]) {
		return ""
	}
	model, nearest := "", time.Duration(math.MaxInt64)
	for _, a := range answers {
		if off := max(a.began.Sub(d.Time), d.Time.Sub(a.ended), 0); off < nearest {
			model, nearest = a.model, off
		}
	}
	return model
}

// Score is a row of evaluation_scores.
type Score struct {
	Metric        string  `json:"metric"`
	Score         float64 `json:"score"`
	Weight        float64 `json:"weight"`
	Justification string  `json:"justification"`
}

// Scores returns the five metrics and the overall score of a run.
func (s *Store) Scores(ctx context.Context, id string) ([]Score, error) {
	return rows(ctx, s, func(row scanner) (sc Score, err error) {
		return sc, row.Scan(&sc.Metric, &sc.Score, &sc.Weight, &sc.Justification)
	}, "run_scores", id)
}

// Record returns what a run measured, and whether nothing is left but to judge
// it. ErrNotFound says that nothing was kept yet.
func (s *Store) Record(ctx context.Context, id string) (rec *record.Record, complete bool, err error) {
	rec, _, complete, err = s.record(ctx, id)
	return rec, complete, err
}

// Explored returns a record that only needs to be judged, and the lease of the
// attempt that measured it. ErrNotFound says that there is none.
func (s *Store) Explored(ctx context.Context, id string) (rec *record.Record, lease int64, err error) {
	rec, lease, complete, err := s.record(ctx, id)
	if err == nil && !complete {
		err = ErrNotFound
	}
	return rec, lease, err
}

func (s *Store) record(ctx context.Context, id string) (rec *record.Record, lease int64, complete bool, err error) {
	var done int
	var body []byte
	if err := s.row(ctx, "run_record", id).Scan(&lease, &done, &body); err != nil {
		return nil, 0, false, document("record", err)
	}
	rec = &record.Record{}
	if err := unpack(body, rec); err != nil {
		return nil, 0, false, document("record", err)
	}
	if rec.Version > record.RecordVersion {
		return nil, 0, false, fmt.Errorf("read the run's record: it has version %d, this playtest knows %d", rec.Version, record.RecordVersion)
	}
	return rec, lease, done != 0, nil
}

// Report returns the report of a run. ErrNotFound says that there is none.
func (s *Store) Report(ctx context.Context, id string) (*record.Report, error) {
	var body []byte
	if err := s.row(ctx, "run_report", id).Scan(&body); err != nil {
		return nil, document("report", err)
	}
	rep := &record.Report{}
	if err := unpack(body, rep); err != nil {
		return nil, document("report", err)
	}
	return rep, nil
}

func document(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return fmt.Errorf("read the run's %s: %w", what, err)
}

func pack(value any) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(value); err != nil {
		return nil, fmt.Errorf("pack a document: %w: %w", ErrUnstorable, err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack a document: %w", err)
	}
	return b.Bytes(), nil
}

// maxDocument bounds what a packed document may grow to.
const maxDocument = 256 << 20

func unpack(body []byte, value any) error {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(z, maxDocument)).Decode(value)
}
