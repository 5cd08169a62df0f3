package variable_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/variable"
)

var vars = map[string]string{"pass": "s3cr3t word", "2fa": "123456"}

func TestFill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		used             int
		err              error
	}{
		{"a value within text", "it is %pass%!", "it is s3cr3t word!", 1, nil},
		{"a name that begins with a digit", "%2fa%", "123456", 1, nil},
		{"percentages", "save 5%10% today", "save 5%10% today", 0, nil},
		{"a name that nobody gave", "%nobody%", "", 0, variable.ErrName},
		{"two of them", "%pass%%2fa%", "s3cr3t word123456", 2, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, used, err := variable.Fill(tt.text, vars)
			if got != tt.want || len(used) != tt.used || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %q, %v", got, used, err)
			}
		})
	}
}

func TestBound(t *testing.T) {
	t.Parallel()
	origins := map[string][]string{"pass": {"https://example.com", "https://*.bank.example"}}
	for address, allowed := range map[string]bool{
		"https://example.com/login":      true,
		"https://login.bank.example/":    true,
		"http://example.com/login":       false,
		"https://example.com.evil.test/": false,
		"https://bank.example/":          false,
		"about:blank":                    false,
	} {
		if err := variable.Bound([]string{"2fa", "pass"}, origins, address); (err == nil) != allowed || err != nil && !errors.Is(err, variable.ErrOrigin) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := variable.Bound([]string{"2fa"}, origins, "https://anywhere.test"); err != nil {
		t.Errorf("a variable that is not bound: %v", err)
	}
}

func TestMaskAndRestore(t *testing.T) {
	t.Parallel()
	var m variable.Mask
	m.Add(vars)
	masked := m.Text("s3cr3t word, ?p=" + url.QueryEscape(vars["pass"]))
	if strings.Contains(masked, "s3cr3t") || m.Quote("123456") != `"%2fa%"` {
		t.Errorf("masked %s", masked)
	}
	if got := variable.Restore(masked, vars); got != "s3cr3t word, ?p=s3cr3t+word" {
		t.Errorf("restored %s", got)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	var m variable.Mask
	m.Add(map[string]string{"a": "abcab", "b": "1", "long": "ca-abcab-ca"})
	for text, want := range map[string]string{
		"":             "",
		"none here":    "none here",
		"to ab":        "to ",
		"to abcab":     "to ", // the end may begin another
		"to abcab!":    "to abcab!",
		"to abcabc":    "to ",
		`say "`:        "say ",
		`say "1`:       "say ",
		`say "1"!`:     `say "1"!`,
		"ca-abcab-c":   "",
		"ca-abcab-cat": "ca-abcab-cat",
		"ca-abcab-x":   "ca-abcab-x",
	} {
		if got := text[:m.Ready(text)]; got != want {
			t.Errorf("of %q %q is ready, want %q", text, got, want)
		}
	}
	// However a text is cut into pieces, what is shown of it is the same.
	const text = "abcab ca-abcab-ca abcabcab say \"1\" ca-abcab ab"
	for size := 1; size < len(text); size++ {
		var shown strings.Builder
		kept := ""
		for piece := range slices.Chunk([]byte(text), size) {
			kept += string(piece)
			n := m.Ready(kept)
			shown.WriteString(m.Text(kept[:n]))
			kept = kept[n:]
		}
		shown.WriteString(m.Text(kept))
		if got := shown.String(); got != m.Text(text) {
			t.Errorf("in pieces of %d: %s, want %s", size, got, m.Text(text))
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	got := variable.Line(vars, map[string]string{"pass": "of the\n shop", "2fa": strings.Repeat("long ", 100)})
	if !strings.HasPrefix(got, "%2fa% (long long") || !strings.HasSuffix(got, "…), %pass% (of the shop)") || len(got) > 200 {
		t.Errorf("got %s", got)
	}
}
