// Package daily lets tests that play whole games take turns: each day a part of a long
// table is played, and within some days all of it.
package daily

import (
	"testing"
	"time"
)

// Turn skips a test that is run once within so many days, by its place in its table,
// unless all are to be run. make test-all runs them.
func Turn(t testing.TB, days, place int, all bool) {
	t.Helper()
	if !all && place%days != today()%days {
		t.Skipf("played every %d days; make test-all plays it today", days)
	}
}

// today is the number of the day, the same all over the world.
func today() int {
	const day = 24 * time.Hour
	return int(time.Now().Unix() / int64(day.Seconds()))
}
