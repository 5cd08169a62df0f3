package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Round is what came of games that nobody had tried before, each played once by one
// build. Its numbers are never replaced by a later run.
type Round struct {
	Round int    `json:"round"`
	Date  string `json:"date,omitempty"`
	Build string `json:"build,omitempty"`
	// Of is what was played where it was not games that nobody had tried. Such a round
	// has its numbers in the note and no row in the table.
	Of     string `json:"of,omitempty"`
	Engine string `json:"engine"`
	Games  int    `json:"games"`

	Playable  int `json:"playable"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Undecided int `json:"undecided"`

	Broken          int `json:"broken,omitempty"`
	BrokenFailed    int `json:"brokenFailed,omitempty"`
	BrokenPassed    int `json:"brokenPassed,omitempty"`
	BrokenUndecided int `json:"brokenUndecided,omitempty"`

	// Seconds of half of the runs, and the command that repeats the round.
	MedianPlayable float64 `json:"medianPlayable,omitempty"`
	MedianBroken   float64 `json:"medianBroken,omitempty"`
	Command        string  `json:"command,omitempty"`
	Note           string  `json:"note,omitempty"`
	// Causes of verdicts that were not right, where the games were not kept one by one.
	Causes  []string      `json:"causes,omitempty"`
	Results []RoundResult `json:"results,omitempty"`
}

// RoundResult is one game of a round, with the cause if the verdict was not right.
type RoundResult struct {
	Game    string  `json:"game"`
	Want    string  `json:"want"`
	Got     string  `json:"got"`
	Seconds float64 `json:"seconds"`
	Cause   string  `json:"cause,omitempty"`
}

// ReadRounds reads the rounds of a file.
func ReadRounds(file string) ([]Round, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the rounds: %w", err)
	}
	var rounds []Round
	if err := json.Unmarshal(data, &rounds); err != nil {
		return nil, fmt.Errorf("read the rounds in %s: %w", file, err)
	}
	return rounds, nil
}

// RoundsTable is a row for each round of games that nobody had tried, in Markdown.
func RoundsTable(rounds []Round) string {
	var b strings.Builder
	b.WriteString("| round | engine | playable | passed | failed | undecided | broken | failed | passed | undecided | median seconds, playable / broken |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	of := func(n, all int) string {
		if all == 0 {
			return "-"
		}
		return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(all))
	}
	for _, r := range rounds {
		if r.Of != "" {
			continue
		}
		seconds := "-"
		if r.MedianPlayable > 0 {
			seconds = fmt.Sprintf("%.0f / %.0f", r.MedianPlayable, r.MedianBroken)
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %s | %s | %s | %d | %s | %s | %s | %s |\n", r.Round, r.Engine,
			r.Playable, of(r.Passed, r.Playable), of(r.Failed, r.Playable), of(r.Undecided, r.Playable),
			r.Broken, of(r.BrokenFailed, r.Broken), of(r.BrokenPassed, r.Broken), of(r.BrokenUndecided, r.Broken), seconds)
	}
	return b.String()
}
