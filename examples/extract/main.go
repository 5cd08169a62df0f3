// Extract reads a list out of a page into a struct.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

type product struct {
	Name  string    `json:"name"`
	Price float64   `json:"price"`
	Page  stage.URL `json:"page"` // the address comes from the page, never from the model
}

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, setup.Model(), nil)
	setup.Must(err)
	defer st.Close()
	products, err := stage.Extract[[]product](ctx, st, "all products", nil)
	setup.Must(err)
	for _, p := range products.Data {
		fmt.Printf("%s %.2f %s\n", p.Name, p.Price, p.Page)
	}
}
