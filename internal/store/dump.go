package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Row is a row of a table as JSON: an object with the columns. Bytes are
// base64. The same in every kind of database.
type Row struct {
	Table string
	Data  json.RawMessage
}

// table is one that belongs to a run.
type table struct {
	name string
	// run is the column with the run's id, own the one that the database fills
	// by itself, which is left out.
	run, own string
}

// dumped are the tables that belong to a run, in the order in which they can
// be filled. The run's own table comes first.
var dumped = []table{
	{"test_runs", "id", "seq"},
	{"run_attempts", "run_id", ""},
	{"phase_checkpoints", "run_id", ""},
	{"run_records", "run_id", ""},
	{"run_reports", "run_id", ""},
	{"test_events", "run_id", "id"},
	{"evaluation_scores", "run_id", ""},
	{"agent_actions", "run_id", "id"},
	{"control_discoveries", "run_id", "id"},
	{"decision_log", "run_id", "id"},
	{"ledger", "run_id", "id"},
}

// binary are the columns that hold bytes.
var binary = []string{"body"}

// ErrNotEnded: only runs that have ended can be taken to another database.
var ErrNotEnded = errors.New("the run has not ended yet")

// Dump returns all rows of a run that has ended.
func (s *Store) Dump(ctx context.Context, id string) ([]Row, error) {
	run, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !run.Status.Ended() {
		return nil, ErrNotEnded
	}
	var out []Row
	for _, from := range dumped {
		list, err := s.dump(ctx, from, id)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", from.name, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

func (s *Store) dump(ctx context.Context, from table, id string) ([]Row, error) {
	order := from.own
	if order == "" {
		order = from.run
	}
	found, err := s.read.QueryContext(ctx, fmt.Sprintf("SELECT * FROM %s WHERE %s = $1 ORDER BY %s", from.name, from.run, order), id)
	if err != nil {
		return nil, err
	}
	columns, err := found.Columns()
	if err != nil {
		found.Close()
		return nil, err
	}
	return collect(found, nil, func(row scanner) (Row, error) {
		data, err := object(row, columns, from.own)
		return Row{from.name, data}, err
	}, "read rows")
}

// object turns a row into JSON.
func object(row scanner, columns []string, without string) (json.RawMessage, error) {
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := row.Scan(into...); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for i, name := range columns {
		if name == without {
			continue
		}
		if b, ok := values[i].([]byte); ok {
			values[i] = base64.StdEncoding.EncodeToString(b)
		}
		out[name] = values[i]
	}
	return json.Marshal(out)
}

// Load adds a run that was exported elsewhere, all of it or nothing. Rows of
// other runs, of unknown tables and with unknown columns are refused.
func (s *Store) Load(ctx context.Context, id string, list []Row) error {
	return s.Update(ctx, func(t *Tx) error {
		for _, row := range list {
			if err := t.load(ctx, id, row); err != nil {
				return fmt.Errorf("import a run: %w", err)
			}
		}
		run, err := t.get(ctx, id)
		if err != nil {
			return fmt.Errorf("import a run: %w", err)
		}
		if !run.Status.Ended() {
			return fmt.Errorf("import a run: %w", ErrNotEnded)
		}
		return nil
	})
}

func (t *Tx) load(ctx context.Context, id string, row Row) error {
	i := slices.IndexFunc(dumped, func(d table) bool { return d.name == row.Table })
	if i < 0 {
		return fmt.Errorf("there is no table %q", row.Table)
	}
	into := dumped[i]
	known, err := t.columns(ctx, into.name)
	if err != nil {
		return err
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(row.Data))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return fmt.Errorf("a row of %s cannot be read: %w", row.Table, err)
	}
	if object[into.run] != id {
		return fmt.Errorf("a row of %s belongs to another run", row.Table)
	}
	if into.name == "test_runs" {
		// The key may be taken here; it has done its work.
		delete(object, "idempotency_key")
		delete(object, "submission_key")
		// Projects are of one database: what is brought along becomes the default's.
		object["project"] = DefaultProject
	}
	var names, places []string
	var values []any
	for _, name := range known {
		value, given := object[name]
		if !given || name == into.own {
			continue
		}
		delete(object, name)
		if values, err = appendValue(values, name, value); err != nil {
			return fmt.Errorf("%s.%s: %w", row.Table, name, err)
		}
		names = append(names, name)
		places = append(places, fmt.Sprintf("$%d", len(values)))
	}
	for name := range object {
		return fmt.Errorf("%s has no column %q", row.Table, name)
	}
	_, err = t.tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", into.name, strings.Join(names, ", "), strings.Join(places, ", ")), storables(values)...)
	return err
}

// columns asks the database itself, so that names from an archive never
// become part of a query.
func (t *Tx) columns(ctx context.Context, table string) ([]string, error) {
	found, err := t.tx.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	return found.Columns()
}

func appendValue(values []any, name string, value any) ([]any, error) {
	switch v := value.(type) {
	case nil:
		return append(values, nil), nil
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return append(values, n), nil
		}
		f, err := v.Float64()
		return append(values, f), err
	case string:
		if slices.Contains(binary, name) {
			b, err := base64.StdEncoding.DecodeString(v)
			return append(values, b), err
		}
		return append(values, v), nil
	}
	return nil, fmt.Errorf("a value is neither text nor a number")
}
