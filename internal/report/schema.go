package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playtest-dev/playtest/record"
)

// Schema returns the JSON Schema of report.json. It is made from the Go types,
// so it cannot lag behind them; docs/report.schema.json is its published form.
func Schema() ([]byte, error) {
	words := func(description string, values ...any) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: description, Enum: values}
	}
	s, err := jsonschema.For[record.Report](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[record.Verdict](): words("the verdict; error means that the game could not be judged",
			record.Pass, record.Fail, record.VerdictError),
		reflect.TypeFor[record.CheckName](): words("the name of a check",
			record.GameLoaded, record.ControlsResponsive, record.GameStable),
		reflect.TypeFor[record.CheckState](): words("proven true, proven false, or undecided",
			record.Proven, record.Disproven, record.Unknown),
		reflect.TypeFor[record.Severity](): words("how bad an issue is",
			record.Critical, record.Major, record.Minor),
		reflect.TypeFor[record.Outcome](): words("what was found out about a control",
			record.Responsive, record.Unresponsive, record.Undecided),
	}})
	if err != nil {
		return nil, fmt.Errorf("describing the report: %w", err)
	}
	neverNull(s)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "playtest report"
	s.Description = "The result of a run: report.json in a results folder. Times are RFC 3339 or seconds."
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// neverNull says of lists what Report.MarshalJSON holds to: they may be empty, or
// missing where that is allowed, but not null.
func neverNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && slices.Contains(s.Types, "array") {
		s.Types, s.Type = nil, "array"
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
}
