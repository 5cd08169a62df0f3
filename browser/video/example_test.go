package video_test

import (
	"context"
	"errors"
	"log"
	"os"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/video"
)

// A page is recorded while it is used, and the film made afterwards.
func ExampleRecord() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
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
	recorder := video.Record(page)
	if _, err := page.Navigate(ctx, "https://example.com/game/", nil); err != nil {
		log.Fatal(err)
	}
	if err := page.Keyboard().Press(ctx, "Space", time.Second); err != nil {
		log.Fatal(err)
	}
	film, err := recorder.Stop().Make(ctx, c)
	if err != nil && !errors.Is(err, video.ErrNoEncoder) {
		log.Fatal(err)
	}
	if err := os.WriteFile("game.gif", film.GIF, 0o644); err != nil {
		log.Fatal(err)
	}
}
