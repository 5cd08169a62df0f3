package qa

import (
	"testing"
	"time"
)

// SearchFor lets the search of a test's runs try all that there is, on a machine that is
// too busy for that in the usual time. Tests that use it run alone.
func SearchFor(t *testing.T, limit time.Duration) {
	usual, first := searchLimit, firstFor
	searchLimit, firstFor = limit, limit
	t.Cleanup(func() { searchLimit, firstFor = usual, first })
}
