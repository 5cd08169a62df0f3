// Package knowledge remembers what worked in games, to offer it in the same
// game and in games like it.
//
// A game is known by a [Fingerprint]: its engine, its structure, what it
// listens to, what is written on it and how it looks. What worked there is kept
// as habits: a gesture that started it, a control that it answers to, an action
// that brought it further on a screen like this one. An offer's confidence is
// counted from how often the habit worked, how alike the two games and the two
// screens are, and how long ago that was.
package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Purpose is what a habit is good for.
type Purpose string

// The purposes.
const (
	Starting Purpose = "start"   // it began the game
	Control  Purpose = "control" // the game answers to it
	Progress Purpose = "plan"    // it brought the game further
)

// Habit is something that was done in a game and how often it worked.
type Habit struct {
	Purpose Purpose `json:"purpose"`
	// Do is the action, in the form of whoever taught it.
	Do json.RawMessage `json:"do"`
	// Says is the action in words.
	Says string `json:"says"`
	// On is the screen on which it was done.
	On Situation `json:"on,omitzero"`
	// Worked and Failed count how it went, Last is when it was last done.
	Worked int       `json:"worked"`
	Failed int       `json:"failed"`
	Last   time.Time `json:"last"`
}

// Entry is what is known of one game.
type Entry struct {
	ID     string      `json:"id"`
	Print  Fingerprint `json:"print"`
	Habits []Habit     `json:"habits"`
	// Runs counts the runs that taught something.
	Runs    int       `json:"runs"`
	Learned time.Time `json:"learned"`
}

// Bounds of what is kept. The least useful goes first.
const (
	MaxEntries = 500
	MaxHabits  = 60
	// halfLife is the time in which what was seen counts half.
	halfLife = 60 * 24 * time.Hour
	// hopeless is by how many failures a habit outweighs its successes when it
	// is dropped: it misleads.
	hopeless = 3
	// alike is the least similarity of games whose habits are offered.
	alike = 0.5
	// sameScreen is the least similarity of two screens on which the same can
	// be done.
	sameScreen = 0.6
)

// Options of a Book.
type Options struct {
	// Now is time.Now unless given.
	Now func() time.Time
}

// Book is the memory, on top of a store. It is safe for use by many goroutines,
// and many processes may use the same store.
type Book struct {
	store Store
	now   func() time.Time

	mu   sync.Mutex
	read []Entry // what Offers last read, and when
	at   time.Time
}

// remembered is for how long what was read is taken to be still so: every
// decision asks, and other processes teach seldom.
const remembered = 20 * time.Second

// Open makes a book of a store.
func Open(store Store, opts *Options) *Book {
	b := &Book{store: store, now: time.Now}
	if opts != nil && opts.Now != nil {
		b.now = opts.Now
	}
	return b
}

// ID names the entry of a game: the same place is the same game.
func ID(print Fingerprint) string {
	sum := sha256.Sum256([]byte(print.Site))
	return hex.EncodeToString(sum[:4])
}

// Entries are all that is known, the newest first. An entry that cannot be
// read is left out: it is of no use, and the others still are.
func (b *Book) Entries(ctx context.Context) ([]Entry, error) {
	rows, err := b.store.Knowledge(ctx)
	if err != nil {
		return nil, fmt.Errorf("read knowledge: %w", err)
	}
	return readable(rows), nil
}

// readable are the entries of rows, the newest first.
func readable(rows map[string][]byte) []Entry {
	out := make([]Entry, 0, len(rows))
	for id, data := range rows {
		var e Entry
		if json.Unmarshal(data, &e) != nil {
			continue
		}
		e.ID = id
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool {
		if !out[i].Learned.Equal(out[j].Learned) {
			return out[i].Learned.After(out[j].Learned)
		}
		return out[i].ID < out[j].ID
	})
	return out
}

// Forget removes an entry, and reports whether there was one.
func (b *Book) Forget(ctx context.Context, id string) (bool, error) {
	defer b.outdated()
	had, err := b.store.DeleteKnowledge(ctx, id)
	if err != nil {
		return false, fmt.Errorf("forget %s: %w", id, err)
	}
	return had, nil
}

// recent are the entries as they were a moment ago. They are not the caller's
// to change.
func (b *Book) recent(ctx context.Context) ([]Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if age := now.Sub(b.at); b.read != nil && age >= 0 && age < remembered {
		return b.read, nil
	}
	list, err := b.Entries(ctx)
	if err == nil {
		b.read, b.at = list, now
	}
	return list, err
}

// outdated makes the next question read anew.
func (b *Book) outdated() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = nil
}

// Lesson is one thing that was done in a run and whether it worked.
type Lesson struct {
	Purpose Purpose
	Do      json.RawMessage
	Says    string
	On      Situation
	Worked  bool
}

