package record_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func saved() *record.Record {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return &record.Record{
		Version: record.RecordVersion, RunID: "run", Started: start, Finished: start.Add(14 * time.Second),
		Target:      record.Target{URL: "http://localhost/", Metadata: &metadata.Metadata{Title: "Ridge"}, Rubric: &metadata.Rubric{Threshold: 60}},
		Discover:    record.DiscoverRecord{Controls: []record.Control{{ID: "key:Space", Type: record.ControlKey, Keys: []string{"Space"}}}},
		Explore:     record.ExploreRecord{Played: time.Second, Trials: []record.Trial{{ControlID: "key:Space", Outcome: record.Responsive, Windows: 3}}},
		Screenshots: []record.Screenshot{{Stage: "final_state", Path: "screenshots/1.png"}},
	}
}

func TestParseRecord(t *testing.T) {
	data, err := json.MarshalIndent(saved(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.ParseRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(data) {
		t.Errorf("it comes back changed:\n%s", again)
	}
}

// Every record that cannot be judged says why, and where.
func TestParseRecordRefuses(t *testing.T) {
	data, err := json.MarshalIndent(saved(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, with string) string {
		if !strings.Contains(string(data), old) {
			t.Fatalf("%q is not in the record", old)
		}
		return strings.Replace(string(data), old, with, 1)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"empty", " \n", "it is empty"},
		{"half of it", string(data[:len(data)/2]), "cut short: it ends in the middle, after"},
		{"all but the last brace", strings.TrimSuffix(string(data), "}"), "cut short"},
		{"not JSON", "version: 1", "not valid JSON"},
		{"a list", "[]", "no record of a run"},
		{"a report", `{"status": "pass", "playability_score": 100}`, "this is a report"},
		{"something else", `{"hello": 1}`, "no record of a run"},
		{"no version", edit(`"version": 1,`, ""), "version: is missing"},
		{"older", edit(`"version": 1,`, `"version": 0,`), "version: is 0: an older playtest wrote it"},
		{"newer", edit(`"version": 1,`, `"version": 7,`), "version: is 7: a newer playtest wrote it"},
		{"version in words", edit(`"version": 1,`, `"version": "one",`), "version: must be a whole number"},
		{"unknown field", edit(`"runId"`, `"note": "mine", "runId"`), `unknown field "note"`},
		{"another type", edit(`"played": 1000000000`, `"played": "a second"`), "explore.played: must be a number, not a string"},
		{"something after it", string(data) + "{}", "not valid JSON"},
		{"no run", edit(`"runId": "run"`, `"runId": ""`), "runId: is missing"},
		{"no end", edit(`"finished": "2026-11-01T12:00:14Z"`, `"finished": "0001-01-01T00:00:00Z"`), "finished: is missing"},
		{"ends before it begins", edit(`"finished": "2026-11-01T12:00:14Z"`, `"finished": "2026-11-01T11:00:00Z"`), "finished: lies before started"},
		{"negative time", edit(`"played": 1000000000`, `"played": -1`), "explore.played: is negative"},
		{"another address", edit(`"gameUrl": "http://localhost/"`, `"gameUrl": "file:///etc/passwd"`), "target: the game's address"},
		{"bad metadata", edit(`"title": "Ridge"`, `"titel": "Ridge"`), "target.metadata: titel: is not a known field"},
		{"bad rubric", edit(`"threshold": 60`, `"threshold": 600`), "target: threshold 600"},
		{"trial of nothing", edit(`"controlId": "key:Space"`, `"controlId": "key:Enter"`), `explore.trials[0].controlId: "key:Enter" is not the id of a control`},
		{"outcome of its own", edit(`"outcome": "responsive"`, `"outcome": "great"`), `explore.trials[0].outcome: "great" is not one of`},
		{"never operated", edit(`"windows": 3`, `"windows": 0`), "explore.trials[0].outcome: is responsive, but"},
		{"key without a key", edit("\"keys\": [\n          \"Space\"\n        ],", ""), "discover.controls[0].keys: are missing"},
		{"picture elsewhere", edit("screenshots/1.png", "../../etc/passwd"), "screenshots[0].path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := record.ParseRecord([]byte(tt.file))
			var wrong *record.RecordError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Whatever is cut off or changed, a record is read or refused.
func FuzzParseRecord(f *testing.F) {
	data, err := json.Marshal(saved())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/3])
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := record.ParseRecord(data)
		var wrong *record.RecordError
		if (rec == nil) == (err == nil) || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%v, %v", rec, err)
		}
	})
}
