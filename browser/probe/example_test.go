package probe_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

// A page tells what it paints, when the probe was there before its first line.
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
	watch := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{watch.Script()}})
	if err != nil {
		log.Fatal(err)
	}
	const title = "data:text/html,<canvas></canvas><script>document.querySelector('canvas').getContext('2d').fillText('PLAY', 20, 20)</script>"
	if _, err := page.Navigate(ctx, title, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		log.Fatal(err)
	}
	reading, err := watch.Read(ctx, page, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range reading.Texts() {
		fmt.Println(text.Text)
	}
	// Output: PLAY
}
