package coverage_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/coverage"
)

// Which code ran because of a key: what ran since the last look.
func Example() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	recorder, err := coverage.Start(ctx, page) // before the page's first line
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Stop(ctx)
	const game = "data:text/html,<script>function jump() {}; onkeydown = (e) => { if (e.code == 'Space') jump() }</script>"
	if _, err := page.Navigate(ctx, game, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		log.Fatal(err)
	}
	if _, err := recorder.Take(ctx); err != nil {
		log.Fatal(err)
	}
	if err := page.Keyboard().Chord(ctx, []string{"Space"}, 0); err != nil {
		log.Fatal(err)
	}
	ran, err := recorder.Take(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, place := range ran.Places() {
		if place.Function == "jump" {
			fmt.Println("Space reaches", place.Function)
		}
	}
	// Output: Space reaches jump
}
