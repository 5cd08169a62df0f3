package qa

import (
	"github.com/playtest-dev/playtest/internal/qa/logs"
	"github.com/playtest-dev/playtest/record"
)

// keepLogs writes the console, the network and the decisions beside the
// pictures. A log that cannot be kept is a gap in the evidence.
func (r *run) keepLogs() {
	if r.opts.Evidence == nil || r.log == nil {
		return
	}
	files, err := logs.Files(logs.Of(r.log), r.rec)
	if err != nil {
		r.opts.Log.Warn("write logs", "run", r.rec.RunID, "error", err)
		r.emit(record.EventWarning, "the logs could not be written")
		return
	}
	for name, data := range files {
		if err := r.opts.Evidence.File(name, data); err != nil {
			r.opts.Log.Warn("keep log", "run", r.rec.RunID, "name", name, "error", err)
			r.emit(record.EventWarning, "%s could not be kept", name)
		}
	}
}
