package bench_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/bench"
)

// pageLimit in bytes: the page is for reading, what is longer is data.
const pageLimit = 15_000

func page(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPageIsShort: what does not fit belongs into docs/benchmarks, and verdicts come before everything else.
func TestPageIsShort(t *testing.T) {
	text := page(t)
	if len(text) > pageLimit {
		t.Errorf("docs/benchmarks.md has %d bytes, %d are allowed; keep results as data in docs/benchmarks", len(text), pageLimit)
	}
	last := -1
	for _, heading := range []string{"Real games that nobody had tried", "Verdicts on the bundled games", "Verdicts on real games", "Speed"} {
		at := strings.Index(text, "\n## "+heading+"\n")
		if at < 0 {
			t.Errorf("docs/benchmarks.md has no section %q", heading)
		} else if at < last {
			t.Errorf("docs/benchmarks.md: %q comes too late", heading)
		}
		last = max(last, at)
	}
	files, err := os.ReadDir("../docs/benchmarks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.Contains(text, "benchmarks/"+f.Name()) {
			t.Errorf("docs/benchmarks.md does not say what docs/benchmarks/%s is", f.Name())
		}
	}
}

// TestPageIsOfTheResults: each part that playtest bench wrote is what the stored results say.
func TestPageIsOfTheResults(t *testing.T) {
	parts := regexp.MustCompile(`(?s)<!-- written by [^>]*: begin (\S+) -->\n\n(.*?)\n\n<!-- written by [^>]*: end`).FindAllStringSubmatch(page(t), -1)
	if len(parts) != 2 {
		t.Fatalf("docs/benchmarks.md has %d parts that playtest bench wrote, want 2", len(parts))
	}
	for _, p := range parts {
		mark, got := p[1], p[2]
		file := regexp.MustCompile("playtest bench show ([^` ]+)").FindStringSubmatch(got)
		head := regexp.MustCompile(`^## ([^\n]+)\n\n([^\n]+)\n`).FindStringSubmatch(got)
		if file == nil || head == nil {
			t.Errorf("%s: it does not say how it was measured and where all tables are", mark)
			continue
		}
		s, err := bench.ReadSummary(filepath.Join("..", filepath.FromSlash(file[1])))
		if err != nil {
			t.Errorf("%s: %v", mark, err)
			continue
		}
		if want := strings.TrimSpace(s.Short(head[1], head[2], file[1])); got != want {
			t.Errorf("%s is not of %s, which says:\n%s", mark, file[1], want)
		}
	}
}

// TestMeasurements: tables that are kept as data are whole and say how to repeat them.
func TestMeasurements(t *testing.T) {
	data, err := os.ReadFile("../docs/benchmarks/measurements.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Name, Date, Command, How string
		Columns                  []string
		Rows                     [][]string
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Name == "" || m.Command == "" || len(m.Rows) == 0 {
			t.Errorf("%q: a name, a command and rows are needed", m.Name)
		}
		for _, row := range m.Rows {
			if len(row) != len(m.Columns) {
				t.Errorf("%s: %q has %d cells for %d columns", m.Name, row, len(row), len(m.Columns))
			}
		}
	}
}
