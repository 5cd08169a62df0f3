package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
)

func addProject(t *testing.T, s *store.Store, id string) *store.Project {
	t.Helper()
	if err := s.AddProject(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return s.Project(id)
}

func of(project, url string) store.Submission {
	sub := game(url)
	sub.Project = project
	return sub
}

func TestProjectsDoNotSeeEachOther(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		red, blue := addProject(t, s, "red"), addProject(t, s, "blue")
		mine := submit(t, s, of("red", "http://a.example/"))[0].ID
		submit(t, s, of("blue", "http://b.example/"), game("http://c.example/"))
		if _, err := blue.Get(ctx, mine); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another project's run: %v", err)
		}
		list, err := red.List(ctx, store.Filter{})
		if err != nil || len(list) != 1 || list[0].ID != mine || list[0].Project != "red" {
			t.Errorf("red lists %+v, %v", list, err)
		}
		if err := red.ChangeKnowledge(ctx, "k", func([]byte) ([]byte, error) { return []byte("red's"), nil }); err != nil {
			t.Fatal(err)
		}
		if known, err := blue.Knowledge(ctx); err != nil || len(known) != 0 {
			t.Errorf("blue knows %v, %v", known, err)
		}
		if known, err := s.Knowledge(ctx); err != nil || len(known) != 0 {
			t.Errorf("the default project knows %v, %v", known, err)
		}
	})
}

func TestKeysAreOfAProject(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		addProject(t, s, "red")
		with := func(project string) store.Accepted {
			sub := of(project, "http://a.example/")
			sub.Key = "build-1"
			return submit(t, s, sub)[0]
		}
		first, second, again := with("red"), with(""), with("red")
		if first.ID == second.ID || second.Repeated || again.ID != first.ID || !again.Repeated {
			t.Errorf("first %+v, of another project %+v, again %+v", first, second, again)
		}
	})
}

func TestProjectsTakeTurns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		addProject(t, s, "late")
		for range 4 {
			submit(t, s, game("http://a.example/"))
		}
		submit(t, s, of("late", "http://b.example/"), of("late", "http://b.example/"))
		var served []string
		for range 6 {
			r, err := claim(t, s, 0)
			if err != nil {
				t.Fatal(err)
			}
			served = append(served, r.Project)
		}
		if n := slices.Index(served, "late"); n > 1 {
			t.Errorf("the project that came last waits for %d others: %v", n, served)
		}
		if i := slices.Index(served[3:], "late"); i > 0 {
			t.Errorf("a project with fewer under way was not served first: %v", served)
		}
	})
}

func TestAProjectHasNoMoreUnderWayThanItMay(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		if err := s.LimitProject(t.Context(), store.DefaultProject, store.Limits{Running: 1, Duration: time.Minute, DollarsPerDay: 2.5}); err != nil {
			t.Fatal(err)
		}
		submit(t, s, game("http://a.example/"), game("http://b.example/"))
		if _, err := claim(t, s, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := claim(t, s, 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a second run: %v", err)
		}
		info, err := s.Project(store.DefaultProject).Info(t.Context())
		if err != nil || info.Limits.Running != 1 || info.Limits.Duration != time.Minute || info.Limits.DollarsPerDay != 2.5 {
			t.Errorf("limits %+v, %v", info, err)
		}
	})
}

func TestPolitenessGoesByTheRegisteredDomain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		submit(t, s, game("http://one.games.example/"), game("http://two.games.example/"), game("http://127.0.0.1:8080/"), game("http://127.0.0.1:8081/"))
		var hosts []string
		for {
			r, err := claim(t, s, 1)
			if errors.Is(err, store.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, r.Host)
		}
		if want := []string{"one.games.example", "127.0.0.1:8080", "127.0.0.1:8081"}; !slices.Equal(hosts, want) {
			t.Errorf("under way at once: %v, not %v", hosts, want)
		}
	})
}

