package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"playtest"
)

// Schema returns the JSON Schema of report.json. It is made from the Go types,
// so it cannot lag behind them; docs/report.schema.json is its published form.
func Schema() ([]byte, error) {
	words := func(description string, values ...any) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: description, Enum: values}
	}
	s, err := jsonschema.For[playtest.Report](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[playtest.Verdict](): words("the verdict; error means that the game could not be judged",
			playtest.Pass, playtest.Fail, playtest.VerdictError),
		reflect.TypeFor[playtest.CheckName](): words("the name of a check",
			playtest.GameLoaded, playtest.ControlsResponsive, playtest.GameStable),
		reflect.TypeFor[playtest.CheckState](): words("proven true, proven false, or undecided",
			playtest.Proven, playtest.Disproven, playtest.Unknown),
		reflect.TypeFor[playtest.Severity](): words("how bad an issue is",
			playtest.Critical, playtest.Major, playtest.Minor),
		reflect.TypeFor[playtest.Outcome](): words("what was found out about a control",
			playtest.Responsive, playtest.Unresponsive, playtest.Undecided),
		reflect.TypeFor[time.Duration](): {Type: "integer", Description: "nanoseconds"},
	}})
	if err != nil {
		return nil, fmt.Errorf("describing the report: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "playtest report"
	s.Description = "The result of a run: report.json in a results folder."
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return append(out, '\n'), nil
}
