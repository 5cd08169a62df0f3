// Tabs follows a link into the tab that it opens.
package main

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, nil, &stage.OpenOptions{Context: &browser.ContextOptions{Tabs: 3}})
	setup.Must(err)
	defer st.Close()
	page := st.Page()
	tab, err := page.Context().WaitForPage(ctx, func(ctx context.Context) error { return page.Locator("text=Help").Click(ctx, nil) })
	setup.Must(err)
	st.Use(ctx, tab)
	text, err := st.Text(ctx)
	setup.Must(err)
	fmt.Print(text)
}
