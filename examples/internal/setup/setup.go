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
	"github.com/playtest-dev/playtest/model/provider"
)

var name = flag.String("model", "anthropic/claude-haiku-5-5", "the model, as vendor/name; its key is taken from the environment, such as $ANTHROPIC_API_KEY")

// Start reads the flags. Stop ends the context.
func Start(url string) (ctx context.Context, address string, stop func()) {
	flag.StringVar(&address, "url", url, "address of the page")
	flag.Parse()
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx, address, stop
}

// Model is the model that was chosen.
func Model() model.Model {
	m, err := provider.Open(*name, nil)
	Must(err)
	return m
}

// Must ends the program with an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
