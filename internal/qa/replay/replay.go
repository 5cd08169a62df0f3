// Package replay plays the same seconds of a game several times, under a clock
// and a chance of its own: twice left alone and once with inputs. What the two
// that were left alone agree on and the third does not, an input caused. It is
// exact where a game can be repeated, and it says when one cannot.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// Opener opens a fresh browser context.
type Opener func(context.Context) (*browser.Context, error)

// Try is an input with where the page was scrolled to when it was found.
type Try struct {
	Input  game.Input
	Scroll record.Point
	// At is the age of the page when it was made, for gestures that start a
	// game: a first screen may not listen at once.
	At time.Duration
}

// Plan is what the arms live through.
type Plan struct {
	URL string
	// View is the part of the viewport that is compared.
	View record.Rect
	// Focus is the frame that has the keyboard, as the page lists its frames.
	Focus int
	// Ready is how much time is let pass before anything is done, for a game that
	// shows a loading screen for so long.
	Ready time.Duration
	// Start are the gestures that start the game, made in every arm.
	Start []Try
	// MaxLead bounds the time that is let pass before each of them; zero is the
	// default.
	MaxLead time.Duration
	// Tries are made one after the other in one arm only, until one of them
	// makes a difference.
	Tries []Try
	// Later, if not zero, is how much time is let pass when none has, before
	// they are made once more: games count down before they listen.
	Later time.Duration
}

// Answer is what the comparison found.
type Answer struct {
	// Repeatable: the arms that were left alone showed the same.
	Repeatable bool
	// Cause is the index of the first try that made a difference, -1 if none did.
	// Again: it made none at first and did the second time, after all the others.
	Cause int
	Again bool
	// Pixels differed because of it, Chance between the arms left alone.
	Pixels, Chance int
	// Without and With are the pictures after it.
	Without, With *image.RGBA
}

const (
	// channelNoise is the difference of a channel that antialiasing makes.
	channelNoise = 6
	// leastPixels is how many must differ in the small picture.
	leastPixels = 4
	// unrepeatable is the share of the picture that may differ by chance.
	unrepeatable = 0.1
	closeLimit   = 5 * time.Second

	frame   = time.Second / 60
	maxLead = 12 * time.Second
)

func frames(n int) time.Duration { return time.Duration(n) * frame }

// LeavesError says that an input led away from the game.
type LeavesError struct {
	Try   int
	Input game.Input
}

func (e *LeavesError) Error() string { return fmt.Sprintf("%s leaves the game", e.Input) }

var errThrownBack = errors.New("the page was loaded again after the game had begun")

// Compare runs the plan. An error means that it could not be carried out.
func Compare(ctx context.Context, open Opener, plan Plan) (answer Answer, err error) {
	answer.Cause = -1
	var arms [3]*arm
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		closed := each(func(i int) error { return arms[i].close(closing) })
		if err != nil {
			err = errors.Join(err, closed) // beside an answer it does not matter
		}
	}()
	if err := each(func(i int) error {
		var err error
		if arms[i], err = newArm(ctx, open, plan.URL, plan.View); err != nil {
			return err
		}
		if err := arms[i].focus(ctx, plan.Focus); err != nil {
			return err
		}
		lead, age := cmp.Or(plan.MaxLead, maxLead), max(frames(warmUp), plan.Ready)
		if err := arms[i].pass(ctx, age-frames(warmUp)); err != nil {
			return err
		}
		for _, t := range plan.Start {
			if err := arms[i].pass(ctx, min(t.At-age, lead)); err != nil {
				return err
			}
			if err := arms[i].do(ctx, t, begun); err != nil {
				return fmt.Errorf("start the game: %w", err)
			}
			age = max(t.At, age) + frames(held+begun)
			arms[i].loaded(ctx)
		}
		return nil
	}); err != nil {
		return answer, err
	}
	if answer, err = differ(ctx, arms, plan.Tries); err != nil || answer.Cause >= 0 || !answer.Repeatable || plan.Later == 0 {
		return answer, err
	}
	// Nothing differed, so the arms are still alike.
	if err := each(func(i int) error { return arms[i].pass(ctx, plan.Later) }); err != nil {
		return answer, err
	}
	answer, err = differ(ctx, arms, plan.Tries)
	answer.Again = answer.Cause >= 0
	return answer, err
}

