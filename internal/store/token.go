package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scope is what a token allows.
type Scope string

// The scopes. Admin allows everything within its project.
const (
	ScopeSubmit Scope = "submit"
	ScopeRead   Scope = "read"
	ScopeCancel Scope = "cancel"
	ScopeAdmin  Scope = "admin"
)

// Scopes lists them.
var Scopes = []Scope{ScopeSubmit, ScopeRead, ScopeCancel, ScopeAdmin}

// ErrToken: a token or a session is unknown, wrong, expired or revoked. Which of
// them is not told.
var ErrToken = errors.New("the token is not valid")

// Token is a row of tokens, without what would let anybody in.
type Token struct {
	ID      string    `json:"id"`
	Project string    `json:"project"`
	Name    string    `json:"name"`
	Scopes  []Scope   `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Used    time.Time `json:"used,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	// Valid: neither expired nor revoked.
	Valid bool `json:"valid"`

	hash string
}

// Allows reports whether the token has a scope.
func (t Token) Allows(s Scope) bool {
	return slices.Contains(t.Scopes, s) || slices.Contains(t.Scopes, ScopeAdmin)
}

// tokenPrefix lets people and scanners of secrets see what a token is.
const tokenPrefix = "pt_"

// AddToken makes a token and returns its text, which is kept nowhere. A
// validity of 0 does not end.
func (s *Store) AddToken(ctx context.Context, project, name string, scopes []Scope, valid time.Duration) (text string, id string, err error) {
	if len(scopes) == 0 {
		return "", "", errors.New("a token needs a scope")
	}
	var names []string
	for _, sc := range scopes {
		if !slices.Contains(Scopes, sc) {
			return "", "", fmt.Errorf("there is no scope %q", sc)
		}
		names = append(names, string(sc))
	}
	if err := s.AddProject(ctx, project); err != nil {
		return "", "", err
	}
	id, secret := randomHex(6), randomText()
	text = tokenPrefix + id + "_" + secret
	err = s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "token_insert", id, project, name, hashed(text), strings.Join(names, ","), valid.Milliseconds())
		return err
	})
	return text, id, err
}

// Authenticate returns the token with this text, or ErrToken.
func (s *Store) Authenticate(ctx context.Context, text string) (Token, error) {
	// What does not look like a token is hashed and looked for all the same, so
	// that the time tells nothing.
	id := ""
	if rest, ok := strings.CutPrefix(text, tokenPrefix); ok {
		id, _, _ = strings.Cut(rest, "_")
	}
	sum := hashed(text)
	t, err := scanToken(s.row(ctx, "token_get", id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Token{}, fmt.Errorf("read a token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(sum), []byte(t.hash)) != 1 || !t.Valid {
		return Token{}, ErrToken
	}
	return t, s.used(ctx, t)
}

func (s *Store) used(ctx context.Context, t Token) error {
	if time.Since(t.Used) < time.Minute {
		return nil
	}
	return s.Update(ctx, func(tx *Tx) error {
		_, err := tx.exec(ctx, "token_used", t.ID)
		return err
	})
}

func scanToken(row scanner) (Token, error) {
	var t Token
	var scopes string
	var created, expires, used, revoked sql.NullInt64
	var valid int
	err := row.Scan(&t.ID, &t.Project, &t.Name, &scopes, &created, &expires, &used, &revoked, &t.hash, &valid)
	for name := range strings.SplitSeq(scopes, ",") {
		t.Scopes = append(t.Scopes, Scope(name))
	}
	t.Created, t.Expires, t.Used, t.Revoked, t.Valid = at(created), at(expires), at(used), at(revoked), valid == 1
	return t, err
}

// Tokens lists all of every project, oldest first.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	return rows(ctx, s, scanToken, "token_list")
}

// RevokeToken ends a token and its sessions, and reports whether it was valid.
func (s *Store) RevokeToken(ctx context.Context, id string) (was bool, err error) {
	err = s.Update(ctx, func(t *Tx) error {
		n, err := t.exec(ctx, "token_revoke", id)
		was = n > 0
		return err
	})
	return was, err
}

// BeginSession makes a session of a token and returns its text, which is kept
// nowhere.
func (s *Store) BeginSession(ctx context.Context, t Token, valid time.Duration) (string, error) {
	text := randomText()
	err := s.Update(ctx, func(tx *Tx) error {
		if _, err := tx.exec(ctx, "session_sweep"); err != nil {
			return err
		}
		_, err := tx.exec(ctx, "session_insert", hashed(text), t.ID, valid.Milliseconds())
		return err
	})
	return text, err
}

// Session returns the token behind a session, or ErrToken.
func (s *Store) Session(ctx context.Context, text string) (Token, error) {
	t, err := scanToken(s.row(ctx, "session_get", hashed(text)))
	if errors.Is(err, sql.ErrNoRows) {
		return Token{}, ErrToken
	}
	if err != nil {
		return Token{}, fmt.Errorf("read a session: %w", err)
	}
	return t, nil
}

// EndSession forgets a session. It may be repeated.
func (s *Store) EndSession(ctx context.Context, text string) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "session_end", hashed(text))
		return err
	})
}

// Tokens and sessions are random, so a plain hash cannot be guessed back.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never fails
	return hex.EncodeToString(b)
}

func randomText() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}
