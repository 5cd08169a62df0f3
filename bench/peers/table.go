package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// table is the comparison as Markdown.
func table(ours, theirs *result, why string) string {
	var b strings.Builder
	b.WriteString("## Stage against Stagehand 3\n\n")
	fmt.Fprintf(&b, "`make bench-peers`, %s. Both load the same addresses in the same Chromium, one after the other; numbers are medians of %d. Tokens are estimated by\n", time.Now().UTC().Format("2 January 2006"), repeats)
	fmt.Fprintf(&b, "the same function for both. After the frames page two tabs of ours take turns (%d pairs); Stagehand is measured before and after.\n\n", pairs)
	if theirs == nil {
		fmt.Fprintf(&b, "Stagehand could not be measured: %s. Below is ours alone.\n\n", why)
		theirs = newResult()
	}
	b.WriteString("| | Stagehand 3.7.3 | stage | ratio | goal |\n| --- | --- | --- | --- | --- |\n")
	row := func(name string, their, our float64, unit, goal string) {
		t, ratio := "-", "-"
		if their > 0 {
			t, ratio = fmt.Sprintf("%.0f%s", their, unit), fmt.Sprintf("%.2f", our/their)
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f%s | %s | %s |\n", name, t, our, unit, ratio, goal)
	}
	label := map[string]string{
		"small": "50 elements", "large": "3000 elements", "frames": "four nested documents with shadow roots",
		"cross": "a frame of another site", "canvas": "a canvas game",
	}
	for _, p := range pages {
		goal := ""
		if p == "large" {
			goal = "0.15"
		}
		row("snapshot, "+label[p], theirs.Full[p], ours.Full[p], " ms", goal)
	}
	row("snapshot, viewport first, 3000 elements", theirs.Full["large"], ours.First["large"], " ms", "0.05")
	row("tokens, 50 elements", float64(theirs.Sent["small"]), float64(ours.Sent["small"]), "", "0.5")
	row("tokens, 3000 elements", float64(theirs.Sent["large"]), float64(ours.Sent["large"]), "", "0.17")
	row("tokens, 3000 elements, everything", float64(theirs.Tokens["large"]), float64(ours.Tokens["large"]), "", "")
	row("act, model answers at once", theirs.Act, ours.Act, " ms", "120 ms")
	ratio := "-"
	if theirs.Again > 0 {
		ratio = fmt.Sprintf("%.2f", theirs.Again)
	}
	fmt.Fprintf(&b, "| 3000 elements after the frames page to before it | %s | %.2f | | 1.1 |\n", ratio, ours.Again)
	fmt.Fprintf(&b, "| texts seen on the canvas, of 4 | 0 | %d | | |\n", ours.Painted)
	fmt.Fprintf(&b, "| our process afterwards | | %.0f MB | | 100 MB |\n", ours.MB)
	for _, e := range theirs.Errors {
		fmt.Fprintf(&b, "\nStagehand on %s\n", e)
	}
	return b.String()
}

// write puts the comparison into the page of benchmarks.
func write(path, section string) error { return writeSection(path, "bench-peers", section) }

// writeSection puts a section into a page that has others too, between its marks.
func writeSection(path, name, section string) error {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(data)
	block := begin + section + end
	if i := strings.Index(text, begin); i >= 0 {
		if j := strings.Index(text[i:], end); j >= 0 {
			return os.WriteFile(path, []byte(text[:i]+block+text[i+j+len(end):]), 0o644)
		}
	}
	if text == "" {
		text = "# Benchmarks\n"
	}
	return os.WriteFile(path, []byte(strings.TrimRight(text, "\n")+"\n\n"+block), 0o644)
}
