package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Game is an address that runs of a project have played.
type Game struct {
	URL  string
	Runs int
	// Last is the newest run of it.
	Last Run
}

// Games lists up to limit games of the project, the one that was submitted last
// first.
func (p *Project) Games(ctx context.Context, limit int) ([]Game, error) {
	type row struct {
		game Game
		seq  int64
	}
	found, err := rows(ctx, p.s, func(r scanner) (g row, err error) { return g, r.Scan(&g.game.URL, &g.game.Runs, &g.seq) }, "game_list", p.id, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Game, 0, len(found))
	for _, g := range found {
		if g.game.Last, err = one(scanRun(p.s.row(ctx, "run_by_seq", g.seq, p.id))); err != nil {
			return nil, err
		}
		out = append(out, g.game)
	}
	return out, nil
}

// Point is a run in the history of a game.
type Point struct {
	Run         string         `json:"run"`
	Created     time.Time      `json:"created"`
	Status      Status         `json:"status"`
	Verdict     record.Verdict `json:"verdict,omitempty"`
	Overall     *float64       `json:"overallScore,omitempty"`
	Playability *int           `json:"playabilityScore,omitempty"`
}

// History returns up to limit runs of a game up to one, newest first; upTo 0
// begins with the newest.
func (p *Project) History(ctx context.Context, url string, upTo int64, limit int) ([]Point, error) {
	if upTo <= 0 {
		upTo = math.MaxInt64
	}
	return rows(ctx, p.s, func(row scanner) (Point, error) {
		var pt Point
		var created sql.NullInt64
		var verdict sql.NullString
		err := row.Scan(&pt.Run, &created, &pt.Status, &verdict, &pt.Overall, &pt.Playability)
		pt.Created, pt.Verdict = at(created), record.Verdict(verdict.String)
		return pt, err
	}, "game_scores", p.id, url, upTo, limit)
}

// Count is how many runs of a project are in a state.
type Count struct {
	Project string
	Status  Status
	Runs    int64
}

// Counts counts the runs of all projects.
func (s *Store) Counts(ctx context.Context) ([]Count, error) {
	return rows(ctx, s, func(row scanner) (c Count, err error) { return c, row.Scan(&c.Project, &c.Status, &c.Runs) }, "status_counts")
}
