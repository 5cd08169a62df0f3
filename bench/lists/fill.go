package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

const (
	// period is after how many runs what played makes comes again: a multiple of
	// the 1,000 games, the 7 verdicts and the 40 scores.
	period = 7000
	// most is what the three digits of a round leave room for.
	most = 1000 * period
	// portion bounds a transaction of runs that are stored one by one.
	portion = 500
	apart   = 5 * time.Minute
)

// fill stores runs of 1,000 games on 100 hosts. The first period of them is stored as a
// worker stores runs. The others are copies that the database makes itself, of every row
// in every table that belongs to a run, with names and times of their own: one by one
// they would take a quarter of an hour. The packed documents of a copy name the run that
// it was made of.
func fill(ctx context.Context, db *store.Store, address string, runs int) error {
	return copied(ctx, db, address, runs, period)
}

func copied(ctx context.Context, db *store.Store, address string, runs, period int) error {
	if runs > most {
		return fmt.Errorf("there can be %d runs", most)
	}
	began := time.Now().Add(-time.Duration(runs) * apart)
	for from := 0; from < min(runs, period); from += portion {
		err := db.Update(ctx, func(tx *store.Tx) error {
			for i := from; i < min(from+portion, runs, period); i++ {
				if err := tx.Add(ctx, played(i, began.Add(time.Duration(i)*apart))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	raw, err := reach(address)
	if err != nil {
		return err
	}
	defer raw.Close()
	tables, err := raw.tables(ctx)
	if err != nil {
		return fmt.Errorf("find the tables of runs: %w", err)
	}
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for done := period; done < runs; done += period {
		for _, t := range tables {
			shift := time.Duration(done) * apart
			if _, err := tx.ExecContext(ctx, t.copy(done/period, min(period, runs-done), shift.Milliseconds())); err != nil {
				return fmt.Errorf("copy rows of %s: %w", t.name, err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return raw.settle(ctx)
}

// name of the n-th run of a round.
func name(round, n int) string { return fmt.Sprintf("%03d-%04d", round, n) }

// database is the one below a store.
type database struct {
	*sql.DB
	postgres bool
}

func reach(address string) (*database, error) {
	if store.IsPostgres(address) {
		db, err := sql.Open("pgx", address)
		return &database{db, true}, err
	}
	db, err := sql.Open("sqlite", "file:"+address+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=cache_size(-262144)")
	return &database{db, false}, err
}

// table is one with rows of runs. id is the column that names the run.
type table struct {
	name, id string
	columns  []string
}

// tables are those that belong to runs, the runs' own first, with the columns that the
// database does not fill by itself.
func (d *database) tables(ctx context.Context) ([]table, error) {
	query := `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND NOT (c.pk = 1 AND upper(c.type) = 'INTEGER') ORDER BY m.name, c.cid`
	if d.postgres {
		query = `SELECT table_name, column_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND is_identity = 'NO' ORDER BY table_name, ordinal_position`
	}
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []table
	for rows.Next() {
		var name, column string
		if err := rows.Scan(&name, &column); err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, table{name: name, id: "run_id"})
		}
		t := &all[len(all)-1]
		t.columns = append(t.columns, column)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	runs := slices.IndexFunc(all, func(t table) bool { return t.name == "test_runs" })
	if runs < 0 {
		return nil, fmt.Errorf("there is no table of runs")
	}
	own := all[runs]
	own.id = "id"
	all = slices.DeleteFunc(all, func(t table) bool { return !slices.Contains(t.columns, t.id) })
	return append([]table{own}, all...), nil
}

// copy is the statement that copies the rows of the first n runs into a round, later by
// shift milliseconds.
func (t table) copy(round, n int, shift int64) string {
	values := slices.Clone(t.columns)
	for i, c := range values {
		switch {
		case c == t.id:
			values[i] = fmt.Sprintf("'%03d' || substr(%s, 4)", round, c)
		case strings.HasSuffix(c, "_at") || c == "timestamp" || c == "run_after":
			values[i] = fmt.Sprintf("%s + %d", c, shift)
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s BETWEEN '%s' AND '%s' ORDER BY %s",
		t.name, strings.Join(t.columns, ", "), strings.Join(values, ", "), t.name, t.id, name(0, 0), name(0, n-1), t.id)
}

// settle does what Postgres does by itself within minutes after many rows came.
func (d *database) settle(ctx context.Context) error {
	if !d.postgres {
		return nil
	}
	_, err := d.ExecContext(ctx, "VACUUM ANALYZE")
	return err
}

func played(i int, at time.Time) store.Played {
	verdict, score := record.Pass, 60+i%40
	if i%7 == 0 {
		verdict, score = record.Fail, 10+i%40
	}
	target := record.Target{URL: fmt.Sprintf("http://games-%d.example/%d/", i%100, i/100%10)}
	rec := &record.Record{Version: record.RecordVersion, RunID: name(0, i), Target: target, Started: at, Finished: at.Add(40 * time.Second)}
	rep := &record.Report{Version: record.ReportVersion, Status: verdict, Summary: "The game can be played: it loaded, it answered to 4 keys and stayed alive for 30 seconds of play.", PlayabilityScore: score, OverallScore: float64(score), Confidence: 0.9, Timestamp: at}
	for _, name := range metadata.MetricNames {
		rep.Metrics = append(rep.Metrics, record.Metric{Name: name, Score: score, Weight: 0.2, Justification: "Measured."})
	}
	return store.Played{Result: store.Result{Record: rec, Report: rep}, Worker: "lists", Created: at}
}
