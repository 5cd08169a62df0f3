package explore

import (
	"context"
	"regexp"

	"github.com/playtest-dev/playtest/browser/coverage"
)

// scripts says whose code is looked at.
type scripts int

const (
	everyScript scripts = iota
	ownScripts          // without libraries
)

// ran reports whether code that matches was executed.
func (e *Explorer) ran(ctx context.Context, pattern *regexp.Regexp, whose scripts) bool {
	seen := e.g.Seen()
	for _, src := range e.g.Code.Sources(ctx, 4<<20) {
		if whose == ownScripts && coverage.IsLibrary(src.URL) {
			continue
		}
		for _, at := range pattern.FindAllStringIndex(src.Text, 200) {
			if sc := seen[src.Script]; sc != nil && sc.Ran.Contains(src.Offset(at[0])) {
				return true
			}
		}
	}
	return false
}
