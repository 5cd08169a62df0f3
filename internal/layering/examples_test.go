package layering_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// private is what is not for other programs to import, though it could be.
var private = []string{"bench/...", "cmd/...", "examples/...", "scripts/...", "games/...", "browser/browsertest"}

// TestPublicPackagesHaveExamples: whoever opens a package's documentation sees
// code that is compiled with it.
func TestPublicPackagesHaveExamples(t *testing.T) {
	for _, p := range list(t) {
		name, ok := within(p.ImportPath)
		if !ok || strings.HasPrefix(name, "internal/") || strings.Contains(name, "/internal/") || slices.ContainsFunc(private, func(x string) bool { return fits(x, name) }) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(string(data), "\nfunc Example")
		}) {
			t.Errorf("%s has no Example", name)
		}
	}
}
