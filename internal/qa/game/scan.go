package game

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/record"
)

// Scan sends inputs one after the other, quickly and without pictures, and
// returns the code that ran for each. It is how a few dozen keys are tried in a
// second or two. An input after which the page is another document is the last:
// what follows would be another page's. Its window counts that navigation, and no
// window those within a document.
func (g *Game) Scan(ctx context.Context, inputs []Input, hold time.Duration) ([]cause.Window, error) {
	at, known := g.scroll(ctx)
	out, err := g.scan(ctx, inputs, hold)
	if err != nil || !known || Left(out) {
		return out, err
	}
	if now, ok := g.scroll(ctx); ok && now != at {
		// What is looked at from here on is the game, not what lies below it. A
		// page that cannot be scrolled back is looked at where it is.
		_ = g.scrollTo(ctx, at)
	}
	return out, nil
}

// Left reports whether a scan ended because the page was left.
func Left(scanned []cause.Window) bool {
	return len(scanned) > 0 && scanned[len(scanned)-1].Navigations > 0
}

func (g *Game) scan(ctx context.Context, inputs []Input, hold time.Duration) ([]cause.Window, error) {
	out := make([]cause.Window, 0, len(inputs))
	document := g.Page.MainFrame().Document()
	g.Take(ctx)
	for _, in := range inputs {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		g.Doing = in.String()
		logged := g.Page.Log().Counts()
		started := time.Now()
		release, err := g.press(ctx, in)
		if err == nil {
			pause(ctx, hold)
			err = release(ctx)
		}
		if err == nil {
			w := cause.Window{Input: in.String(), Code: g.Take(ctx)}
			if in.Kind == Idle {
				w.Input = ""
			}
			now := g.Page.Log().Counts()
			w.Dialogs, w.Throws = now.Dialogs-logged.Dialogs, now.Exceptions-logged.Exceptions
			if g.Page.MainFrame().Document() != document {
				w.Navigations = 1
			}
			out = append(out, w)
		}
		if in.Kind != Idle {
			g.act(record.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why}, started, err)
		}
		if err != nil {
			if gone := g.Alive(ctx); gone != nil {
				return out, gone
			}
			return out, err
		}
		if Left(out) {
			return out, nil
		}
	}
	g.Doing = ""
	return out, nil
}
