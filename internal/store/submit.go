package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/playtest-dev/playtest/record"
)

// Submission asks for a run.
type Submission struct {
	Target record.Target
	// Settings are how it is played and judged.
	Settings Settings
	// Project is whom the run belongs to, DefaultProject when empty. Batch names
	// what was submitted together; it may be empty.
	Project, Batch string
	// ID is made when empty.
	ID string
	// Key makes the submission repeatable: a second one with the same key is
	// answered with the first one's run. Keys are of a project.
	Key string
	// Priority: higher goes first, 0 is usual.
	Priority int
	// Delay holds the run back.
	Delay time.Duration
	// MaxAttempts is how often the run may be taken up before it is parked.
	MaxAttempts int
}

// Accepted is a run that is stored and will be played.
type Accepted struct {
	ID string `json:"id"`
	// Repeated: the key was known; nothing was stored.
	Repeated bool `json:"repeated,omitempty"`
}

// NewID makes a name for a run that sorts by time and is not guessed.
func NewID() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // crypto/rand never fails
	return time.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b)
}

// Submit stores runs to be played.
func (t *Tx) Submit(ctx context.Context, subs []Submission) ([]Accepted, error) {
	stmt, err := t.tx.PrepareContext(ctx, t.s.queries["run_insert"])
	if err != nil {
		return nil, fmt.Errorf("submit a run: %w", err)
	}
	defer stmt.Close()
	out := make([]Accepted, 0, len(subs))
	for _, sub := range subs {
		config, err := json.Marshal(sub.Target)
		if err != nil {
			return nil, fmt.Errorf("submit a run: %w", err)
		}
		settings, err := sub.Settings.encode()
		if err != nil {
			return nil, fmt.Errorf("submit a run: %w", err)
		}
		id := sub.ID
		if id == "" {
			id = NewID()
		}
		mode := sub.Target.Mode
		if mode == "" {
			mode = record.ModeStandard
		}
		project := sub.Project
		if project == "" {
			project = DefaultProject
		}
		var seq int64
		err = stmt.QueryRowContext(ctx, storables([]any{id, sub.Target.URL, host(sub.Target.URL), string(mode), string(config), text(settings), sub.Priority,
			text(sub.Key), max(1, sub.MaxAttempts), max(0, sub.Delay.Milliseconds()), project, site(sub.Target.URL), text(sub.Batch)})...).Scan(&seq)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			known, err := t.repeated(ctx, project, sub.Key, string(config), settings)
			if err != nil {
				return nil, err
			}
			out = append(out, known)
		case err != nil:
			return nil, fmt.Errorf("submit a run: %w", err)
		default:
			out = append(out, Accepted{ID: id})
		}
	}
	return out, nil
}

// repeated finds the run that has the key already.
func (t *Tx) repeated(ctx context.Context, project, key, config, settings string) (Accepted, error) {
	var id, known string
	var with sql.NullString
	if err := t.row(ctx, "run_by_key", project, key).Scan(&id, &known, &with); err != nil {
		return Accepted{}, fmt.Errorf("find the run of an idempotency key: %w", err)
	}
	if known != storable(config) || with.String != storable(settings) {
		return Accepted{}, fmt.Errorf("%w: key %q, run %s", ErrKeyTaken, key, id)
	}
	return Accepted{ID: id, Repeated: true}, nil
}

// host is the server's name and port.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// site is what politeness goes by: the domain that somebody registered, or the
// host where there is none, as with addresses of machines.
func site(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := strings.ToLower(u.Hostname())
	if net.ParseIP(name) == nil {
		if domain, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
			return domain
		}
	}
	return host(address)
}
