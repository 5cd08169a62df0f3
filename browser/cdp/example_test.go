package cdp_test

import (
	"context"
	"fmt"
	"log"

	chromium "github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// cdproto's typed commands run on a session. The address is what a Chromium that
// was started with --remote-debugging-port prints.
func Example() {
	ctx := context.Background()
	transport, err := cdp.Dial(ctx, "ws://127.0.0.1:9222/devtools/browser/1b0d", nil)
	if err != nil {
		log.Fatal(err)
	}
	conn := cdp.New(transport, nil)
	defer conn.Close()
	version, err := protocol.Call(ctx, conn.Browser(), chromium.GetVersion, protocol.Empty{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(version.Product)
}
