package store

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// dialect is what SQLite and Postgres spell differently. Words in braces in
// the .sql files stand for it.
type dialect struct {
	name string
	// words by their name in braces.
	words map[string]string
}

// runColumns are what scanRun reads.
const runColumns = `seq, id, status, url, host, mode, priority, submission_key, attempts, max_attempts, lease, worker, phase, cancel_requested,
	created_at, run_after, started_at, heartbeat_at, finished_at, verdict, playability_score, overall_score, confidence, summary, error_message, pruned_at, evidence_attempt, evidence_manifest, project, batch, evidence_bytes`

var sqlite = dialect{"sqlite", map[string]string{
	"serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
	"now":    "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
	// One writer at a time: nothing is ever locked by another.
	"skip_locked": "",
	"lock":        "",
	"unlogged":    "",
	"run":         runColumns,
	"held":        heldSQL,
}}

var postgres = dialect{"postgres", map[string]string{
	"serial":      "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
	"now":         "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	"skip_locked": "FOR UPDATE SKIP LOCKED",
	"lock":        "FOR UPDATE",
	"unlogged":    "UNLOGGED",
	"run":         runColumns,
	"held":        heldSQL,
}}

func (d dialect) spell(text string) string {
	for word, spelling := range d.words {
		text = strings.ReplaceAll(text, "{"+word+"}", spelling)
	}
	return text
}

//go:embed queries/*.sql
var queryFiles embed.FS

// loadQueries reads the .sql files: each query begins with a line "-- name: x".
func loadQueries(d dialect) (map[string]string, error) {
	names, err := fs.Glob(queryFiles, "queries/*.sql")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range names {
		data, err := queryFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, part := range strings.Split(string(data), "-- name: ") {
			key, query, ok := strings.Cut(part, "\n")
			if i == 0 {
				continue // what stands before the first name
			}
			if _, twice := out[key]; !ok || twice {
				return nil, fmt.Errorf("%s: query %q is empty or there twice", name, key)
			}
			out[key] = d.spell(strings.TrimSpace(query))
		}
	}
	return out, nil
}
