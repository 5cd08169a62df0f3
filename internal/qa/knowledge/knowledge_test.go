package knowledge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/knowledge/knowledgetest"
)

var golf = knowledge.Fingerprint{
	Site: "example.com/golf/", Title: "Pocket Links", Kind: "canvas2d", Genre: "generic", Listens: []string{"mousedown", "keydown"},
	Keys: []string{"Escape"}, Structure: []string{"canvas:1"}, Words: []string{"play", "pocket links"},
}

func lesson(says string, worked bool) knowledge.Lesson {
	return knowledge.Lesson{
		Purpose: knowledge.Progress, Do: json.RawMessage(`{"kind":"click"}`), Says: says,
		On: knowledge.Situation{Words: []string{"play", "pocket links"}}, Worked: worked,
	}
}

// clock is a time that the test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func newBook(t *testing.T) (*knowledge.Book, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	return knowledge.Open(&knowledge.Ram{}, &knowledge.Options{Now: c.Now}), c
}

func teach(t *testing.T, b *knowledge.Book, print knowledge.Fingerprint, lessons ...knowledge.Lesson) {
	t.Helper()
	if err := b.Learn(t.Context(), print, lessons); err != nil {
		t.Fatal(err)
	}
}

func offers(t *testing.T, b *knowledge.Book, print knowledge.Fingerprint, words ...string) []knowledge.Offer {
	t.Helper()
	list, err := b.Offers(t.Context(), print, knowledge.Situation{Words: words}, knowledge.Progress)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestConfidenceIsCounted(t *testing.T) {
	sibling := golf
	sibling.Site, sibling.Title = "example.com/minigolf/", "Mini Golf"
	stranger := knowledge.Fingerprint{Site: "example.org/chess", Kind: "dom", Listens: []string{"click"}, Words: []string{"white to move"}, Structure: []string{"button:64"}}
	tests := []struct {
		name      string
		worked    []bool
		asks      knowledge.Fingerprint
		later     time.Duration
		low, high float64 // of the confidence; 0,0 for no offer
	}{
		{"once", []bool{true}, golf, 0, 74, 76},
		{"three times", []bool{true, true, true}, golf, 0, 86, 89},
		{"as often in vain", []bool{true, false}, golf, 0, 49, 51},
		{"mostly in vain", []bool{true, false, false}, golf, 0, 30, 40},
		{"it misleads", []bool{true, false, false, false, false}, golf, 0, 0, 0},
		{"never", []bool{false}, golf, 0, 0, 0},
		{"long ago", []bool{true}, golf, 365 * 24 * time.Hour, 49, 56},
		{"two months ago", []bool{true}, golf, 60 * 24 * time.Hour, 64, 68},
		{"on a sibling", []bool{true, true, true}, sibling, 0, 70, 88},
		{"on a stranger", []bool{true, true, true}, stranger, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, c := newBook(t)
			for _, w := range tt.worked {
				teach(t, b, golf, lesson("click PLAY", w))
			}
			c.now = c.now.Add(tt.later)
			list := offers(t, b, tt.asks, "play", "pocket links")
			if tt.high == 0 {
				if len(list) > 0 {
					t.Errorf("offered with %.0f: %s", list[0].Confidence, list[0].Why)
				}
				return
			}
			if len(list) != 1 || list[0].Confidence < tt.low || list[0].Confidence > tt.high {
				t.Fatalf("the offers are %+v, want one of %v to %v", list, tt.low, tt.high)
			}
			if !strings.Contains(list[0].Why, `"Pocket Links"`) || !strings.Contains(list[0].Why, "alike") {
				t.Errorf("the reason is %q", list[0].Why)
			}
		})
	}
}

func TestOnlyTheSameScreen(t *testing.T) {
	b, _ := newBook(t)
	teach(t, b, golf, lesson("click PLAY", true))
	if list := offers(t, b, golf, "hole # of #", "strokes #"); len(list) > 0 {
		t.Errorf("%q is offered on another screen", list[0].Says)
	}
	if list := offers(t, b, golf); len(list) != 1 {
		t.Errorf("%d offers for whatever screen, want 1", len(list))
	}
	other, err := b.Offers(t.Context(), golf, knowledge.Situation{}, knowledge.Starting)
	if err != nil || len(other) > 0 {
		t.Errorf("%d offers for another purpose (%v), want none", len(other), err)
	}
}

// What was learned of no screen in particular is counted together, and the
// newest way in which it worked is remembered.
func TestWhateverTheScreen(t *testing.T) {
	b, _ := newBook(t)
	start := func(do string, worked bool) knowledge.Lesson {
		return knowledge.Lesson{Purpose: knowledge.Starting, Do: json.RawMessage(do), Says: "click PLAY", Worked: worked}
	}
	teach(t, b, golf, start(`{"at":1}`, true))
	teach(t, b, golf, start(`{"at":2}`, true))
	teach(t, b, golf, start(`{"at":3}`, false))
	list, err := b.Offers(t.Context(), golf, knowledge.Situation{}, knowledge.Starting)
	if err != nil || len(list) != 1 || list[0].Worked != 2 || list[0].Failed != 1 || string(list[0].Do) != `{"at":2}` {
		t.Errorf("the offers are %+v (%v), want one that worked twice and failed once, done as the last time that it worked", list, err)
	}
}

