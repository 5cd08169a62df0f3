// Canvas clicks a button that is painted on a game's canvas and nowhere else.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("http://localhost:8080/breakout/")
	defer stop()
	st, err := stage.Open(ctx, url, setup.Model(), nil)
	setup.Must(err)
	defer st.Close()
	done, err := st.Act(ctx, "start the game", nil)
	setup.Must(err)
	fmt.Println(done.Actions[0].Method, done.Actions[0].Role)
	setup.Must(st.Page().Keyboard().Press(ctx, "ArrowLeft", 0))
}
