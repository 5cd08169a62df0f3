package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

const form = `data:text/html,<title>Sign in</title><input id="name"><button onclick="setTimeout(() => document.title = 'Hello ' + document.getElementById('name').value, 100)">Go</button>`

// A browser has contexts, a context has pages, and a page is acted on through
// locators, which wait.
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
	if _, err := page.Navigate(ctx, form, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.Locator("#name").Fill(ctx, "Ada"); err != nil {
		log.Fatal(err)
	}
	if err := page.Locator("text=Go").Click(ctx, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.Locator("//title[text()='Hello Ada']").WaitFor(ctx, browser.Attached); err != nil {
		log.Fatal(err)
	}
	fmt.Println("signed in")
	// Output: signed in
}

// What keeps a locator waiting is told when the time is over.
func ExampleLocator_Click() {
	page, done := exampleForm()
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := page.Locator("#nowhere").Click(ctx, nil)
	fmt.Println(errors.Is(err, browser.ErrNoMatch), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

// A login survives in a file.
func ExampleContext_StorageState() {
	ctx := context.Background()
	page, done := exampleForm()
	defer done()
	cookie := browser.Cookie{Name: "user", Value: "ada", Domain: "example.com", Path: "/"}
	if err := page.Context().SetCookies(ctx, []browser.Cookie{cookie}); err != nil {
		log.Fatal(err)
	}
	state, err := page.Context().StorageState(ctx)
	if err != nil {
		log.Fatal(err)
	}
	again, err := chromium.NewContext(ctx, &browser.ContextOptions{Storage: state}) // state.SaveTo and LoadStorageState in between
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close(ctx)
	cookies, err := again.Cookies(ctx, "https://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cookies[0].Name, cookies[0].Value)
	// Output: user ada
}

func ExampleDevice() {
	opts, err := browser.Device("Pixel 8")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(opts.Width, opts.Height, opts.Touch)
	// Output: 412 915 true
}

func exampleForm() (*browser.Page, func()) {
	ctx := context.Background()
	c, err := chromium.NewContext(ctx, nil) // browser.Launch made chromium
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := page.Navigate(ctx, form, nil); err != nil {
		log.Fatal(err)
	}
	return page, func() { _ = c.Close(ctx) }
}
