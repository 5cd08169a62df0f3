// Snapshot prints a page as a model would see it.
package main

import (
	"fmt"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/examples/internal/setup"
	"github.com/playtest-dev/playtest/stage"
)

func main() {
	ctx, url, stop := setup.Start("https://example.com/shop")
	defer stop()
	st, err := stage.Open(ctx, url, nil, nil)
	setup.Must(err)
	defer st.Close()
	snap, err := st.Snapshot(ctx)
	setup.Must(err)
	fmt.Print(snap.Format(&snapshot.FormatOptions{Form: snapshot.Interactive, Tokens: 2000}))
}
