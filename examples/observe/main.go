// Observe asks the model once and then acts without it.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, setup.Model(), nil)
	setup.Must(err)
	defer st.Close()
	found, err := st.Observe(ctx, "the buttons that buy something", nil)
	setup.Must(err)
	for _, a := range found.Actions {
		done, err := st.Perform(ctx, a, nil)
		setup.Must(err)
		fmt.Println(a.Name, "took", done.Meta.Calls, "calls")
	}
}
