package main

import (
	"context"
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
