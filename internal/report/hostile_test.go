package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

var codeSpan = regexp.MustCompile("`[^`\n]*`")

// What a page says becomes text of somebody's pull request.
func TestMarkdownOfAHostilePage(t *testing.T) {
	hostile := []string{
		"![x](https://evil.example/pixel.png)", "[click me](https://evil.example)", "https://evil.example/auto", "www.evil.example",
		"<img src=x onerror=alert(1)>", "&lt;b&gt;", "@everyone", "a | b | c", "`code` **bold** __under__ ~~gone~~", "# heading", "line\n\n## another", "\x1b[31mred\x07", "abc\u202edcba", "zero\u200bwidth",
	}
	for _, text := range hostile {
		rep := &record.Report{
			Status: record.Fail, Summary: text, Help: text,
			Checks:     []record.Check{{Name: record.GameLoaded, State: record.Disproven, Reason: text}},
			Issues:     []record.Issue{{Severity: record.Major, Description: text, Evidence: text, By: text}},
			Controls:   []record.ControlResult{{Control: record.Control{Description: text, Keys: []string{"`" + text}}, Trial: record.Trial{Reason: text}}},
			Indicators: []record.IndicatorResult{{Kind: "loading", Text: text, Detail: text}},
			Metadata:   record.ReportMetadata{GameURL: "https://game.example/?" + text},
		}
		var b strings.Builder
		if err := report.Markdown(&b, rep); err != nil {
			t.Fatal(err)
		}
		// The heading holds the address that the reader named; between backticks
		// nothing is markup.
		_, got, _ := strings.Cut(b.String(), "\n")
		got = codeSpan.ReplaceAllString(got, "")
		for _, bad := range []string{
			"![x](", "[click me](", "https://evil", " www.evil", "<img", "@everyone", "a | b | c", "**bold**", "__under__", "~~gone~~",
			"\n# heading", "\n## another", "\x1b", "\x07", "\u202e", "\u200b",
		} {
			if strings.Contains(got, bad) {
				t.Errorf("%q leaves %q in\n%s", text, bad, got)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	tests := map[string]string{
		"a\n\tb  c":               "a b c",
		"\x1b[2Jgone\u009b":       "[2Jgone",
		"\u202eevil\u2066x\u2069": "evilx",
		"👩\u200d🚀 ok":             "👩\u200d🚀 ok",
		"  trimmed ":              "trimmed",
		"a\u2028b":                "a b",
	}
	for in, want := range tests {
		if got := report.Plain(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
