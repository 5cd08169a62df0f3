// Act does what plain words say.
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
	done, err := st.Act(ctx, "put the tea into the cart", nil)
	setup.Must(err)
	for _, a := range done.Actions {
		fmt.Println(a.Method, a.Role, a.Name)
	}
}
