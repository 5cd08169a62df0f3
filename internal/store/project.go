package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// DefaultProject is whom everything belongs to that names no other.
const DefaultProject = "default"

var (
	// ErrNoProject: there is no such project.
	ErrNoProject = errors.New("no such project")
	// ErrProjectName: a project cannot have this name.
	ErrProjectName = errors.New("the name of a project is made of lower case letters, digits and dashes, at most 40")
)

var projectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// Limits are what a project may use. Zero is no limit.
type Limits struct {
	Queued        int           `json:"queued"`
	Running       int           `json:"running"`
	Duration      time.Duration `json:"-"`
	EvidenceBytes int64         `json:"evidenceBytes"`
	DollarsPerDay float64       `json:"dollarsPerDay"`
}

// ProjectInfo is a row of projects.
type ProjectInfo struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Limits  Limits    `json:"limits"`
}

const nano = 1e9

func scanProject(row scanner) (ProjectInfo, error) {
	var p ProjectInfo
	var created sql.NullInt64
	var ms, money int64
	err := row.Scan(&p.ID, &created, &p.Limits.Queued, &p.Limits.Running, &ms, &p.Limits.EvidenceBytes, &money)
	p.Created, p.Limits.Duration, p.Limits.DollarsPerDay = at(created), time.Duration(ms)*time.Millisecond, float64(money)/nano
	return p, err
}

// Projects lists all.
func (s *Store) Projects(ctx context.Context) ([]ProjectInfo, error) {
	return rows(ctx, s, scanProject, "project_list")
}

// AddProject makes a project unless it is there.
func (s *Store) AddProject(ctx context.Context, id string) error {
	if !projectName.MatchString(id) {
		return fmt.Errorf("%w: %.60q", ErrProjectName, id)
	}
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "project_insert", id)
		return err
	})
}

// LimitProject sets what a project may use.
func (s *Store) LimitProject(ctx context.Context, id string, l Limits) error {
	return s.Update(ctx, func(t *Tx) error {
		n, err := t.exec(ctx, "project_limit", id, l.Queued, l.Running, l.Duration.Milliseconds(), l.EvidenceBytes, int64(math.Round(l.DollarsPerDay*nano)))
		if err == nil && n == 0 {
			return ErrNoProject
		}
		return err
	})
}

// Project is the store as a project sees it: what belongs to others is not there.
type Project struct {
	s  *Store
	id string
}

// Project returns what belongs to a project.
func (s *Store) Project(id string) *Project { return &Project{s, id} }

// ID names the project.
func (p *Project) ID() string { return p.id }

// Info is the project itself.
func (p *Project) Info(ctx context.Context) (ProjectInfo, error) {
	info, err := scanProject(p.s.row(ctx, "project_get", p.id))
	if errors.Is(err, sql.ErrNoRows) {
		return info, ErrNoProject
	}
	if err != nil {
		return info, fmt.Errorf("read a project: %w", err)
	}
	return info, nil
}

// Get returns a run of the project. Whether there is none or it is another's,
// the answer is ErrNotFound, by the same query.
func (p *Project) Get(ctx context.Context, id string) (Run, error) {
	return one(scanRun(p.s.row(ctx, "run_get_of", id, p.id)))
}

// Filter narrows a list of a project's runs. Empty fields do not.
type Filter struct {
	Status  Status
	Verdict string
	Host    string
	// URL is a game's exact address.
	URL   string
	Batch string
	// Search is a part of the address, or the run's id.
	Search string
	// Before is the Seq of the last run of the page before, 0 for the newest.
	Before int64
	// Limit is 50 when zero.
	Limit int
}

// searched is how many games a search names to the database.
const searched = 100

// List returns runs of the project, newest first.
func (p *Project) List(ctx context.Context, f Filter) ([]Run, error) {
	if f.Before <= 0 {
		f.Before = math.MaxInt64
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	args := []any{p.id, f.Before}
	where := ""
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where += " AND " + condition
	}
	if f.Status != "" {
		add("status = ?", string(f.Status))
	}
	if f.Verdict != "" {
		add("verdict = ?", f.Verdict)
	}
	if f.Host != "" {
		add("host = ?", strings.ToLower(f.Host))
	}
	if f.URL != "" {
		add("url = ?", f.URL)
	}
	if f.Batch != "" {
		add("batch = ?", f.Batch)
	}
	if f.Search != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(f.Search)) + "%"
		// Games are few and in an index; runs are many. Where many games fit, the
		// newest runs soon do.
		games, err := rows(ctx, p.s, func(row scanner) (url any, err error) { return url, row.Scan(&url) }, "game_search", p.id, like, searched+1)
		switch {
		case err != nil:
			return nil, err
		case len(games) == 0:
			add("id = ?", f.Search)
		case len(games) <= searched:
			add("url IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(games)), ", ")+")", games...)
		default:
			add(`lower(url) LIKE ? ESCAPE '\'`, like)
		}
	}
	args = append(args, f.Limit)
	query := fmt.Sprintf("SELECT %s FROM test_runs WHERE project = $1 AND seq < $2 AND pruned_at IS NULL%s ORDER BY seq DESC LIMIT $%d", runColumns, where, len(args))
	found, err := p.s.read.QueryContext(ctx, query, storables(args)...)
	return collect(found, err, scanRun, "list a project's runs")
}

// Touch writes something that changes nothing, to see whether the database
// takes it.
func (s *Store) Touch(ctx context.Context) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "store_touch")
		return err
	})
}
