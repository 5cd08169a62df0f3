package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Bounds of the logs that a page shows.
const (
	maxLogBytes  = 4 << 20
	maxLogLines  = 10_000
	linesShown   = 60
	requestsRead = 5_000
	largestShown = 8
)

// line is a line of console.log.
type line struct {
	Time  time.Time
	Level string
	Text  string
	Times int
}

// Bad reports whether the line tells of an error.
func (l line) Bad() bool {
	switch l.Level {
	case "error", "assert", "exception", "rejection", "crash":
		return true
	}
	return false
}

// request is an entry of network.har.
type request struct {
	Start  time.Time
	Took   time.Duration
	Name   string // the file, or the host where there is none
	Kind   string
	Status int
	Bytes  int64
}

func (r request) Failed() bool { return r.Status == 0 || r.Status >= 400 }

// readConsole reads console.log. Lines that say the same follow each other as one.
func readConsole(files fs.FS) []line {
	data := readLog(files, "console.log")
	var out []line
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 1<<20)
	for n := 0; n < maxLogLines && in.Scan(); n++ {
		stamp, rest, _ := strings.Cut(in.Text(), " ")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			continue // the rest of a text of several lines
		}
		level, text, _ := strings.Cut(rest, " ")
		l := line{Time: at, Level: level, Text: Plain(text), Times: 1}
		if k := len(out); k > 0 && out[k-1].Level == l.Level && out[k-1].Text == l.Text {
			out[k-1].Times++
			continue
		}
		out = append(out, l)
	}
	return out
}

// readNetwork reads network.har.
func readNetwork(files fs.FS) []request {
	var har struct {
		Log struct {
			Entries []struct {
				Started time.Time `json:"startedDateTime"`
				Time    float64   `json:"time"` // milliseconds
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
				Response struct {
					Status  int   `json:"status"`
					Body    int64 `json:"bodySize"`
					Content struct {
						Size int64 `json:"size"`
					} `json:"content"`
				} `json:"response"`
				Kind string `json:"_resourceType"`
			} `json:"entries"`
		} `json:"log"`
	}
	if json.Unmarshal(readLog(files, "network.har"), &har) != nil {
		return nil
	}
	var out []request
	for i, e := range har.Log.Entries {
		if i == requestsRead {
			break
		}
		out = append(out, request{
			Start: e.Started, Took: time.Duration(e.Time * float64(time.Millisecond)), Name: shortName(e.Request.URL),
			Kind: strings.ToLower(e.Kind), Status: e.Response.Status, Bytes: max(e.Response.Body, e.Response.Content.Size, 0),
		})
	}
	slices.SortStableFunc(out, func(a, b request) int { return a.Start.Compare(b.Start) })
	return out
}

func readLog(files fs.FS, name string) []byte {
	if files == nil {
		return nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxLogBytes)) // what could be read of it has to do
	return data
}

func shortName(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return "data inside the page"
	}
	if base := path.Base(u.Path); base != "/" && base != "." {
		return Plain(base)
	}
	return Plain(u.Host)
}

// largest are the requests that brought most.
func largest(all []request) []request {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b request) int {
		switch {
		case a.Bytes > b.Bytes:
			return -1
		case a.Bytes < b.Bytes:
			return 1
		}
		return 0
	})
	out = slices.DeleteFunc(out, func(r request) bool { return r.Bytes == 0 })
	return out[:min(len(out), largestShown)]
}

// loud are the lines of a console that a developer looks for.
func loud(all []line) (shown []line, more int) {
	for _, l := range all {
		if !l.Bad() && l.Level != "warning" {
			continue
		}
		if len(shown) == linesShown {
			more++
			continue
		}
		shown = append(shown, l)
	}
	return shown, more
}
