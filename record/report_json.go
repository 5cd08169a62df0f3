package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// MarshalJSON writes the report in its present version: the three booleans follow
// from the checks, and a list without entries is an empty list.
func (r Report) MarshalJSON() ([]byte, error) {
	r.stamp()
	r.Checks, r.Metrics, r.Issues = list(r.Checks), list(r.Metrics), list(r.Issues)
	r.Controls, r.Screenshots = list(r.Controls), list(r.Screenshots)
	m := &r.Metadata
	m.ConsoleErrors, m.ActionHistory = list(m.ConsoleErrors), list(m.ActionHistory)
	if r.Opinion != nil {
		op := *r.Opinion
		op.Checks = list(op.Checks)
		r.Opinion = &op
	}
	if r.Play != nil {
		play := *r.Play
		play.Controls = list(play.Controls)
		r.Play = &play
	}
	type plain Report
	return json.Marshal(plain(r))
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// UnmarshalJSON reads reports of this version and of those before it. A report of
// a newer version is an error.
func (r *Report) UnmarshalJSON(data []byte) error {
	type plain Report
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*r = Report(p)
	switch {
	case r.Version > ReportVersion:
		return fmt.Errorf("the report has version %d: a newer playtest wrote it, this one reads up to %d", r.Version, ReportVersion)
	case r.Version < ReportVersion:
		r.upgrade()
	}
	return nil
}

// upgrade brings a report of version 1 up to date: its times were nanoseconds, and
// what can be counted was not.
func (r *Report) upgrade() {
	seconds := func(nanoseconds float64) float64 { return Seconds(time.Duration(nanoseconds)) }
	for i := range r.Issues {
		r.Issues[i].At = seconds(r.Issues[i].At)
	}
	if r.Opinion != nil {
		r.Opinion.Latency = seconds(r.Opinion.Latency)
	}
	m := &r.Metadata
	m.ActionCount, m.SuccessfulActions = len(m.ActionHistory), 0
	for i := range m.ActionHistory {
		m.ActionHistory[i].Took = seconds(m.ActionHistory[i].Took)
		if m.ActionHistory[i].Success {
			m.SuccessfulActions++
		}
	}
	r.stamp()
}

// stamp sets what follows from the rest.
func (r *Report) stamp() {
	r.Version = ReportVersion
	proven := func(name CheckName) bool { return r.Check(name).State == Proven }
	r.GameLoaded, r.ControlsResponsive, r.GameStable = proven(GameLoaded), proven(ControlsResponsive), proven(GameStable)
}

// UnmarshalJSON also takes the text alone, as version 1 of reports has it.
func (e *ConsoleError) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*e = ConsoleError{Level: LevelError, Count: 1}
		return json.Unmarshal(data, &e.Text)
	}
	type plain ConsoleError
	return json.Unmarshal(data, (*plain)(e))
}
