// Package browsertest gives the tests of a package one Chromium to share, each
// test in a context of its own.
package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// launchLimit is for a loaded machine; nothing here measures how fast it is.
const launchLimit = 2 * time.Minute

// OneByOne lets no two tests of a package run at the same time, whatever they
// say, where the pages of one disturb those of another. It comes before Main.
func OneByOne() {
	flag.Parse()
	if err := flag.Set("test.parallel", "1"); err != nil {
		panic(err) // not in a test
	}
}

// Main runs a package's tests with a Chromium that it puts into shared, and
// ends the process. A browser that cannot be closed, or an error of the checks
// that come after it, fails the tests.
func Main(m *testing.M, shared **browser.Browser, after ...func() error) {
	flag.Parse()
	if err := launch(shared); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need a Chromium (Debian: apt-get install chromium):", err)
		os.Exit(1)
	}
	code := m.Run()
	for _, check := range append([]func() error{(*shared).Close}, after...) {
		if err := check(); err != nil {
			fmt.Fprintln(os.Stderr, "after the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func launch(shared **browser.Browser) error {
	ctx, cancel := context.WithTimeout(context.Background(), launchLimit)
	defer cancel()
	b, err := browser.Launch(ctx, nil)
	if err == nil {
		*shared = b
	}
	return err
}

// Revive starts the shared Chromium again if it has died of itself, as one that
// runs a hundred tests now and then does, and reports whether it had. Tests that
// run side by side must not call it.
func Revive(t testing.TB, shared **browser.Browser) bool {
	t.Helper()
	dead := *shared
	select {
	case <-dead.Done():
	case <-time.After(dying):
		return false
	}
	t.Logf("Chromium died between two tests and is started again: %v", dead.Err())
	if err := dead.Close(); err != nil {
		t.Logf("closing what is left of it: %v", err)
	}
	if err := launch(shared); err != nil {
		t.Fatalf("starting Chromium again: %v", err)
	}
	return true
}

// dying is how long a browser may take to end once its connection is lost.
const dying = 3 * time.Second
