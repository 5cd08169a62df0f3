package record

import "github.com/playtest-dev/playtest/metadata"

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"
)

// RecordError is a saved record that cannot be judged again.
type RecordError struct {
	// Path of the field, "explore.trials[2].controlId"; empty for the file as a
	// whole.
	Path    string
	Message string
}

// Error returns the problem as one sentence.
func (e *RecordError) Error() string {
	if e.Path == "" {
		return "record: " + e.Message
	}
	return "record: " + e.Path + ": " + e.Message
}

// ParseRecord reads a saved record. It is strict: a judgement of half a record,
// or of one that was changed by hand and no longer fits together, would be
// worth nothing. The error is a [*RecordError].
func ParseRecord(data []byte) (*Record, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &RecordError{Message: "it is empty"}
	}
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	rec := &Record{}
	if err := dec.Decode(rec); err != nil {
		return nil, recordError(data, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, &RecordError{Message: "there is something after its end"}
	}
	if err := rec.validate(); err != nil {
		return nil, err
	}
	return rec, nil
}

// checkVersion tells records of other versions, and files that are no records
// at all, before anything else is looked at.
func checkVersion(data []byte) error {
	var head map[string]json.RawMessage
	if err := json.Unmarshal(data, &head); err != nil {
		return recordError(data, err)
	}
	var version int
	raw, ok := head["version"]
	switch {
	case head["playability_score"] != nil:
		return &RecordError{Message: "this is a report; the record of the same run is record.json, beside it"}
	case !ok && head["runId"] != nil:
		return &RecordError{Path: "version", Message: "is missing: the record is from before versions were written, and cannot be judged again"}
	case !ok:
		return &RecordError{Message: "this is no record of a run"}
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return &RecordError{Path: "version", Message: "must be a whole number"}
	}
	switch {
	case version > RecordVersion:
		return &RecordError{Path: "version", Message: fmt.Sprintf("is %d: a newer playtest wrote it, this one reads up to %d", version, RecordVersion)}
	case version < RecordVersion:
		return &RecordError{Path: "version", Message: fmt.Sprintf("is %d: an older playtest wrote it, this one reads %d; play the game again", version, RecordVersion)}
	}
	return nil
}

func recordError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var meta *metadata.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && syntax.Offset >= int64(len(bytes.TrimRight(data, " \r\n\t"))):
		return &RecordError{Message: fmt.Sprintf("it is cut short: it ends in the middle, after %d bytes", len(data))}
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(data[:syntax.Offset], []byte("\n"))
		return &RecordError{Message: fmt.Sprintf("it is not valid JSON: %s (line %d)", syntax, line)}
	case errors.As(err, &kind) && kind.Field == "":
		return &RecordError{Message: "this is no record of a run"}
	case errors.As(err, &kind):
		return &RecordError{Path: kind.Field, Message: fmt.Sprintf("must be %s, not a %s", jsonName(kind.Type), kind.Value)}
	case errors.As(err, &meta):
		first, _, _ := strings.Cut(meta.Error(), "\n")
		return &RecordError{Path: "target.metadata", Message: strings.TrimPrefix(first, "metadata: ")}
	}
	return &RecordError{Message: strings.TrimPrefix(err.Error(), "json: ") + ": it was changed by hand, or written by another version"}
}

// jsonName is a Go type in the words of a file.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a number"
}

// validate reports the first place where the record does not fit together.
func (r *Record) validate() error {
	wrong := func(path, format string, args ...any) error {
		return &RecordError{Path: path, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.RunID == "":
		return wrong("runId", "is missing")
	case r.Started.IsZero():
		return wrong("started", "is missing")
	case r.Finished.IsZero():
		return wrong("finished", "is missing: the run did not come to its end")
	case r.Finished.Before(r.Started):
		return wrong("finished", "lies before started")
	case r.Explore.Played < 0:
		return wrong("explore.played", "is negative")
	}
	if err := r.Target.Validate(); err != nil {
		return wrong("target", "%s", strings.TrimPrefix(err.Error(), "rubric: "))
	}
	known := map[string]bool{}
	for i, c := range r.Discover.Controls {
		at := fmt.Sprintf("discover.controls[%d]", i)
		switch {
		case c.ID == "":
			return wrong(at+".id", "is missing")
		case known[c.ID]:
			return wrong(at+".id", "%q is there twice", c.ID)
		case c.Type == ControlKey && len(c.Keys) == 0:
			return wrong(at+".keys", "are missing")
		}
		known[c.ID] = true
	}
	for i, t := range r.Explore.Trials {
		at := fmt.Sprintf("explore.trials[%d]", i)
		if !known[t.ControlID] {
			return wrong(at+".controlId", "%q is not the id of a control", t.ControlID)
		}
		if t.Outcome != Responsive && t.Outcome != Unresponsive && t.Outcome != Undecided {
			return wrong(at+".outcome", "%q is not one of responsive, unresponsive, undecided", t.Outcome)
		}
		// A trial that saw nothing delivered cannot have had an answer.
		if t.Outcome == Responsive && t.Windows == 0 {
			return wrong(at+".outcome", "is responsive, but the control was never operated")
		}
	}
	for i, s := range r.Screenshots {
		if !beside(s.Path) {
			return wrong(fmt.Sprintf("screenshots[%d].path", i), "%q does not lie beside the record", s.Path)
		}
	}
	if v := r.Video; v != nil {
		for name, p := range map[string]string{"path": v.Path, "thumbnail": v.Thumbnail} {
			if p != "" && !beside(p) {
				return wrong("video."+name, "%q does not lie beside the record", p)
			}
		}
	}
	if s := r.Survey; s != nil && s.Phone != nil && s.Phone.Picture != "" && !beside(s.Phone.Picture) {
		return wrong("survey.phone.picture", "%q does not lie beside the record", s.Phone.Picture)
	}
	return nil
}

// beside reports whether a path names something in the folder of the record.
func beside(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}