func TestTheSurestComesFirst(t *testing.T) {
	b, _ := newBook(t)
	teach(t, b, golf, lesson("a", true), lesson("b", true), lesson("b", true), lesson("c", true), lesson("c", false))
	var got []string
	for _, o := range offers(t, b, golf, "play", "pocket links") {
		got = append(got, o.Says)
	}
	if strings.Join(got, " ") != "b a c" {
		t.Errorf("the order is %v, want b a c", got)
	}
}

func TestBounds(t *testing.T) {
	b, c := newBook(t)
	var many []knowledge.Lesson
	for i := range knowledge.MaxHabits + 20 {
		many = append(many, lesson(fmt.Sprintf("habit %d", i), true))
	}
	teach(t, b, golf, many...)
	entries, err := b.Entries(t.Context())
	if err != nil || len(entries) != 1 || len(entries[0].Habits) != knowledge.MaxHabits {
		t.Fatalf("%d entries (%v), want one of %d habits", len(entries), err, knowledge.MaxHabits)
	}
	for i := range knowledge.MaxEntries {
		c.now = c.now.Add(time.Second)
		f := golf
		f.Site = fmt.Sprintf("example.com/%d", i)
		teach(t, b, f, lesson("x", true))
	}
	entries, err = b.Entries(t.Context())
	if err != nil || len(entries) != knowledge.MaxEntries {
		t.Fatalf("%d entries (%v), want %d", len(entries), err, knowledge.MaxEntries)
	}
	for _, e := range entries {
		if e.Print.Site == golf.Site {
			t.Error("the oldest entry is still there")
		}
	}
}

func TestForget(t *testing.T) {
	b, _ := newBook(t)
	teach(t, b, golf, lesson("a", true))
	id := knowledge.ID(golf)
	for i, want := range []bool{true, false} {
		if got, err := b.Forget(t.Context(), id); err != nil || got != want {
			t.Errorf("forgetting the %d. time: %v, %v", i+1, got, err)
		}
	}
	if list := offers(t, b, golf); len(list) > 0 {
		t.Errorf("%q is still offered", list[0].Says)
	}
}

func TestNothingToLearn(t *testing.T) {
	b, _ := newBook(t)
	teach(t, b, golf)
	teach(t, b, knowledge.Fingerprint{}, lesson("a", true))
	if entries, err := b.Entries(t.Context()); err != nil || len(entries) > 0 {
		t.Errorf("%d entries (%v), want none", len(entries), err)
	}
}

func TestSimilarity(t *testing.T) {
	with := func(change func(*knowledge.Fingerprint)) knowledge.Fingerprint { f := golf; change(&f); return f }
	tests := []struct {
		name      string
		a, b      knowledge.Fingerprint
		low, high float64
	}{
		{"itself", golf, golf, 1, 1},
		{"itself with other words", golf, with(func(f *knowledge.Fingerprint) { f.Words = []string{"weiter"} }), 1, 1},
		{"another engine in the same place", golf, with(func(f *knowledge.Fingerprint) { f.Engine = "Phaser" }), 0.6, 0.95},
		{"a copy in another place", golf, with(func(f *knowledge.Fingerprint) { f.Site = "example.org/g" }), 0.85, 1},
		{"two of which little is known", knowledge.Fingerprint{Site: "x", Kind: "dom"}, knowledge.Fingerprint{Site: "y", Kind: "dom"}, 0, 0.2},
		{"a copy without words", with(func(f *knowledge.Fingerprint) { f.Words = nil }), with(func(f *knowledge.Fingerprint) { f.Site, f.Words = "example.org/g", nil }), 0.9, 1},
		{"nothing in common", golf, knowledge.Fingerprint{Site: "x", Kind: "dom", Genre: "puzzle", Engine: "Unity", Keys: []string{"KeyA"}, Words: []string{"no"}, Listens: []string{"click"}, Structure: []string{"button:4"}}, 0, 0.2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, why := tt.a.Similarity(tt.b)
			if got < tt.low || got > tt.high {
				t.Errorf("%.2f alike (%v), want %v to %v", got, why, tt.low, tt.high)
			}
			if back, _ := tt.b.Similarity(tt.a); back != got {
				t.Errorf("%.2f one way and %.2f the other", got, back)
			}
		})
	}
}

