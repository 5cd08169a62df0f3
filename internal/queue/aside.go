package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/playtest-dev/playtest/record"
)

// keepAside writes a result that the database does not take into a folder, for
// a person to look at, and returns that folder. It is "" when there was no
// result, no folder is set, or nothing could be written there either.
func (q *Queue) keepAside(h *Held, rec *record.Record, rep *record.Report, why error) string {
	if q.opts.Aside == "" || rec == nil && rep == nil {
		return ""
	}
	dir := filepath.Join(q.opts.Aside, fmt.Sprintf("%s-%d", filepath.Base(h.Run.ID), h.Run.Lease))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		q.opts.Log.Error("keep a result aside", "run", h.Run.ID, "error", err)
		return ""
	}
	var errs []error
	for name, value := range map[string]any{"record.json": rec, "report.json": rep} {
		data, err := json.MarshalIndent(value, "", "  ")
		if err != nil { // a number that JSON does not have, say: then as Go writes it
			name, data = name+".txt", fmt.Appendf(nil, "%+v\n", value)
		}
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	errs = append(errs, os.WriteFile(filepath.Join(dir, "why.txt"), fmt.Appendf(nil, "run %s, lease %d, worker %s: %v\n", h.Run.ID, h.Run.Lease, q.opts.Worker, why), 0o600))
	if err := errors.Join(errs...); err != nil {
		q.opts.Log.Error("keep a result aside", "run", h.Run.ID, "error", err)
	}
	return dir
}
