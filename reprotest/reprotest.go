// Package reprotest makes inputs in a game in a Go test and expects of them what a
// game should do. Tests that playtest shrink writes call it.
//
// The game runs in a Chromium of this machine, under a stepped clock and with seeded
// chance, so an input at a frame does the same each time, however busy the machine
// is; what it changes is told by a second page that lives through the same seconds
// without it.
package reprotest

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

// Expectation is what an input should do.
type Expectation string

// What a case expects of its input.
const (
	// Changes: the game looks different because of it, or goes elsewhere.
	Changes Expectation = "the game changes"
	// NoError: it throws nothing that nobody catches.
	NoError Expectation = "no error is thrown"
	// Answers: the page returns from it.
	Answers Expectation = "the page answers"
)

// Case is an input, how to get to where it is made and what is expected of it.
type Case struct {
	// Width and Height are the window's, 1280 by 720 if zero.
	Width, Height int
	// Before are the inputs that lead there, with the frames of game time at which they
	// are made, sixty a second.
	Before []record.Step
	// Frame is when Input is made.
	Frame int
	Input record.Input
	Want  Expectation
	// Chromium is the browser's path; empty finds one.
	Chromium string
}

// T is what Run needs of a *testing.T.
type T interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
}

// Run fails the test when the game at the address does not do what the case expects.
func Run(t T, url string, c Case) {
	t.Helper()
	if err := Check(t.Context(), url, c); err != nil {
		t.Fatal(err)
	}
}

// UnexpectedError says that a game does not do what a case expects.
type UnexpectedError struct {
	Input record.Input
	Want  Expectation
	// Got is what happened instead, in words.
	Got string
}

func (e *UnexpectedError) Error() string {
	return fmt.Sprintf("%s: %s, want: %s", e.Input, e.Got, e.Want)
}

// Check plays the case and returns an *UnexpectedError when the game does not do what
// is expected, or another error when it could not be played.
func Check(ctx context.Context, url string, c Case) error {
	switch c.Want {
	case Changes, NoError, Answers:
	default:
		return fmt.Errorf("nobody can expect %q", c.Want)
	}
	if c.Width == 0 || c.Height == 0 {
		c.Width, c.Height = 1280, 720
	}
	b, err := browser.Launch(ctx, &browser.LaunchOptions{Path: c.Chromium, User: browser.AnyUser, StillImages: true})
	if err != nil {
		return fmt.Errorf("start a browser: %w", err)
	}
	defer b.Close()
	player := &repro.Player{URL: url, Open: func(ctx context.Context) (*browser.Context, error) {
		return b.NewContext(ctx, &browser.ContextOptions{Width: c.Width, Height: c.Height})
	}}
	out, err := player.Replay(ctx, &repro.Claim{
		Window: record.Rect{Width: float64(c.Width), Height: float64(c.Height)}, Prefix: c.Before, Frame: c.Frame, Input: c.Input,
	})
	if err != nil {
		return err
	}
	met := map[Expectation]bool{
		Changes: out.Hung == "" && (out.Pixels >= record.LeastPixels || out.Left != "" || out.Loaded),
		NoError: out.Hung == "" && out.Error == "",
		Answers: out.Hung == "",
	}
	if !met[c.Want] {
		return &UnexpectedError{Input: c.Input, Want: c.Want, Got: out.String()}
	}
	return nil
}
