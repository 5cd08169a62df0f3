// Package setup is what all examples begin with: flags for the page and the
// model, and a context that ends with an interrupt.
package setup

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
)

// Start reads -url, -model, -key and -base. The model is nil without a key:
// examples that ask one say so. Stop ends the context.
func Start(url string) (ctx context.Context, address string, m model.Model, stop func()) {
	flag.StringVar(&address, "url", url, "address of the page")
	name := flag.String("model", "claude-haiku-5-5", "name of the model")
	key := flag.String("key", os.Getenv("ANTHROPIC_API_KEY"), "key of the vendor (also $ANTHROPIC_API_KEY)")
	base := flag.String("base", "", "address of the vendor's API, the vendor's own if empty")
	flag.Parse()
	if *key != "" {
		made, err := anthropic.New(*name, model.Secret(*key), &anthropic.Options{BaseURL: *base})
		Must(err)
		m = made
	}
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx, address, m, stop
}

// Must ends the program with an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