// Learn adds what a run taught to the game's entry. What another process
// teaches about the same game at the same moment is kept as well.
func (b *Book) Learn(ctx context.Context, print Fingerprint, lessons []Lesson) error {
	if len(lessons) == 0 || print.Site == "" {
		return nil
	}
	defer b.outdated()
	id, now := ID(print), b.now()
	err := b.store.ChangeKnowledge(ctx, id, func(old []byte) ([]byte, error) {
		var e Entry
		if json.Unmarshal(old, &e) != nil {
			e = Entry{} // none yet, or one that nobody can read
		}
		e.ID, e.Print, e.Learned = id, print, now
		e.Runs++
		for _, l := range lessons {
			e.add(l, now)
		}
		e.tidy(now)
		return json.Marshal(e)
	})
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	return b.bound(ctx)
}

// bound forgets the entries that were taught longest ago.
func (b *Book) bound(ctx context.Context) error {
	rows, err := b.store.Knowledge(ctx)
	if err != nil {
		return fmt.Errorf("read knowledge: %w", err)
	}
	if len(rows) <= MaxEntries {
		return nil
	}
	entries := readable(rows)
	for _, e := range entries[min(len(entries), MaxEntries):] { // newest first
		if _, err := b.store.DeleteKnowledge(ctx, e.ID); err != nil {
			return fmt.Errorf("forget %s: %w", e.ID, err)
		}
	}
	return nil
}

func (e *Entry) add(l Lesson, now time.Time) {
	i := slices.IndexFunc(e.Habits, func(h Habit) bool {
		return h.Purpose == l.Purpose && h.Says == l.Says && h.On.Similarity(l.On) >= sameScreen
	})
	if i < 0 {
		e.Habits = append(e.Habits, Habit{Purpose: l.Purpose, Do: l.Do, Says: l.Says, On: l.On})
		i = len(e.Habits) - 1
	}
	h := &e.Habits[i]
	// What was true long ago gives way to what is true now.
	if w, f := h.weights(now); !h.Last.IsZero() {
		h.Worked, h.Failed = int(math.Round(w)), int(math.Round(f))
	}
	if l.Worked {
		h.Worked++
		h.Do = l.Do // things move
	} else {
		h.Failed++
	}
	h.Last = now
}

// tidy drops habits that mislead, and the least sure ones beyond the bound.
func (e *Entry) tidy(now time.Time) {
	e.Habits = slices.DeleteFunc(e.Habits, func(h Habit) bool {
		w, f := h.weights(now)
		return f-w >= hopeless || h.Worked == 0
	})
	sort.SliceStable(e.Habits, func(i, j int) bool { return e.Habits[i].Chance(now) > e.Habits[j].Chance(now) })
	if len(e.Habits) > MaxHabits {
		e.Habits = e.Habits[:MaxHabits]
	}
}

// weights are the successes and failures with their age taken into account.
func (h Habit) weights(now time.Time) (worked, failed float64) {
	fade := 1.0
	if age := now.Sub(h.Last); age > 0 {
		fade = math.Pow(0.5, float64(age)/float64(halfLife))
	}
	return fade * float64(h.Worked), fade * float64(h.Failed)
}

// Chance is how likely the habit is to work again, 0 to 1. Without any
// evidence, or with evidence that has faded, it is one half.
func (h Habit) Chance(now time.Time) float64 {
	w, f := h.weights(now)
	return (w + 0.5) / (w + f + 1)
}

// Offer is a habit that may work here.
type Offer struct {
	Habit
	// Game is the entry it comes from.
	Game  string
	Title string
	// Similarity is how alike the games are, 0 to 1; Confidence in percent.
	Similarity float64
	Confidence float64
	// Why explains the offer to a person.
	Why string
}

// Offers are the habits of the nearest games that fit the purpose and the
// screen, the surest first. A zero situation fits every screen.
func (b *Book) Offers(ctx context.Context, print Fingerprint, on Situation, purpose Purpose) ([]Offer, error) {
	entries, err := b.recent(ctx)
	if err != nil {
		return nil, err
	}
	now := b.now()
	var out []Offer
	for _, e := range entries {
		near, because := print.Similarity(e.Print)
		if near < alike {
			continue
		}
		for _, h := range e.Habits {
			fits := 1.0
			if !on.Empty() {
				fits = on.Similarity(h.On)
			}
			if h.Purpose != purpose || fits < sameScreen {
				continue
			}
			out = append(out, Offer{
				Habit: h, Game: e.ID, Title: e.Print.Title, Similarity: near,
				Confidence: 100 * near * fits * h.Chance(now),
				Why: fmt.Sprintf("it worked %d of %d times on %s, %.0f %% alike (%s)",
					h.Worked, h.Worked+h.Failed, e.Print.name(), 100*near, strings.Join(because, ", ")),
			})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Confidence > out[j].Confidence })
	return out, nil
}
