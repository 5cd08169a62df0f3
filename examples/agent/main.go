// Agent reaches a goal in several steps of its own.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, nil, nil)
	setup.Must(err)
	defer st.Close()
	a, err := agent.New(ctx, st.Page(), setup.Model(), nil)
	setup.Must(err)
	result, err := a.Run(ctx, "find out what the tea costs")
	setup.Must(err)
	fmt.Println(result.Success, result.Message)
}
