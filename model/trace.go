package model

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Span attributes follow OpenTelemetry's conventions for generative AI. What
// was said is never put into a span, only how much of it there was.

// systems are the conventions' names of the vendors.
var systems = map[string]string{"openai": "openai", "anthropic": "anthropic", "google": "gcp.gemini"}

func startSpan(ctx context.Context, tracer trace.Tracer, name string, req *Request, attempt int, failover bool) (context.Context, trace.Span) {
	vendor, short, _ := strings.Cut(name, "/")
	if system, ok := systems[vendor]; ok {
		vendor = system
	}
	attrs := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", vendor),
		attribute.String("gen_ai.request.model", short),
		attribute.Int("gen_ai.request.max_tokens", req.Limit()),
		attribute.String("playtest.purpose", req.Purpose),
		attribute.Int("playtest.attempt", attempt),
		attribute.Bool("playtest.failover", failover),
	}
	if req.Temperature != nil {
		attrs = append(attrs, attribute.Float64("gen_ai.request.temperature", *req.Temperature))
	}
	if req.Schema != nil {
		attrs = append(attrs, attribute.String("gen_ai.output.type", "json"))
	}
	return tracer.Start(ctx, "chat "+short, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
}

func endSpan(span trace.Span, resp *Response, err error) {
	defer span.End()
	if resp == nil && err != nil {
		if e := AsError(err); e != nil {
			resp = e.Response
		}
	}
	if resp != nil {
		span.SetAttributes(
			attribute.String("gen_ai.response.model", resp.Version),
			attribute.String("gen_ai.response.id", resp.Message.ID),
			attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(resp.Stop)}),
			// The conventions count cached tokens as input and reasoning as output.
			attribute.Int("gen_ai.usage.input_tokens", resp.Usage.In()),
			attribute.Int("gen_ai.usage.output_tokens", resp.Usage.Out()),
			attribute.Int("gen_ai.usage.cache_read.input_tokens", resp.Usage.CacheRead),
			attribute.Int("gen_ai.usage.cache_creation.input_tokens", resp.Usage.CacheWrite),
			attribute.String("playtest.request_id", resp.RequestID),
		)
		if resp.Cost.Known {
			span.SetAttributes(attribute.Float64("playtest.cost_usd", resp.Cost.Amount.Dollars()))
		}
	}
	if err != nil {
		span.SetAttributes(attribute.String("error.type", failureWord(err)))
		span.SetStatus(codes.Error, failureWord(err))
	}
}
