package record_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// A report says what the sources' reports say, under their names, and no list in
// it is null.
func TestReportJSON(t *testing.T) {
	data, err := json.Marshal(&record.Report{
		Status: record.Fail,
		Checks: []record.Check{
			{Name: record.GameLoaded, State: record.Proven},
			{Name: record.ControlsResponsive, State: record.Unknown},
			{Name: record.GameStable, State: record.Disproven},
		},
		Opinion: &record.Opinion{}, Play: &record.Play{},
		Metadata: record.ReportMetadata{ActionHistory: record.Reported([]record.Action{{Took: 1500 * time.Millisecond}})},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"version":2`, `"gameLoaded":true`, `"controlsResponsive":false`, `"gameStable":false`,
		`"actionCount":0`, `"successfulActions":0`, `"took":1.5`, `"consoleErrors":[]`, `"issues":[]`, `"controls":[]`,
	} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
	if bytes.Contains(data, []byte("null")) {
		t.Errorf("something is null in %s", data)
	}
}

// Reports from before there were versions are read as what they meant.
func TestOldReport(t *testing.T) {
	const old = `{"status": "pass", "checks": [{"name": "gameLoaded", "state": "true", "reason": ""}], "issues": [{"severity": "minor", "description": "x", "at": 3400000000}],
		"opinion": {"latency": 2000000000},
		"metadata": {"consoleErrors": ["TypeError: x"], "actionHistory": [{"kind": "click", "success": true, "took": 250000000}, {"kind": "click", "took": 1000000}]}}`
	var rep record.Report
	if err := json.Unmarshal([]byte(old), &rep); err != nil {
		t.Fatal(err)
	}
	m := rep.Metadata
	switch {
	case rep.Version != record.ReportVersion || !rep.GameLoaded || rep.GameStable:
		t.Errorf("version %d, loaded %v, stable %v", rep.Version, rep.GameLoaded, rep.GameStable)
	case rep.Issues[0].At != 3.4 || rep.Opinion.Latency != 2 || m.ActionHistory[0].Took != 0.25:
		t.Errorf("at %v, latency %v, took %v", rep.Issues[0].At, rep.Opinion.Latency, m.ActionHistory[0].Took)
	case m.ActionCount != 2 || m.SuccessfulActions != 1:
		t.Errorf("%d actions, %d sent", m.ActionCount, m.SuccessfulActions)
	case m.ConsoleErrors[0].Text != "TypeError: x" || m.ConsoleErrors[0].Level != record.LevelError:
		t.Errorf("console error %+v", m.ConsoleErrors[0])
	}
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var again record.Report
	if err := json.Unmarshal(data, &again); err != nil || again.Issues[0].At != 3.4 {
		t.Errorf("written and read again: at %v, %v", again.Issues[0].At, err)
	}
	if err := json.Unmarshal([]byte(`{"version": 99}`), &again); err == nil || !strings.Contains(err.Error(), "newer playtest") {
		t.Errorf("a newer report: %v", err)
	}
}

// Times in a report are RFC 3339 or seconds: nothing in it is a time.Duration, which
// JSON would show in nanoseconds.
func TestReportHasNoNanoseconds(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type, string)
	walk = func(typ reflect.Type, path string) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			walk(typ.Elem(), path)
			return
		case reflect.Struct:
		default:
			if typ == reflect.TypeFor[time.Duration]() {
				t.Errorf("%s is a time.Duration", path)
			}
			return
		}
		if typ == reflect.TypeFor[time.Time]() || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			if f.IsExported() && f.Tag.Get("json") != "-" {
				walk(f.Type, path+"."+f.Name)
			}
		}
	}
	walk(reflect.TypeFor[record.Report](), "Report")
	if len(seen) < 10 {
		t.Errorf("only %d types were looked at", len(seen))
	}
}
