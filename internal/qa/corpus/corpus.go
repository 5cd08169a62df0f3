// Package corpus holds reduced records of runs with the right verdict, so that
// the judge can be tested in milliseconds and its rules be switched off one by
// one. Texts, names and addresses of games are taken out.
package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Case is a record with the right verdict.
type Case struct {
	Name string         `json:"name"`
	Want record.Verdict `json:"want"`
	// Checks are those that a broken game may be failed on.
	Checks []record.CheckName `json:"checks,omitempty"`
	Record *record.Record     `json:"record"`
}

// Reduce keeps what the judge reads and takes out what only people read.
func Reduce(rec *record.Record) *record.Record {
	out := &record.Record{Version: rec.Version, Environment: rec.Environment, Interrupted: rec.Interrupted}
	out.Environment.UserAgent = ""
	out.Load = rec.Load
	out.Load.Title, out.Load.LoadingText, out.Load.RawTemplate, out.Load.Covered, out.Load.GameNote = "", "", "", "", ""
	out.Load.Signals, out.Load.Indicators, out.Load.Dismissed, out.Load.Errors = nil, nil, nil, nil
	out.Load.Engine.Scene = ""
	if out.Load.URL != "" {
		out.Load.URL = "game"
	}
	for i := range out.Load.Pending {
		out.Load.Pending[i] = name(out.Load.Pending[i])
	}
	h := rec.Health
	out.Health = record.HealthRecord{
		Hung: h.Hung, Crashed: h.Crashed, ContextLost: h.ContextLost, Left: h.Left, ReloadLoop: h.ReloadLoop,
		Pictures: h.Pictures, FPS: h.FPS,
	}
	for _, r := range h.Refused {
		out.Health.Refused = append(out.Health.Refused, record.Refusal{Host: "elsewhere", Type: r.Type, Reason: r.Reason, Count: r.Count})
	}
	for _, e := range h.Exceptions {
		e.Text, e.URL = kindOf(e.Text), ""
		out.Health.Exceptions = append(out.Health.Exceptions, e)
	}
	for _, l := range h.FailedLoads {
		l.URL = name(l.URL)
		out.Health.FailedLoads = append(out.Health.FailedLoads, l)
	}
	out.Explore.Played = rec.Explore.Played
	if rec.Twins != nil {
		out.Twins = twins(rec.Twins)
	}
	return out
}

// kindOf is what the judge reads of an error.
func kindOf(text string) string {
	if refusal := "NotAllowedError"; strings.Contains(text, refusal) {
		return refusal
	}
	return "an error"
}

func twins(t *record.TwinRecord) *record.TwinRecord {
	out := *t
	out.Screens = nil
	for _, sc := range t.Screens {
		out.Screens = append(out.Screens, record.Screen{ID: sc.ID, Offers: sc.Offers, Tried: sc.Tried, Canvas: sc.Canvas})
	}
	out.Observations = []record.Observation{}
	for _, o := range t.Observations {
		o.Input.Label, o.Input.Selector, o.Input.Text, o.Before, o.After = "", "", "", "", ""
		if o.Threw != "" {
			o.Threw = "an error"
		}
		if o.Left != "" {
			o.Left = "elsewhere"
		}
		out.Observations = append(out.Observations, o)
	}
	out.Alive.Presses, out.Alive.Picture = nil, ""
	if out.Alive.Threw != "" {
		out.Alive.Threw = "an error"
	}
	if out.Alive.Left != "" {
		out.Alive.Left = "elsewhere"
	}
	return &out
}

// name keeps the kind of a file and no more.
func name(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if ext := path.Ext(address); len(ext) > 0 && len(ext) < 7 {
		return "file" + ext
	}
	return "file"
}

// Append adds a case to a file of JSON lines.
func Append(file string, c Case) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("keep the case %s: %w", c.Name, err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("keep the case %s: %w", c.Name, err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep the case %s: %w", c.Name, err)
	}
	return nil
}

// Read reads a file of JSON lines, compressed if its name ends with .gz.
func Read(file string) ([]Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("read the corpus %s: %w", file, err)
		}
		defer z.Close()
		r = z
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	var all []Case
	for n := 1; lines.Scan(); n++ {
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("read the corpus %s, line %d: %w", file, n, err)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the corpus %s: %w", file, err)
	}
	return all, nil
}
