package load

import (
	"context"
	"regexp"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

func centre(g *game.Game) browser.Point { return browser.Point(g.Rect.Center()) }

var consentTopic = regexp.MustCompile(`(?i)cookie|consent|gdpr|privacy|personal data|datenschutz|einwillig|confidentialit|privacidad|privacidade|конфиденциальн|newsletter|subscribe|notifications?\b|advert|sponsor|rotate your (device|phone)|age verification|are you (over|at least)`)

// dismiss clears consent dialogs and the like, as a person would: by the
// button that agrees or closes.
func dismiss(ctx context.Context, g *game.Game) {
	for range 3 {
		els, err := g.Probe.Elements(ctx, g.Page, centre(g))
		if err != nil {
			return
		}
		button, ok := consentButton(els)
		if !ok {
			return
		}
		at := record.Point{X: button.CX, Y: button.CY}
		before := len(els.Elements)
		in := game.Input{Kind: game.Click, At: at, Label: button.Text, Why: "clear a dialog that lies over the game"}
		if err := g.Do(ctx, in, 0); err != nil {
			return
		}
		g.Cleared = append(g.Cleared, game.Timed{Input: in, At: g.SinceLoad()})
		g.Record.Load.Dismissed = append(g.Record.Load.Dismissed, button.Text)
		g.Decide("dismiss "+button.Text, "a dialog about something other than the game lies on the page", 0.8)
		// Wait until it is gone; dialogs fade.
		for range 10 {
			g.Pause(ctx, 50*time.Millisecond)
			again, err := g.Probe.Elements(ctx, g.Page, centre(g))
			if err != nil || len(again.Elements) < before {
				break
			}
		}
	}
}

// consentButton finds the button of a dialog whose text is about consent.
func consentButton(els *probe.Elements) (probe.Element, bool) {
	topic := false
	for _, t := range els.Texts {
		if t.InView && len(t.Text) > 12 && consentTopic.MatchString(t.Text) {
			topic = true
		}
	}
	if !topic {
		return probe.Element{}, false
	}
	for _, e := range els.Elements {
		if e.InView && e.Hit && !e.Disabled && e.Box.W < 600 && (e.Href == "" || e.Href == "#") && words.IsConsent(e.Text) {
			return e, true
		}
	}
	return probe.Element{}, false
}
