package pool_test

import (
	"context"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/browser/pool"
)

// A browser is borrowed, used in contexts of one's own, and given back.
func Example() {
	p := pool.New(nil)
	defer p.Close()
	ctx := context.Background()
	b, release, err := p.Borrow(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer release()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a context of its own, closed:", c.Close(ctx))
	// Output: a context of its own, closed: <nil>
}
