package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	if code := execute([]string{"man", dir}, nil, os.Stdout, os.Stderr); code != 0 {
		t.Fatalf("exits with %d", code)
	}
	for _, name := range []string{"playtest", "playtest-run", "playtest-mcp", "playtest-runs-submit", "playtest-completion-bash"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, section := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"} {
			if !strings.Contains(string(page), section) {
				t.Errorf("%s has no %s", name, section)
			}
		}
		for line := range strings.Lines(string(page)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case ".TH", ".SH", ".PP", ".TP", ".B", ".BR", ".nf", ".fi":
			default:
				if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
					t.Errorf("%s: text that man takes for a request: %s", name, line)
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "playtest-man.1")); err == nil {
		t.Error("a hidden command has a page")
	}
}
