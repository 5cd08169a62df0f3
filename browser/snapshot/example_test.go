package snapshot_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// A page of the examples.
const signIn = `data:text/html,<title>Sign in</title><main><h1>Welcome back</h1>
<label>Name <input value="Ada" required></label><button disabled>Sign in</button></main>`

func Example() {
	ctx := context.Background()
	page, done := openExample(ctx, signIn)
	defer done()

	reader := snapshot.New(page, nil)
	snap, err := reader.Capture(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(snap.Format(&snapshot.FormatOptions{Form: snapshot.Interactive}))
	// Output:
	// page "Sign in" 1280x720
	// 1 main
	//  2 heading1 "Welcome back"
	//  3 textbox "Name" = "Ada" (required)
	//  4 button "Sign in" (disabled)
}

func ExampleSnapshot_Since() {
	ctx := context.Background()
	page, done := openExample(ctx, signIn)
	defer done()

	reader := snapshot.New(page, nil)
	before, err := reader.Capture(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := page.Evaluate(ctx, `document.querySelector('button').disabled = false`, nil); err != nil {
		log.Fatal(err)
	}
	after, err := reader.Capture(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(after.Since(before).Format(nil))
	// Output:
	// ~ 4 button "Sign in"
}

func ExampleSnapshot_Selectors() {
	ctx := context.Background()
	page, done := openExample(ctx, signIn)
	defer done()

	snap, err := snapshot.New(page, nil).Capture(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range snap.Selectors(snap.Node("4")).List() {
		fmt.Println(s)
	}
	// Output:
	// role=button[name="Sign in"]
	// xpath=/html[1]/body[1]/main[1]/button[1]
}

func openExample(ctx context.Context, url string) (*browser.Page, func()) {
	c, err := chromium.NewContext(ctx, nil) // browser.Launch made chromium
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		log.Fatal(err)
	}
	return page, func() { _ = c.Close(ctx) }
}
