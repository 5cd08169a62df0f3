package model_test

import (
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/playtest-dev/playtest/model"
)

func TestSpans(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	opts := &model.Options{TracerProvider: trace.NewTracerProvider(trace.WithSyncer(spans)), Prices: testPrices("google/x", "b/two")}
	run := gatewayOf(t, opts, scripted("google/x", fail(model.ErrAuth, 401)), scripted("b/two")).Run(nil)
	if _, err := run.Generate(t.Context(), hello("decision")); err != nil {
		t.Fatal(err)
	}
	got := spans.GetSpans()
	if len(got) != 2 {
		t.Fatalf("%d spans", len(got))
	}
	for i, want := range []map[string]string{
		{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "gcp.gemini", "gen_ai.request.model": "x", "error.type": "auth", "playtest.failover": "false"},
		{"gen_ai.provider.name": "b", "gen_ai.usage.input_tokens": "10", "gen_ai.usage.output_tokens": "5", "gen_ai.response.finish_reasons": `["end"]`, "playtest.purpose": "decision", "playtest.failover": "true"},
	} {
		attrs := map[string]string{}
		for _, a := range got[i].Attributes {
			attrs[string(a.Key)] = a.Value.String()
		}
		for key, value := range want {
			if attrs[key] != value {
				t.Errorf("span %d: %s is %q, want %q", i, key, attrs[key], value)
			}
		}
	}
	if got[0].Name != "chat x" || got[0].SpanKind.String() != "client" {
		t.Errorf("span is %s, %s", got[0].Name, got[0].SpanKind)
	}
}
