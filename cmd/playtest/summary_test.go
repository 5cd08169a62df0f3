package main

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func TestSummaryTellsOfIndicators(t *testing.T) {
	var b strings.Builder
	writeSummary(&b, &record.Report{Status: record.Pass, Indicators: []record.IndicatorResult{
		{Kind: record.IndicatorLoading, Type: "element", Text: "element #game", Met: true, Detail: "seen"},
		{Kind: record.IndicatorSuccess, Type: metadata.SuccessScoreChange, Text: "the score", Detail: "it stayed at \"0\"\nin 9 looks"},
	}}, nil)
	for _, want := range []string{
		"  loading    met       element #game: seen\n",
		"  success    missed    the score: it stayed at \"0\" in 9 looks\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in:\n%s", want, b.String())
		}
	}
}
