package main

import (
	"strings"
	"testing"

	"playtest"
)

func TestSummaryTellsOfIndicators(t *testing.T) {
	var b strings.Builder
	writeSummary(&b, &playtest.Report{Status: playtest.Pass, Indicators: []playtest.IndicatorResult{
		{Kind: playtest.IndicatorLoading, Type: "element", Text: "element #game", Met: true, Detail: "seen"},
		{Kind: playtest.IndicatorSuccess, Type: playtest.SuccessScoreChange, Text: "the score", Detail: "it stayed at \"0\"\nin 9 looks"},
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