func TestListFilters(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := s.Project(store.DefaultProject)
		a, b, c := game("http://a.example/50%_off/"), game("http://b.example/"), game("http://b.example/other")
		b.Batch, c.Batch = "night", "night"
		submit(t, s, a, b, c)
		for _, tt := range []struct {
			name   string
			filter store.Filter
			want   []string
		}{
			{"all, newest first", store.Filter{}, []string{c.Target.URL, b.Target.URL, a.Target.URL}},
			{"a part of the address", store.Filter{Search: "OTHER"}, []string{c.Target.URL}},
			{"signs of a pattern are text", store.Filter{Search: "%_o"}, []string{a.Target.URL}},
			{"a host", store.Filter{Host: "B.example"}, []string{c.Target.URL, b.Target.URL}},
			{"a batch", store.Filter{Batch: "night", Limit: 1}, []string{c.Target.URL}},
			{"a game", store.Filter{URL: b.Target.URL}, []string{b.Target.URL}},
			{"a state", store.Filter{Status: store.Running}, nil},
		} {
			list, err := p.List(t.Context(), tt.filter)
			var got []string
			for _, r := range list {
				got = append(got, r.URL)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		text, id, err := s.AddToken(ctx, "red", "ci", []store.Scope{store.ScopeSubmit, store.ScopeRead}, 0)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := s.Authenticate(ctx, text)
		if err != nil || tok.Project != "red" || !tok.Allows(store.ScopeRead) || tok.Allows(store.ScopeCancel) || tok.Allows(store.ScopeAdmin) {
			t.Fatalf("token %+v, %v", tok, err)
		}
		for _, wrong := range []string{"", "pt_", text + "x", text[:len(text)-1], "pt_" + id + "_", strings.ToUpper(text)} {
			if _, err := s.Authenticate(ctx, wrong); !errors.Is(err, store.ErrToken) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		session, err := s.BeginSession(ctx, tok, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Session(ctx, session); err != nil || got.ID != id {
			t.Fatalf("session %+v, %v", got, err)
		}
		if was, err := s.RevokeToken(ctx, id); err != nil || !was {
			t.Fatalf("revoke: %v, %v", was, err)
		}
		if _, err := s.Authenticate(ctx, text); !errors.Is(err, store.ErrToken) {
			t.Errorf("a revoked token: %v", err)
		}
		if _, err := s.Session(ctx, session); !errors.Is(err, store.ErrToken) {
			t.Errorf("a session of a revoked token: %v", err)
		}
		short, _, err := s.AddToken(ctx, "red", "short", []store.Scope{store.ScopeRead}, time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		until(t, func() bool {
			_, err := s.Authenticate(ctx, short)
			return errors.Is(err, store.ErrToken)
		})
		list, err := s.Tokens(ctx)
		if err != nil || len(list) != 2 || list[0].Revoked.IsZero() || list[0].Valid || list[1].Expires.IsZero() {
			t.Errorf("tokens %+v, %v", list, err)
		}
	})
}

// until asks again and again, for as long as a test may take.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("it never came")
		}
	}
}

func TestTheEndOfARunIsToldOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		red := addProject(t, s, "red")
		hook, secret, err := red.AddWebhook(ctx, "https://hooks.example/")
		if err != nil || secret == "" {
			t.Fatal(err)
		}
		submit(t, s, game("http://other.example/"))
		mine := submit(t, s, of("red", "http://a.example/"))[0].ID
		for range 2 {
			r, err := claim(t, s, 0)
			if err != nil {
				t.Fatal(err)
			}
			update(t, s, func(tx *store.Tx) error {
				return tx.End(ctx, store.Lease{RunID: r.ID, Number: r.Lease}, store.Failed, "no", "")
			})
		}
		d, err := s.TakeDelivery(ctx)
		if err != nil || d.Run != mine || d.URL != hook.URL || d.Secret != secret || d.Attempts != 1 {
			t.Fatalf("delivery %+v, %v", d, err)
		}
		if _, err := s.TakeDelivery(ctx); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("somebody else takes it, too: %v", err)
		}
		if err := s.Undelivered(ctx, d.ID, 0, false, "503"); err != nil {
			t.Fatal(err)
		}
		if d, err = s.TakeDelivery(ctx); err != nil || d.Attempts != 2 {
			t.Fatalf("again %+v, %v", d, err)
		}
		if err := s.Delivered(ctx, d.ID); err != nil {
			t.Fatal(err)
		}
		if had, err := s.Project(store.DefaultProject).DeleteWebhook(ctx, hook.ID); had || err != nil {
			t.Errorf("another project deletes it: %v, %v", had, err)
		}
	})
}

func TestAuditIsOfAProject(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		red := addProject(t, s, "red")
		if err := red.Note(t.Context(), store.Audit{Actor: "ci", Action: "run.submit", Subject: "r1"}); err != nil {
			t.Fatal(err)
		}
		notes, err := red.Noted(t.Context(), 0, 10)
		if err != nil || len(notes) != 1 || notes[0].Action != "run.submit" || notes[0].At.IsZero() {
			t.Errorf("noted %+v, %v", notes, err)
		}
		if notes, err := s.Project(store.DefaultProject).Noted(t.Context(), 0, 10); err != nil || len(notes) != 0 {
			t.Errorf("of another project: %+v, %v", notes, err)
		}
	})
}

func TestNamesOfProjects(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	for _, bad := range []string{"", "A", "a b", "-a", "a-", "../a", strings.Repeat("a", 41)} {
		if err := s.AddProject(t.Context(), bad); !errors.Is(err, store.ErrProjectName) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
