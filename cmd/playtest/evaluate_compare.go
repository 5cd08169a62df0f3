package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// compared is one model's row.
type compared struct {
	Model  string         `json:"model"`
	Status record.Verdict `json:"status"`
	// Says is the verdict that the model's own answers would make.
	Says          string  `json:"says"`
	Playability   int     `json:"playability_score"`
	Overall       float64 `json:"overall_score"`
	Confidence    float64 `json:"confidence"`
	Disagreements int     `json:"disagreements"`
	Issues        int     `json:"issues"`
	Dropped       int     `json:"dropped"`
	Tokens        int     `json:"tokens"`
	// Cost is in dollars, null when it is not known.
	Cost    *float64 `json:"cost"`
	Latency float64  `json:"latency"` // seconds
	// Failed says why there is no opinion, empty when there is one.
	Failed string         `json:"failed,omitempty"`
	Report *record.Report `json:"report"`
}

// sideBySide asks each model alone, one after the other so that the latencies
// are honest, and prints a row for each. The verdict is the measured one.
func (e *evaluation) sideBySide(cmd *cobra.Command, rec *record.Record, measured *record.Report, pictures readPicture, refs []model.Ref) error {
	var rows []compared
	for _, ref := range refs {
		m, err := e.open(cmd, func(c *config.Config) (*model.Gateway, error) {
			return provider.Chain(c, []model.Ref{ref}, e.deadlines(c))
		})
		if err != nil {
			return err
		}
		rep, err := opinion.Refine(cmd.Context(), rec, measured, m, e.options(pictures))
		if err != nil {
			return err
		}
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		rows = append(rows, row(ref.String(), rep))
	}
	if !e.quiet {
		writeTable(cmd.ErrOrStderr(), rows)
	}
	if err := writeCompared(cmd.OutOrStdout(), e.format, rows); err != nil {
		return fmt.Errorf("writing to stdout: %w", err)
	}
	return verdict(measured)
}

func row(name string, rep *record.Report) compared {
	c := compared{
		Model: name, Status: rep.Status, Says: "-", Playability: rep.PlayabilityScore, Overall: rep.OverallScore, Confidence: rep.Confidence, Report: rep,
	}
	if rep.Opinion == nil {
		// Why is what was written last.
		if n := len(rep.Issues); n > 0 {
			c.Failed = rep.Issues[n-1].Description
		}
		return c
	}
	op := rep.Opinion
	c.Says = opined(op)
	c.Disagreements, c.Dropped = len(op.Disagreements), len(op.Dropped)
	c.Tokens, c.Cost, c.Latency = op.Tokens, op.Cost, op.Latency
	for _, i := range rep.Issues {
		if i.By != "" {
			c.Issues++
		}
	}
	return c
}

// opined is the verdict that follows from a model's answers to the checks.
func opined(op *record.Opinion) string {
	out := record.Pass
	for _, c := range op.Checks {
		switch c.Says {
		case record.Disproven:
			return string(record.Fail)
		case record.Unknown:
			out = record.VerdictError
		}
	}
	return string(out)
}

var columns = []string{"model", "verdict", "model says", "overall", "confidence", "disagreements", "issues", "tokens", "cost", "latency"}

func (c compared) cells() []string {
	cost := "unknown"
	switch {
	case c.Failed != "":
		cost = "-"
	case c.Cost != nil:
		cost = fmt.Sprintf("$%.4f", *c.Cost)
	}
	return []string{
		c.Model, string(c.Status), c.Says, fmt.Sprintf("%.1f", c.Overall), fmt.Sprintf("%.2f", c.Confidence),
		fmt.Sprint(c.Disagreements), fmt.Sprint(c.Issues), fmt.Sprint(c.Tokens), cost, fmt.Sprintf("%.2fs", c.Latency),
	}
}

// writeTable is the rows for a person.
func writeTable(w io.Writer, rows []compared) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r.cells(), "\t"))
	}
	t.Flush() // a summary that cannot be written is no reason to fail
	for _, r := range rows {
		if r.Failed != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Model, oneLine(r.Failed))
		}
	}
}

// writeCompared is the rows for another program or a page.
func writeCompared(w io.Writer, format string, rows []compared) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	case "md":
		var b strings.Builder
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	return nil
}
