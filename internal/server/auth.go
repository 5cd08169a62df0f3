package server

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

const (
	cookieName  = "playtest_session"
	sessionTime = 12 * time.Hour
)

// caller is who sent a request.
type caller struct {
	store.Token
	project *store.Project
	// local: nobody showed a token, and the server is open.
	local bool
}

func (c caller) actor() string {
	if c.local {
		return "this machine"
	}
	if c.Name == "" {
		return "token " + c.Token.ID
	}
	return c.Name + " (token " + c.Token.ID + ")"
}

// who finds out who sent a request: a bearer's token, a session, or somebody on
// this machine when the server is open. A token that is shown must be valid, also
// where none is needed.
func (d *door) who(r *http.Request) (caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, text, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "bearer") {
			return caller{}, unauthorized
		}
		t, err := d.tokens.Authenticate(r.Context(), strings.TrimSpace(text))
		return d.called(t, err)
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		t, err := d.tokens.Session(r.Context(), cookie.Value)
		if err == nil || !d.open || !errors.Is(err, store.ErrToken) {
			return d.called(t, err)
		}
		// Left over from a server that was not open.
	}
	if d.open {
		t := store.Token{Project: store.DefaultProject, Name: "this machine", Scopes: []store.Scope{store.ScopeAdmin}, Valid: true}
		return caller{Token: t, project: d.tokens.Project(t.Project), local: true}, nil
	}
	return caller{}, unauthorized
}

var unauthorized = problem(http.StatusUnauthorized, "A valid token is needed: Authorization: Bearer, or log in.")

func (d *door) called(t store.Token, err error) (caller, error) {
	if errors.Is(err, store.ErrToken) {
		d.counts.refused.Add(1)
		return caller{}, unauthorized
	}
	if err != nil {
		return caller{}, err
	}
	return caller{Token: t, project: d.tokens.Project(t.Project)}, nil
}

// logIn begins a session for the token that a person has typed.
func (d *door) logIn(r *request) error {
	r.Body = http.MaxBytesReader(r.w, r.Body, 4<<10)
	if err := r.ParseForm(); err != nil {
		return problem(http.StatusBadRequest, "The form cannot be read.")
	}
	t, err := d.tokens.Authenticate(r.Context(), strings.TrimSpace(r.PostForm.Get("token")))
	if errors.Is(err, store.ErrToken) {
		d.counts.refused.Add(1)
		http.Redirect(r.w, r.Request, "/login?wrong=1", http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	text, err := d.tokens.BeginSession(r.Context(), t, sessionTime)
	if err != nil {
		return err
	}
	if err := d.tokens.Project(t.Project).Note(r.Context(), store.Audit{Actor: caller{Token: t}.actor(), Action: "session.begin"}); err != nil {
		return err
	}
	d.setCookie(r.w, text, int(sessionTime.Seconds()))
	http.Redirect(r.w, r.Request, "/", http.StatusSeeOther)
	return nil
}

func (d *door) logOut(r *request) error {
	if cookie, err := r.Cookie(cookieName); err == nil {
		if err := d.tokens.EndSession(r.Context(), cookie.Value); err != nil {
			return err
		}
	}
	d.setCookie(r.w, "", -1)
	http.Redirect(r.w, r.Request, "/login", http.StatusSeeOther)
	return nil
}

func (d *door) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteStrictMode,
	})
}
