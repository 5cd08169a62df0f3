package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// column is a program and what was measured of it.
type column struct {
	name string
	*result
}

// table is the comparison as Markdown. Ours is the first column; ratios are to
// Stagehand 3, for which the goals were set.
func table(columns []column, missing []string) string {
	var b strings.Builder
	b.WriteString("## Stage against Stagehand and others\n\n")
	fmt.Fprintf(&b, "`make bench-peers`, %s. All load the same addresses in the same Chromium, one after the other; numbers are medians of %d. Tokens are estimated by\n", time.Now().UTC().Format("2 January 2006"), repeats)
	fmt.Fprintf(&b, "the same function. After the frames page two tabs of ours take turns (%d pairs); the others are measured before and after. Models answer at once. To act with\n", pairs)
	b.WriteString("the last two is a snapshot and a click. A step is one of our agent; Stagehand 4 has none, there it is a snapshot and an act. The ratio is to Stagehand 3.\n\n")
	ours := columns[0].result
	var base *result
	for _, c := range columns[1:] {
		if strings.HasPrefix(c.name, "Stagehand 3") {
			base = c.result
		}
	}
	b.WriteString("| |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString(" ratio | goal |\n|" + strings.Repeat(" --- |", len(columns)+3) + "\n")
	row := func(name, format string, value func(*result) float64, goal string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range columns {
			if v := value(c.result); v > 0 {
				fmt.Fprintf(&b, " "+format+" |", v)
			} else {
				b.WriteString(" - |")
			}
		}
		ratio := ""
		if base != nil && value(base) > 0 && value(ours) > 0 && format != "%.2f" {
			ratio = fmt.Sprintf("%.2f", value(ours)/value(base))
		}
		fmt.Fprintf(&b, " %s | %s |\n", ratio, goal)
	}
	label := map[string]string{
		"small": "50 elements", "large": "3000 elements", "frames": "four nested documents with shadow roots",
		"cross": "a frame of another site", "canvas": "a canvas game",
	}
	const ms = "%.0f ms"
	for _, p := range pages {
		goal := ""
		if p == "large" {
			goal = "0.15"
		}
		row("snapshot, "+label[p], ms, func(r *result) float64 { return r.Full[p] }, goal)
	}
	row("snapshot, viewport first, 3000 elements", ms, func(r *result) float64 {
		if r == ours {
			return r.First["large"]
		}
		return r.Full["large"]
	}, "0.05")
	row("tokens, 50 elements", "%.0f", func(r *result) float64 { return float64(r.Sent["small"]) }, "0.5")
	row("tokens, 3000 elements", "%.0f", func(r *result) float64 { return float64(r.Sent["large"]) }, "0.17")
	row("tokens, 3000 elements, everything", "%.0f", func(r *result) float64 { return float64(r.Tokens["large"]) }, "")
	row("act", ms, func(r *result) float64 { return r.Act }, "120 ms")
	row("extract", ms, func(r *result) float64 { return r.Extract }, "")
	row("step of an agent", ms, func(r *result) float64 { return r.Step }, "")
	row("3000 elements after the frames page to before it", "%.2f", func(r *result) float64 { return r.Again }, "1.1")
	b.WriteString("| texts seen on the canvas, of 4 |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %d |", c.Painted)
	}
	fmt.Fprintf(&b, " | |\n| our process afterwards | %.0f MB |%s | 100 MB |\n", ours.MB, strings.Repeat(" |", len(columns)-1))
	for _, c := range columns {
		for _, e := range c.Errors {
			fmt.Fprintf(&b, "\n%s on %s\n", c.name, e)
		}
	}
	for _, m := range missing {
		fmt.Fprintf(&b, "\nNot measured: %s\n", m)
	}
	return b.String()
}

// painted is how many of the texts that the canvas page paints are in a tree.
func painted(tree string) int {
	n := 0
	for _, text := range paintedTexts {
		if strings.Contains(tree, text) {
			n++
		}
	}
	return n
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
