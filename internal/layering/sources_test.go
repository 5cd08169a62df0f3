package layering_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test and every target of make exists that a page names as proof of what
// it says.
func TestPagesNameTests(t *testing.T) {
	root := filepath.Join("..", "..")
	exists := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(code, -1) {
			exists[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	tests, targets := regexp.MustCompile(`\bTest[A-Z]\w+`), regexp.MustCompile("`make ([a-z-]+)")
	for page, least := range map[string]int{"sources.md": 50, "reliability.md": 40, "security.md": 0} {
		text, err := os.ReadFile(filepath.Join(root, "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		named := tests.FindAllString(string(text), -1)
		if len(named) < least {
			t.Errorf("docs/%s names %d tests", page, len(named))
		}
		for _, name := range named {
			if !exists[name] {
				t.Errorf("docs/%s names %s, which does not exist", page, name)
			}
		}
		for _, m := range targets.FindAllSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+string(m[1])+":") {
				t.Errorf("docs/%s names make %s, which does not exist", page, m[1])
			}
		}
	}
}