// Twice is the plan in which every arm lives through the input that an answer
// names, at the age at which it made a difference, before one makes it again.
func (p Plan) Twice(answer Answer) Plan {
	t := p.Tries[answer.Cause]
	waits := time.Duration(answer.Cause) * frames(held+follows)
	if answer.Again {
		waits += p.Later + time.Duration(len(p.Tries))*frames(held+follows)
	}
	age := max(frames(warmUp), p.Ready)
	for _, s := range p.Start {
		age = max(s.At, age) + frames(held+begun)
	}
	t.At = age + waits
	if p.MaxLead == 0 {
		p.MaxLead = max(maxLead, waits)
	}
	p.Start, p.Tries, p.Later = append(slices.Clone(p.Start), t), []Try{t}, 0
	return p
}

// acting is the arm in which the tries are made.
const acting = 2

// series is a row of tries and what was seen on the way.
type series struct {
	arms  [3]*arm
	seen  blur
	worst int // pixels that differed by chance at most
	drift int // by which the last arm comes to differ though nothing is sent
	// doubts: a try made a difference that is not clear enough.
	doubts bool
	answer Answer
}

// differ makes the tries in the last arm and finds the first that makes it
// differ from the other two.
func differ(ctx context.Context, arms [3]*arm, tries []Try) (Answer, error) {
	s := &series{arms: arms, answer: Answer{Cause: -1}}
	// Before any input all three must show the same: what a game loads may have
	// put one of them out of step.
	before, err := compare(ctx, arms, &s.seen)
	if err != nil {
		return s.answer, err
	}
	s.seen.addAll(before.pictures)
	s.worst = before.caused + before.chance
	s.answer.Chance = s.worst
	if s.answer.Repeatable = float64(s.worst) < unrepeatable*float64(before.size); !s.answer.Repeatable {
		return s.answer, nil
	}
	if s.worst > 0 {
		if s.drift, err = alone(ctx, arms, &s.seen); err != nil {
			return s.answer, err
		}
	}
	for n, t := range tries {
		if done, err := s.try(ctx, n, t); err != nil || done {
			return s.answer, err
		}
	}
	s.answer.Repeatable = !s.doubts
	return s.answer, nil
}

// try makes one of the tries and reports whether the answer is there.
func (s *series) try(ctx context.Context, n int, t Try) (done bool, err error) {
	drawn := t.Input.Kind == game.Drag && s.arms[acting].overCanvas(ctx, t)
	var release func() error
	if err := each(func(i int) (err error) {
		if i == acting {
			release, err = s.arms[i].hold(ctx, t)
			return err
		}
		return s.arms[i].rest(ctx, t)
	}); err != nil {
		return false, err
	}
	if drawn {
		// A piece may follow the pointer and go back to its place once it is let go.
		// Of elements the browser itself shows that they are pressed.
		s.arms[acting].page.Deselect(ctx)
		if done, err := s.look(ctx, n, t); err != nil || done {
			return done, err
		}
	}
	if err := each(func(i int) error {
		if i == acting {
			if err := release(); err != nil {
				return fmt.Errorf("%s: %w", t.Input, err)
			}
		}
		if err := s.arms[i].pump(ctx, follows); err != nil {
			return err
		}
		return s.arms[i].tidy(ctx, t)
	}); err != nil {
		return false, err
	}
	return s.look(ctx, n, t)
}

