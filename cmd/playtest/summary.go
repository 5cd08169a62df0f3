package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// formats are what --format accepts.
var formats = slices.Concat([]string{"json"}, report.Formats, []string{"none"})

// writeData puts the report on stdout for another program.
func writeData(w io.Writer, format string, rep *record.Report, rec *record.Record) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(rep)
	}
	if format == "none" {
		return nil
	}
	return report.Write(w, format, report.Case{Report: rep, Record: rec})
}

// writeSummary tells a person how the run ended. There are no results where a
// saved run is judged again.
func writeSummary(w io.Writer, rep *record.Report, res *results) {
	paint := painter(w)
	word, tone := "COULD NOT BE JUDGED", yellow
	switch rep.Status {
	case record.Pass:
		word, tone = "PASS", green
	case record.Fail:
		word, tone = "FAIL", red
	}
	fmt.Fprintf(w, "\n%s  %s\n\n", paint(tone, word), oneLine(rep.Summary))
	for _, c := range rep.Checks {
		mark, tone := "undecided", yellow
		switch c.State {
		case record.Proven:
			mark, tone = "yes", green
		case record.Disproven:
			mark, tone = "no", red
		}
		fmt.Fprintf(w, "  %-10s %s %s\n", checkTitle(c.Name), paint(tone, fmt.Sprintf("%-9s", mark)), oneLine(c.Reason))
	}
	for _, i := range rep.Issues {
		if i.Severity != record.Minor {
			fmt.Fprintf(w, "  %-10s %s\n", i.Severity, oneLine(i.Description))
		}
	}
	for _, in := range rep.Indicators {
		mark, tone := "missed", yellow
		if in.Met {
			mark, tone = "met", green
		}
		fmt.Fprintf(w, "  %-10s %s %s: %s\n", in.Kind, paint(tone, fmt.Sprintf("%-9s", mark)), oneLine(in.Text), oneLine(in.Detail))
	}
	sure := ""
	if rep.Status != record.VerdictError {
		sure = fmt.Sprintf("confidence %.2f, ", rep.Confidence)
	}
	fmt.Fprintf(w, "\n  playability %d of 100, overall %.0f, %s%.1f s\n", rep.PlayabilityScore, rep.OverallScore, sure, rep.Metadata.Duration)
	if cost := report.Cost(rep); cost != "" {
		fmt.Fprintf(w, "  cost %s\n", cost)
	}
	if rep.Help != "" {
		fmt.Fprintf(w, "  what would help: %s\n", oneLine(rep.Help))
	}
	if op := rep.Opinion; op != nil {
		for _, d := range op.Disagreements {
			fmt.Fprintf(w, "  %s disagrees: %s\n", op.Model, oneLine(d))
		}
	}
	if res != nil {
		fmt.Fprintf(w, "  report: %s\n", res.page())
	}
}

func checkTitle(name record.CheckName) string {
	switch name {
	case record.GameLoaded:
		return "loaded"
	case record.ControlsResponsive:
		return "controls"
	case record.GameStable:
		return "stable"
	}
	return strings.ToLower(string(name))
}

// Colours of a terminal.
const (
	red    = "\x1b[1;31m"
	green  = "\x1b[1;32m"
	yellow = "\x1b[1;33m"
)

// painter colours text on a terminal whose owner has nothing against it.
func painter(w io.Writer) func(tone, text string) string {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("NO_COLOR") != "" {
		return func(_, text string) string { return text }
	}
	return func(tone, text string) string { return tone + text + "\x1b[0m" }
}
