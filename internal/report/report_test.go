package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

func TestHTML(t *testing.T) {
	played, rec := played()
	tests := []struct {
		name   string
		report *record.Report
		rec    *record.Record
	}{
		{"played", played, rec},
		{"unopened", unopened(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.HTML(&b, tt.report, tt.rec); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", tt.name+".html.golden"), b.String())
		})
	}
}

// The page shows what a page said, and must not be changed by it.
func TestHTMLSaysWhatWasMeasured(t *testing.T) {
	rep, rec := played()
	var b bytes.Buffer
	if err := report.HTML(&b, rep, rec); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	for _, want := range []string{
		"The game loads and stays alive, but walking left does nothing.",
		"Ridge &amp; &lt;Runner&gt;", "Pause &lt;b&gt;now&lt;/b&gt;",
		"Player.jump · main.js:214",
		"4 trials against 8 of F8 and idling",
		`src="screenshots/jump-before.png"`, `src="screenshots/jump-after.png"`,
		"keypress Space ×2", "2 responsive, 1 unresponsive, 1 undecided",
		"<figcaption>before</figcaption>", "<figcaption>after</figcaption>", "<figcaption>without the input</figcaption>", "<figcaption>with the input</figcaption>",
		"<strong>Climb</strong> <kbd>W</kbd> <kbd>S</kbd>", "it answers to up (W); dead: down (S)",
		"indicators: 1 of 2 met", "the score &lt;rises&gt;", "it stayed at &#34;0&#34; in 9 looks",
		"TypeError: dx is undefined",
		"vision, 90 % sure, more than 70 % needed", "<strong>click at 640,331</strong>", "“&lt;b&gt;the&lt;/b&gt; door is open”", "1 turn of adaptive play",
		"6 turns, 4 of them with a lasting effect that 9 looks without an input did not show, 5 states, 1 success indicator met",
		"It &lt;works&gt;.", "12 s, 30 presses of 1 control, 9 states, 1 sign of progress",
		"61 of 88 functions of the game&#39;s own code",
		"disagrees</span> Asked whether its controls work the model says yes; measured was no.",
		"raised by test/&lt;model&gt;", "It crashes on level &lt;3&gt;.", "not known: the model&#39;s price is not",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"<b>now", "etc/passwd", "http-equiv=\"refresh", "<script", "https://", "//cdn"} {
		if strings.Contains(html, never) {
			t.Errorf("the page contains %q", never)
		}
	}
	if strings.Index(html, "Walking left does nothing.") > strings.Index(html, "A font is missing.") {
		t.Error("the minor issue comes before the critical one")
	}
	if b.Len() > 100<<10 {
		t.Errorf("the page is %d bytes long", b.Len())
	}
}

func TestMarkdown(t *testing.T) {
	rep, _ := played()
	var b bytes.Buffer
	if err := report.Markdown(&b, rep); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "played.md.golden"), b.String())
}

func TestJUnit(t *testing.T) {
	rep, _ := played()
	var b bytes.Buffer
	if err := report.JUnit(&b, rep, unopened()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "junit.xml.golden"), b.String())
}

func TestSchemaIsPublished(t *testing.T) {
	schema, err := report.Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "report.schema.json"), string(schema))
}

func TestReportsFollowTheSchema(t *testing.T) {
	valid := validator(t, filepath.Join("..", "..", "docs", "report.schema.json"))
	full, _ := played()
	wrong, _ := played()
	wrong.Status = "perhaps"
	tests := []struct {
		name   string
		report *record.Report
		valid  bool
	}{
		{"played", full, true},
		{"unopened", unopened(), true},
		{"a verdict that does not exist", wrong, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			saved, err := json.Marshal(tt.report)
			if err != nil {
				t.Fatal(err)
			}
			if err := valid(saved); (err == nil) != tt.valid {
				t.Errorf("valid is %v (%v), want %v", err == nil, err, tt.valid)
			}
		})
	}
}

// Reports that were saved earlier are read and written in every form. Those of the
// present version follow the schema as they are: what it once allowed it goes on
// to allow. The file of version 2 is never written anew; another version gets another.
func TestSavedReports(t *testing.T) {
	valid := validator(t, filepath.Join("..", "..", "docs", "report.schema.json"))
	for version, follows := range map[string]bool{"report.v1.json": false, "report.v2.json": true} {
		data, err := os.ReadFile(filepath.Join("testdata", version))
		if err != nil {
			t.Fatal(err)
		}
		if follows {
			if err := valid(data); err != nil {
				t.Errorf("%s: %v", version, err)
			}
		}
		var rep record.Report
		if err := json.Unmarshal(data, &rep); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if rep.Status != record.Fail || rep.Metadata.Duration != 13.4 || rep.Check(record.ControlsResponsive).State != record.Disproven {
			t.Errorf("%s: status %q, %v s, %+v", version, rep.Status, rep.Metadata.Duration, rep.Checks)
		}
		again, err := json.Marshal(&rep)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(again); err != nil {
			t.Errorf("%s, written again: %v", version, err)
		}
		for name, write := range map[string]func(io.Writer) error{
			"page":     func(w io.Writer) error { return report.Page(w, &rep, nil, nil) },
			"Markdown": func(w io.Writer) error { return report.Markdown(w, &rep) },
			"JUnit":    func(w io.Writer) error { return report.JUnit(w, &rep) },
			"SARIF":    func(w io.Writer) error { return report.SARIF(w, report.Case{Report: &rep}) },
			"GitHub":   func(w io.Writer) error { return report.GitHub(w, report.Case{Report: &rep}) },
			"TAP":      func(w io.Writer) error { return report.TAP(w, &rep) },
		} {
			var b strings.Builder
			err := write(&b)
			said := strings.ToLower(b.String())
			if err != nil || !strings.Contains(said, "walking left") && !strings.Contains(said, "one of two controls") {
				t.Errorf("%s as %s: %v\n%s", version, name, err, b.String())
			}
		}
	}
}

// TestReportSaysWhatControlsWereComparedWith: two pages of one game, or the game with itself.
func TestReportSaysWhatControlsWereComparedWith(t *testing.T) {
	t.Parallel()
	rep := &record.Report{Controls: []record.ControlResult{{Trial: record.Trial{Outcome: record.Responsive}}}}
	for want, rec := range map[string]*record.Record{
		"two pages under one clock":   {Twins: &record.TwinRecord{}},
		"compared with idling for as": {},
	} {
		var page strings.Builder
		if err := report.HTML(&page, rep, rec); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