func TestSite(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:4711/golf/?seed=3": "127.0.0.1/golf/",
		"http://localhost:1/golf/index.html": "localhost/golf/",
		"https://example.com:8443/a#b":       "example.com:8443/a",
		"nonsense":                           "nonsense",
	} {
		if got := knowledge.Site(address); got != want {
			t.Errorf("the site of %s is %s, want %s", address, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	got := knowledge.Marks([]string{"Score: 1,024", "score: 7", "  Level\t3 ", "42", "", "Play", strings.Repeat("long ", 20)})
	if strings.Join(got, "|") != "level #|play|score: #" {
		t.Errorf("the marks are %q", got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "b:0", 1: "b:1", 3: "b:2", 5: "b:4", 7: "b:4", 50: "b:16", 1000: "b:256"} {
		if got := knowledge.Count("b", n); got != want {
			t.Errorf("%d are %s, want %s", n, got, want)
		}
	}
}

func TestLook(t *testing.T) {
	paint := func(top, bottom color.Color) image.Image {
		img := image.NewRGBA(image.Rect(0, 0, 64, 50))
		for y := range 50 {
			for x := range 64 {
				c := top
				if y >= 30 {
					c = bottom
				}
				img.Set(x, y, c)
			}
		}
		return img
	}
	sky, dusk, sea := color.RGBA{140, 180, 220, 255}, color.RGBA{145, 176, 225, 255}, color.RGBA{10, 40, 90, 255}
	a := knowledge.LookOf(paint(sky, sea))
	if got := a.Similarity(knowledge.LookOf(paint(dusk, sea))); got != 1 {
		t.Errorf("a shade makes it %.2f alike", got)
	}
	if got := a.Similarity(knowledge.LookOf(paint(sky, sky))); got < 0.5 || got > 0.7 {
		t.Errorf("another lower half makes it %.2f alike", got)
	}
	if got := a.Similarity(""); got != 0.5 {
		t.Errorf("no look is %.2f alike, want undecided", got)
	}
	if got := knowledge.LookOf(image.NewRGBA(image.Rect(0, 0, 0, 0))); got != "" {
		t.Errorf("nothing looks like %q", got)
	}
	on := knowledge.Situation{Look: a}
	if on.Empty() || on.Similarity(knowledge.Situation{Look: a}) != 1 {
		t.Error("a screen without words is not known by its look")
	}
}

// A store does as others do: internal/store runs the same over its databases.
func TestRam(t *testing.T) { knowledgetest.Run(t, &knowledge.Ram{}) }

// What cannot be read is of no use, and in nobody's way.
func TestDamagedEntries(t *testing.T) {
	store := &knowledge.Ram{}
	put := func(id, data string) {
		t.Helper()
		if err := store.ChangeKnowledge(t.Context(), id, func([]byte) ([]byte, error) { return []byte(data), nil }); err != nil {
			t.Fatal(err)
		}
	}
	put("cut-off", `{"print":{"site":"exam`)
	put("none", `42`)
	put(knowledge.ID(golf), `{"habits":"many"}`)
	b := knowledge.Open(store, nil)
	if list, err := b.Entries(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("%d entries could be read (%v), want none", len(list), err)
	}
	teach(t, b, golf, lesson("click PLAY", true))
	if list := offers(t, b, golf, "play", "pocket links"); len(list) != 1 {
		t.Errorf("%d offers after a damaged entry was taught anew, want 1", len(list))
	}
	if had, err := b.Forget(t.Context(), "cut-off"); err != nil || !had {
		t.Errorf("a damaged entry cannot be forgotten: %v", err)
	}
}

// Two processes that teach the same game at once do not undo each other's work.
func TestTaughtAtOnce(t *testing.T) {
	store := &knowledge.Ram{}
	const each = 20
	var wait sync.WaitGroup
	for range 2 {
		b := knowledge.Open(store, nil) // a book of its own, as in a process of its own
		wait.Go(func() {
			for range each {
				if err := b.Learn(t.Context(), golf, []knowledge.Lesson{lesson("click PLAY", true)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	list, err := knowledge.Open(store, nil).Entries(t.Context())
	if err != nil || len(list) != 1 || list[0].Runs != 2*each || list[0].Habits[0].Worked != 2*each {
		t.Errorf("known is %+v (%v), want %d runs that worked", list, err, 2*each)
	}
}

// What another process learned is offered after a moment.
func TestTaughtElsewhere(t *testing.T) {
	store := &knowledge.Ram{}
	c := &clock{time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	here, there := knowledge.Open(store, &knowledge.Options{Now: c.Now}), knowledge.Open(store, &knowledge.Options{Now: c.Now})
	if list := offers(t, here, golf); len(list) > 0 {
		t.Fatalf("%q is offered before anything was learned", list[0].Says)
	}
	teach(t, there, golf, lesson("click PLAY", true))
	c.now = c.now.Add(time.Minute)
	if list := offers(t, here, golf); len(list) != 1 {
		t.Errorf("%d offers a minute later, want 1", len(list))
	}
}

// broken is a store that cannot keep anything.
type broken struct{ knowledge.Ram }

var errFull = errors.New("disk full")

func (*broken) ChangeKnowledge(context.Context, string, func([]byte) ([]byte, error)) error {
	return errFull
}

func TestStoreThatFails(t *testing.T) {
	if err := knowledge.Open(&broken{}, nil).Learn(t.Context(), golf, []knowledge.Lesson{lesson("a", true)}); !errors.Is(err, errFull) {
		t.Errorf("the error is %v, want the store's", err)
	}
}
