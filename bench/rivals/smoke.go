package main

import (
	"context"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/twin"
)

// smoke is the test that one writes for Playwright: the page loads and goes quiet,
// nothing was thrown or logged as an error, and it is not blank.
func smoke(ctx context.Context, b *browser.Browser, url string) (pass bool, dollars float64, err error) {
	page, done, err := open(ctx, b)
	if err != nil {
		return false, 0, err
	}
	defer done()
	answer, err := page.Navigate(ctx, url, nil)
	if err != nil {
		return false, 0, err
	}
	// Playwright's own advice is a limit on "networkidle"; a game that goes on
	// loading is looked at then.
	quiet, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_ = page.WaitIdle(quiet) // see above
	picture, err := page.Image(ctx, nil)
	if err != nil {
		return false, 0, err
	}
	counts := page.Log().Counts()
	return answer != nil && answer.Status < 400 && counts.Exceptions == 0 && !logged(page.Log()) && !twin.Uniform(picture), 0, nil
}

// logged reports whether something was logged as an error: by the page, or by the
// browser about what it could not load.
func logged(l *browser.Log) bool {
	for _, c := range l.Console() {
		if c.Level == "error" {
			return true
		}
	}
	for _, e := range l.Entries() {
		// Games seldom have an icon, and tests leave it out.
		if e.Level == "error" && !strings.HasSuffix(e.URL, "/favicon.ico") {
			return true
		}
	}
	return false
}
