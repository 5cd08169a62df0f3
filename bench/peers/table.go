package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"
)

// column is a program and what was measured of it.
type column struct {
	name string
	*result
}

// goal is what a row has to keep: at most this part of Stagehand 3's number, or at
// most this number. Zero asks for nothing.
type goal struct{ ratio, most float64 }

// table is the comparison as Markdown, and the goals that are not kept. Ours is the
// first column; ratios are to Stagehand 3, for which the goals were set.
func table(chromium string, columns []column, missing []string) (text string, unkept []string) {
	var b strings.Builder
	b.WriteString("## Stage against Stagehand and others\n\n")
	fmt.Fprintf(&b, "`make bench-peers`, %s, %s. All load the same addresses in the same browser, one after the other; numbers are medians of %d. Tokens are estimated by\n",
		time.Now().UTC().Format("2 January 2006"), chromium, repeats)
	fmt.Fprintf(&b, "the same function. After the frames page two tabs of ours take turns (%d pairs); the others are measured before and after. Models answer at once. To act with\n", pairs)
	b.WriteString("the last two is a snapshot and a click. A step is one of our agent; Stagehand 4 has none, there it is a snapshot and an act. Stagehand Go is version 4's SDK for Go, with\n")
	b.WriteString("the browser extension of its own release; the newest on npm comes before it. The ratio is to Stagehand 3.\n\n")
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
	row := func(name, format string, value func(*result) float64, g goal) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range columns {
			if v := value(c.result); v > 0 {
				fmt.Fprintf(&b, " "+format+" |", v)
			} else {
				b.WriteString(" - |")
			}
		}
		got := value(ours)
		var ratio, wanted string
		switch {
		case got <= 0 && g != (goal{}):
			unkept = append(unkept, name+": not measured")
		case base == nil || format != ms && format != whole:
		case value(base) > 0 && got > 0:
			ratio = fmt.Sprintf("%.2f", got/value(base))
			if g.ratio > 0 && math.Round(100*got/value(base)) > 100*g.ratio {
				unkept = append(unkept, fmt.Sprintf("%s: %s of Stagehand 3's, not %v", name, ratio, g.ratio))
			}
		case g.ratio > 0:
			unkept = append(unkept, name+": no number of Stagehand 3's to hold it against")
		}
		switch {
		case g.ratio > 0:
			wanted = fmt.Sprint(g.ratio)
		case g.most > 0:
			wanted = fmt.Sprintf(format, g.most)
			if got > g.most {
				unkept = append(unkept, fmt.Sprintf("%s: "+format+", not "+format, name, got, g.most))
			}
		}
		fmt.Fprintf(&b, " %s | %s |\n", ratio, wanted)
	}
	label := map[string]string{
		"small": "50 elements", "large": "3000 elements", "frames": "four nested documents with shadow roots",
		"cross": "a frame of another site", "canvas": "a canvas game",
	}
	for _, p := range pages {
		var g goal
		if p == "large" {
			g.ratio = 0.15
		}
		row("snapshot, "+label[p], ms, func(r *result) float64 { return r.Full[p] }, g)
	}
	row("snapshot, viewport first, 3000 elements", ms, func(r *result) float64 {
		if r == ours {
			return r.First["large"]
		}
		return r.Full["large"]
	}, goal{ratio: 0.05})
	row("tokens, 50 elements", whole, func(r *result) float64 { return float64(r.Sent["small"]) }, goal{ratio: 0.5})
	row("tokens, 3000 elements", whole, func(r *result) float64 { return float64(r.Sent["large"]) }, goal{ratio: 0.17})
	row("tokens, 3000 elements, everything", whole, func(r *result) float64 { return float64(r.Tokens["large"]) }, goal{})
	row("act", ms, func(r *result) float64 { return r.Act }, goal{most: 120})
	row("extract", ms, func(r *result) float64 { return r.Extract }, goal{})
	row("step of an agent", ms, func(r *result) float64 { return r.Step }, goal{})
	row("3000 elements after the frames page to before it", "%.2f", func(r *result) float64 { return r.Again }, goal{most: 1.1})
	row("load of the machine meanwhile", "%.1f", func(r *result) float64 { return r.Load }, goal{})
	row("our process afterwards", "%.0f MB", func(r *result) float64 { return r.MB }, goal{most: 100})
	b.WriteString("| texts seen on the canvas, of 4 |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %d |", c.Painted)
	}
	b.WriteString(" | |\n")
	for _, c := range columns {
		for _, e := range c.Errors {
			fmt.Fprintf(&b, "\n%s on %s\n", c.name, e)
		}
	}
	for _, m := range missing {
		fmt.Fprintf(&b, "\nNot measured: %s\n", m)
	}
	if len(unkept) > 0 {
		fmt.Fprintf(&b, "\nGoals that are not kept: %s.\n", strings.Join(unkept, "; "))
	}
	return b.String(), unkept
}

// How numbers are written that are set against Stagehand 3's.
const ms, whole = "%.0f ms", "%.0f"

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
		text = "# The library beside others\n"
	}
	return os.WriteFile(path, []byte(strings.TrimRight(text, "\n")+"\n\n"+block), 0o644)
}
