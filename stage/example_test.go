package stage_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

const shop = `data:text/html,<title>Shop</title><h1>Tickets</h1>
<ul><li><a href="https://example.com/front">Front row</a> 48.50 <button onclick="document.title='Front row'">Buy front row</button></li>
<li><a href="https://example.com/back">Back row</a> 12 <button onclick="document.title='Back row'">Buy back row</button></li></ul>`

// The model of these examples answers from a script; a program would take one
// from a gateway, see package model.
func Example() {
	ctx := context.Background()
	page, watch, done := openShop(ctx)
	defer done()
	m := answers(`{"found": true, "elementId": "5", "description": "the first buy button", "method": "click", "arguments": [], "twoStep": false, "part": 0}`)

	st, err := stage.New(ctx, page, m, &stage.Options{Probe: watch})
	if err != nil {
		log.Fatal(err)
	}
	acted, err := st.Act(ctx, "buy a ticket for the front row", nil)
	if err != nil {
		log.Fatal(err)
	}
	a := acted.Actions[0]
	fmt.Println(a.Method, a.Role, a.Name)
	fmt.Println(a.Selector)
	// Output:
	// click button Buy front row
	// xpath=/html[1]/body[1]/ul[1]/li[1]/button[1]
}

func ExampleExtract() {
	ctx := context.Background()
	page, watch, done := openShop(ctx)
	defer done()
	m := answers(`{"data": [{"name": "Front row", "price": 48.5, "page": "3"}, {"name": "Back row", "price": 12, "page": "7"}]}`)

	st, err := stage.New(ctx, page, m, &stage.Options{Probe: watch})
	if err != nil {
		log.Fatal(err)
	}
	type ticket struct {
		Name  string    `json:"name"`
		Price float64   `json:"price"`
		Page  stage.URL `json:"page"` // the model answers with an id, the page has the address
	}
	tickets, err := stage.Extract[[]ticket](ctx, st, "all tickets", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tickets.Data {
		fmt.Printf("%s %.2f %s\n", t.Name, t.Price, t.Page)
	}
	// Output:
	// Front row 48.50 https://example.com/front
	// Back row 12.00 https://example.com/back
}

// From nothing to data: a browser, a page and a model in one call.
func ExampleOpen() {
	ctx := context.Background()
	m := answers(`{"data": ["Front row", "Back row"]}`) // or a vendor's model

	st, err := stage.Open(ctx, shop, m, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	rows, err := stage.Extract[[]string](ctx, st, "the rows that have tickets", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Data)
	// Output: [Front row Back row]
}

// Observe asks the model once; what it found can be done any number of times
// without it.
func ExampleStage_Perform() {
	ctx := context.Background()
	page, watch, done := openShop(ctx)
	defer done()
	m := answers(`{"elements": [{"elementId": "9", "description": "buy the back row", "method": "click", "arguments": []}], "part": 0}`)

	st, err := stage.New(ctx, page, m, &stage.Options{Probe: watch})
	if err != nil {
		log.Fatal(err)
	}
	found, err := st.Observe(ctx, "the way to buy the cheapest ticket", nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := st.Perform(ctx, found.Actions[0], nil); err != nil {
		log.Fatal(err)
	}
	var title string
	if err := page.Evaluate(ctx, "document.title", &title); err != nil {
		log.Fatal(err)
	}
	fmt.Println(title)
	// Output: Back row
}

// With a cache an instruction costs a model call only the first time.
func ExampleOpenCache() {
	ctx := context.Background()
	page, watch, done := openShop(ctx)
	defer done()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m := answers(`{"found": true, "elementId": "5", "description": "buy", "method": "click", "arguments": [], "twoStep": false, "part": 0}`)

	cache, err := stage.OpenCache(filepath.Join(dir, "actions.json"))
	if err != nil {
		log.Fatal(err)
	}
	st, err := stage.New(ctx, page, m, &stage.Options{Probe: watch, Cache: cache})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		acted, err := st.Act(ctx, "buy the front row", nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(acted.Meta.Cache, acted.Meta.Calls)
	}
	// Output:
	// miss 1
	// hit 0
}

func answers(texts ...string) model.Model { return modeltest.Replies("test/script", texts...) }

func openShop(ctx context.Context) (*browser.Page, *probe.Probe, func()) {
	c, err := chromium.NewContext(ctx, nil) // browser.Launch made chromium
	if err != nil {
		log.Fatal(err)
	}
	watch := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{watch.Script()}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := page.Navigate(ctx, shop, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		log.Fatal(err)
	}
	return page, watch, func() { _ = c.Close(ctx) }
}
