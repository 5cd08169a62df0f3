// Package golden holds what a test made against a file that is kept beside it.
// `go test -update` writes the files anew.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says that golden files are to be written instead of compared.
var Update = flag.Bool("update", false, "write the golden files")

// Check fails the test unless the file at path, from the test's folder, says got.
func Check(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (write it anew with -update) (-want +got):\n%s", path, diff)
	}
}
