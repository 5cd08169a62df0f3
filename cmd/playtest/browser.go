package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/limits"
)

// isAddress tells a running browser's address from the path of a program.
func isAddress(choice string) bool {
	for _, scheme := range []string{"ws://", "wss://", "http://", "https://"} {
		if strings.HasPrefix(choice, scheme) {
			return true
		}
	}
	return false
}

// noSandbox is what people are told loudly.
const noSandbox = "NO SANDBOX: Chromium runs as root, so a game that breaks out of it is root on this machine; run as an ordinary user, or see --browser-user"

// warnUnsandboxed tells them where no run does.
func warnUnsandboxed(stderr io.Writer, b *browser.Browser) {
	if strings.HasPrefix(b.Sandbox(), "off") {
		fmt.Fprintln(stderr, "warning: "+noSandbox)
	}
}

// openBrowser launches the chosen Chromium, or attaches to a running one.
func openBrowser(ctx context.Context, choice string, opts *browser.LaunchOptions) (*browser.Browser, error) {
	limits.KeepHeap(1)
	if isBrowserbase(choice) {
		return openBrowserbase(ctx, choice, opts.Log)
	}
	if isAddress(choice) {
		header, err := browserHeaders()
		if err != nil {
			return nil, err
		}
		b, err := browser.Attach(ctx, choice, &browser.AttachOptions{Log: opts.Log, Header: header})
		if err != nil {
			return nil, hint(err, "start it with --remote-debugging-port=9222 and name its address: --browser http://127.0.0.1:9222")
		}
		return b, nil
	}
	launch := *opts
	launch.Path = choice
	return browser.Launch(ctx, &launch)
}
