package adapt_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

var everyCourse = flag.Bool("courses.all", false, "play every game with a goal, not the one whose turn it is today")

// courseDays is within how many days each of the games with a goal is played to it.
const courseDays = 3

// course is a bundled game with a goal that can be counted: the game itself
// tells on its console how far it was played.
type course struct {
	game string
	// file of the game in which the text from is replaced by the text to.
	file, from, to string
	// goal is how far the game must be played to be finished.
	goal int
	what string
}

var (
	lanterns = course{"lights", "fanaria.js", "this.#level++;", "console.debug('reached', this.#level++);", 6, "levels solved"}
	golf     = course{"golf", "links.js", "sunk = 0.01;", "sunk = 0.01; console.debug('reached', hole);", 3, "holes played"}
	skyhook  = course{"skyhook", "", "score++;", "console.debug('reached', ++score);", 6, "gaps flown through, which is the second level"}
)

// serve offers the game with its own count on the console.
func (c course) serve(t testing.TB) (url string) {
	t.Helper()
	whole := games.Handler("", nil)
	path := "/" + c.game + "/" + c.file
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			whole.ServeHTTP(w, r)
			return
		}
		plain := httptest.NewRecorder()
		whole.ServeHTTP(plain, r)
		if n := strings.Count(plain.Body.String(), c.from); n != 1 {
			t.Errorf("%s has %q %d times, want once", path, c.from, n)
		}
		w.Header().Set("Content-Type", plain.Header().Get("Content-Type"))
		fmt.Fprint(w, strings.Replace(plain.Body.String(), c.from, c.to, 1))
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/" + c.game + "/?seed=1"
}

var told = regexp.MustCompile(`reached (\d+)`)

// reached is how far the game says that it was played.
func reached(console string) int {
	most := 0
	for _, m := range told.FindAllStringSubmatch(console, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// play plays the game adaptively, from its first screen on.
func (c course) play(t *testing.T, m *modeltest.Fake, book *knowledge.Book) *adapt.Summary {
	t.Helper()
	g := openURL(t, c.serve(t))
	s, err := adapt.Play(testContext(t), g, &adapt.Options{Model: m, Book: book})
	t.Log("\n" + tell(s))
	if err != nil {
		t.Fatal(err)
	}
	var console strings.Builder
	for _, e := range g.Page.Log().Console() {
		fmt.Fprintln(&console, e.Text)
	}
	if got := reached(console.String()); got < c.goal {
		t.Errorf("%d %s, want %d; ended with %q", got, c.what, c.goal, s.Ended)
	}
	within(t, s)
	return s
}

// kept is what a run leaves behind.
type kept struct {
	mu    sync.Mutex
	files map[string]string
}

func (k *kept) Picture(name string, _ []byte) (string, error) { return name, nil }

func (k *kept) File(name string, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil {
		k.files = map[string]string{}
	}
	k.files[name] = string(data)
	return nil
}

// Standard play proves that the controls of these games work, and finishes none
// of them.
func TestStandardPlayDoesNotFinish(t *testing.T) {
	whole(t)
	for _, c := range []course{lanterns, golf, skyhook} {
		t.Run(c.game, func(t *testing.T) {
			t.Parallel()
			var left kept
			rec, rep, err := qa.Run(testContext(t), chromium, record.Target{URL: c.serve(t), Mode: record.ModeStandard, Play: time.Second}, &qa.Options{Evidence: &left})
			if err != nil {
				t.Fatal(err)
			}
			console, ok := left.files["console.log"]
			if !ok {
				t.Fatalf("the run left no console.log: %v", rep.Summary)
			}
			t.Logf("%s after %v: %s; %d %s", rep.Status, rec.Finished.Sub(rec.Started).Round(time.Second), rec.Explore.Ended, reached(console), c.what)
			if got := reached(console); got >= c.goal {
				t.Errorf("%d %s without a model; it is no example of what standard play cannot finish", got, c.what)
			}
		})
	}
}

// tell writes a run down as the documentation shows one.
func tell(s *adapt.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "played as a %s: %s\n", s.Genre, s.GenreWhy)
	for _, t := range s.Turns {
		fmt.Fprintf(&b, "%2d  %-9s %3.0f > %.0f  %s\n    %s\n    -> %s\n", t.Number, t.Layer, t.Confidence, t.Threshold, t.Action, t.Reason, orNothing(t.Effect))
	}
	fmt.Fprintf(&b, "ended: %s\n%d questions, %v; the clock was held %d times\n", s.Ended, s.Checks, s.Cost, s.Holds)
	return b.String()
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// whole skips a test that plays a whole game where time is short.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it plays a whole game")
	}
}

// noted counts the progress of a kind.
func noted(s *adapt.Summary, what string) int {
	n := 0
	for _, p := range s.Progress {
		if p.What == what {
			n++
		}
	}
	return n
}

// within checks the limits of the loop.
func within(t *testing.T, s *adapt.Summary) {
	t.Helper()
	if len(s.Turns) > adapt.DefaultActions {
		t.Errorf("%d turns, want at most %d", len(s.Turns), adapt.DefaultActions)
	}
	if s.Cost > adapt.DefaultBudget || s.Estimated || s.Checks > 0 && s.Cost == 0 {
		t.Errorf("cost %v (estimated: %v), want a measured one within %v", s.Cost, s.Estimated, adapt.DefaultBudget)
	}
	if s.Holds < s.Checks {
		t.Errorf("the clock was held %d times for %d questions", s.Holds, s.Checks)
	}
}