// look compares the arms after a try and reports whether the answer is there.
func (s *series) look(ctx context.Context, n int, t Try) (done bool, err error) {
	after, err := compare(ctx, s.arms, &s.seen)
	if err != nil {
		return false, err
	}
	if s.arms[0].thrownBack() {
		return false, errThrownBack
	}
	// What differed by chance once may do so anywhere.
	s.worst = max(s.worst, after.chance)
	s.answer.Pixels, s.answer.Chance = after.caused, s.worst
	s.answer.Repeatable = float64(s.worst) < unrepeatable*float64(after.size)
	if !s.answer.Repeatable {
		return true, nil
	}
	after.stray = max(after.stray, s.drift)
	if after.clear(sure) {
		if s.arms[acting].left(s.arms[0]) {
			return false, &LeavesError{Try: n, Input: t.Input}
		}
		s.answer.Cause, s.answer.Without, s.answer.With = n, after.pictures[0], after.pictures[acting]
		return true, nil
	}
	s.doubts = s.doubts || after.clear(likely)
	s.seen.add(after.pictures[0], after.pictures[1])
	return false, nil
}

// alone finds out by how many pixels the last arm comes to differ from the others
// in new places though nothing is sent. What is out of step and moves goes on to
// differ, and no input is to blame for it.
func alone(ctx context.Context, arms [3]*arm, seen *blur) (int, error) {
	if err := each(func(i int) error { return arms[i].pump(ctx, held+follows) }); err != nil {
		return 0, err
	}
	after, err := compare(ctx, arms, seen)
	if err != nil {
		return 0, err
	}
	seen.addAll(after.pictures)
	return after.caused, nil
}

// comparison is what the three arms show at one moment: how many pixels differ
// in the last, and how many between the other two; stray are those of the latter
// that lie where none differed before.
type comparison struct {
	pictures                    [3]*image.RGBA
	caused, chance, stray, size int
}

const (
	// sure is how many times more pixels an input must change than chance does,
	// likely how many leave it open.
	sure, likely = 10, 3
)

// clear reports whether the input made the difference and not chance.
func (c comparison) clear(times int) bool {
	return c.caused >= leastPixels && c.caused > times*c.stray
}

// compare looks at all three arms. A difference counts when a second look shows
// it: on a busy machine a page's last frame may reach its picture late.
func compare(ctx context.Context, arms [3]*arm, seen *blur) (c comparison, err error) {
	for range 2 {
		if err := each(func(i int) (err error) {
			c.pictures[i], err = arms[i].picture(ctx)
			return err
		}); err != nil {
			return c, err
		}
		c.count(seen)
		if c.caused+c.chance == 0 {
			break
		}
	}
	return c, nil
}

// each does the same in all three arms at once.
func each(do func(i int) error) error {
	var wg sync.WaitGroup
	var errs [3]error
	for i := range errs {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// count counts the pixels by which the pictures left alone differ, and those by
// which the third differs where they agree and always did.
func (c *comparison) count(seen *blur) {
	p := c.pictures
	w := min(p[0].Rect.Dx(), p[1].Rect.Dx(), p[2].Rect.Dx())
	h := min(p[0].Rect.Dy(), p[1].Rect.Dy(), p[2].Rect.Dy())
	c.caused, c.chance, c.stray, c.size = 0, 0, 0, w*h
	for y := range h {
		pa, pb, pc := p[0].Pix[y*p[0].Stride:], p[1].Pix[y*p[1].Stride:], p[2].Pix[y*p[2].Stride:]
		for x := range w {
			i := x * 4
			switch {
			case differs(pa[i:i+3], pb[i:i+3]):
				c.chance++
				if !seen.at(x, y) {
					c.stray++
				}
			case differs(pa[i:i+3], pc[i:i+3]) && !seen.at(x, y):
				c.caused++
			}
		}
	}
}

func differs(a, b []uint8) bool {
	for i := range a {
		if max(a[i], b[i])-min(a[i], b[i]) > channelNoise {
			return true
		}
	}
	return false
}
