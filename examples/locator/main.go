// Locator drives a page without any model.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, nil, nil)
	setup.Must(err)
	defer st.Close()
	page := st.Page()
	setup.Must(page.Locator("#search").Fill(ctx, "cake"))
	setup.Must(page.Locator(`role=button[name="Find"]`).Click(ctx, nil))
	setup.Must(page.WaitForText(ctx, "found"))
	text, err := page.Locator("//p[@id='result']").Text(ctx)
	setup.Must(err)
	fmt.Println(text)
}
