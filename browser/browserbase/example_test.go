package browserbase_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/playtest-dev/playtest/browser/browserbase"
)

func Example() {
	ctx := context.Background()
	b, err := browserbase.Open(ctx, &browserbase.Options{
		APIKey:    os.Getenv("BROWSERBASE_API_KEY"),
		ProjectID: os.Getenv("BROWSERBASE_PROJECT_ID"),
		Region:    "eu-central-1",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close() // releases the session
	fmt.Println("watch it at", b.Inspect())
}
