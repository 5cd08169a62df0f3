package report_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// twinned is a run whose controls were found by two pages under one clock.
func twinned() (*record.Report, *record.Record) {
	play := record.Input{Kind: record.InputClick, At: record.Point{X: 640, Y: 331}, Label: "Play"}
	jump := record.Input{Kind: record.InputKey, Key: "Space"}
	control := func(id, text string) record.ControlResult {
		return record.ControlResult{
			Control: record.Control{ID: id, Type: record.ControlKey, Keys: []string{"Space"}, Description: text},
			Trial:   record.Trial{ControlID: id, Outcome: record.Responsive, Signals: []record.Signal{{Name: record.SignalReplay, With: 900, Holds: true}}, Before: "screenshots/a.png", After: "screenshots/b.png"},
		}
	}
	rep := &record.Report{
		Status: record.Pass, Summary: "It can be played.",
		Checks:      []record.Check{{Name: record.GameLoaded, State: record.Proven, Reason: "Ready after 2 s."}},
		Controls:    []record.ControlResult{control("key:Space", "Space")},
		Screenshots: []record.Screenshot{{Stage: record.StageInitialLoad, Path: "screenshots/first.png", Time: at(2)}, {Stage: record.StageFinalState, Path: "screenshots/none.png", Time: at(20)}},
		Timestamp:   at(21), Metadata: record.ReportMetadata{SessionID: "t", GameURL: "http://127.0.0.1:1/", ActionHistory: record.Reported([]record.Action{{Time: at(10), Kind: "click", Target: "Play", Success: true}})},
	}
	rec := &record.Record{
		Started: began, Phases: []record.PhaseRun{{Phase: record.PhaseLoad, Started: at(0.5), Duration: 2 * time.Second}},
		Load: record.LoadRecord{Ready: true, ReadyAfter: 2 * time.Second, Signals: []record.ReadySignal{{Name: "painting", Held: true, After: time.Second}}},
		Twins: &record.TwinRecord{
			Observations: []record.Observation{
				{Stage: "search", Input: play, Seconds: 2, From: 0, To: 1, Pixels: 4000, Cells: []int{0, 1, 32}, Later: 4000},
				{Stage: "search", Input: jump, Seconds: 4, From: 1, To: 1, Pixels: 900, Cells: []int{33, 34, 65}, Later: 20, Repeats: []record.Repeat{{Pixels: 800}}},
			},
			Screens: []record.Screen{{ID: 0, Offers: 3, Tried: 1}, {ID: 1, Offers: 9, Tried: 4, Prefix: []record.Step{{Frame: 120, Input: play}}}},
		},
	}
	return rep, rec
}

func files(t *testing.T) fstest.MapFS {
	return fstest.MapFS{
		"screenshots/a.png":     {Data: picture(t, 32, 18)},
		"screenshots/b.png":     {Data: []byte("no picture")},
		"screenshots/first.png": {Data: picture(t, 32, 18)},
		"console.log":           {Data: []byte(stamped(3, "error     ReferenceError: x (http://127.0.0.1:1/main.js:3)") + stamped(3, "log       hello") + stamped(4, "warning   slow"))},
		"network.har":           {Data: []byte(fmt.Sprintf(`{"log":{"entries":[{"startedDateTime":%q,"time":40,"request":{"url":"http://127.0.0.1:1/"},"response":{"status":200,"bodySize":1200}},{"startedDateTime":%q,"time":900,"request":{"url":"http://127.0.0.1:1/big.png"},"response":{"status":404,"bodySize":2500000}}]}}`, at(0.5).Format(time.RFC3339Nano), at(0.6).Format(time.RFC3339Nano)))},
	}
}

func stamped(seconds float64, text string) string {
	return at(seconds).Format("2006-01-02T15:04:05.000Z") + " " + text + "\n"
}

func TestPageOfTwins(t *testing.T) {
	rep, rec := twinned()
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, &report.PageOptions{Files: files(t)}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "twins.html.golden"), b.String())
	for _, want := range []string{
		"less than 1 % of the picture looks different from the same moment without it, and it still does a second later. Each time goes on changing it.",
		"after 2 s: click &#34;Play&#34; at 640,331", // how to see it
		`<path d="M1 1h1`,      // the difference is outlined
		"a picture is missing", // the one that is damaged
		"big.png", "2.5 MB", "1 failed",
		"ReferenceError: x", " s: hello", // on the axis
		"on <a href=\"#screen-1\">screen 1</a>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"<script", "screenshots/b.png", "https://"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the page contains %q", never)
		}
	}
}

func TestPageThatStandsAlone(t *testing.T) {
	rep, rec := twinned()
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, &report.PageOptions{Files: files(t), Single: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "src=\"data:image/png;base64,") {
		t.Error("no picture is inside")
	}
	for _, never := range []string{`src="screenshots`, `href="screenshots`, `href="record.json"`} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the page needs what lies beside it: %s", never)
		}
	}
}

// A video is shown where it lies, goes into a page that stands alone if it is small,
// and is otherwise represented by its thumbnail; one that is gone is not missed.
func TestPageWithVideo(t *testing.T) {
	small := files(t)
	small["video.webm"], small["video.gif"] = &fstest.MapFile{Data: []byte("film")}, &fstest.MapFile{Data: []byte("GIF89a\x02\x00\x02\x00\x00\x00\x00;")}
	large := maps.Clone(small)
	large["video.webm"] = &fstest.MapFile{Data: make([]byte, 4<<20)}
	tests := []struct {
		name   string
		opts   report.PageOptions
		want   string
		absent string
	}{
		{"beside", report.PageOptions{Files: small}, `<video controls muted playsinline preload="metadata" width="640" height="388" src="video.webm"`, "data:video"},
		{"inside", report.PageOptions{Files: small, Single: true}, `src="data:video/webm;base64,ZmlsbQ=="`, `"video.webm"`},
		{"too large", report.PageOptions{Files: large, Single: true}, `src="data:image/gif;base64,`, "<video"},
		{"gone", report.PageOptions{Files: files(t)}, "<h1>", "<video"},
	}
	for _, tt := range tests {
		rep, rec := twinned()
		rep.Video = &record.Video{Path: "video.webm", Thumbnail: "video.gif", Width: 640, Height: 388, Seconds: 12}
		var b bytes.Buffer
		if err := report.Page(&b, rep, rec, &tt.opts); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tt.want) || strings.Contains(b.String(), tt.absent) {
			t.Errorf("%s: the page has not %q, or has %q", tt.name, tt.want, tt.absent)
		}
	}
}

// A path that leaves the folder is no video.
func TestVideoElsewhere(t *testing.T) {
	rep, rec := twinned()
	rep.Video = &record.Video{Path: "../../secret.webm", Thumbnail: "javascript:alert(1)"}
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, nil); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"secret", "javascript:", "<video"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the page contains %q", never)
		}
	}
}

// Whatever lies in a results folder, there is a page, and it is not endless.
func TestPageOfBadEvidence(t *testing.T) {
	rep, rec := twinned()
	nasty := "<script>alert(1)</script>\u202e\x1b[31m"
	rep.Summary = nasty
	rep.Issues = []record.Issue{{Severity: record.Critical, Description: nasty, Evidence: nasty}}
	for range 10_000 {
		rep.Metadata.ActionHistory = append(rep.Metadata.ActionHistory, record.ReportedAction{Time: at(11), Kind: "key", Target: nasty})
	}
	rec.Survey = surveyed()
	rec.Survey.Frames.Began = at(10)
	for i := range 5_000 {
		rec.Twins.Observations = append(rec.Twins.Observations, record.Observation{
			Stage: "search", Input: record.Input{Kind: record.InputClick, Label: nasty}, Seconds: float64(i) / 10, Pixels: 900 * (i % 2), Threw: []string{"", "", nasty}[i%3], Cells: []int{i % 500}, Before: "screenshots/a.png", After: "screenshots/b.png",
		})
	}
	var log strings.Builder
	for i := range 10_000 {
		log.WriteString(stamped(3, fmt.Sprintf("error     %d %s", i, nasty)))
	}
	entry := fmt.Sprintf(`{"startedDateTime":%q,"time":1e300,"request":{"url":%q},"response":{"status":-1,"bodySize":-5}}`, at(1).Format(time.RFC3339), "javascript:"+nasty)
	for name, fs := range map[string]fstest.MapFS{
		"nothing":   {},
		"garbage":   {"network.har": {Data: []byte("{")}, "console.log": {Data: []byte("\xff\xfe\n\n")}, "screenshots/a.png": {Data: nil}},
		"very much": {"network.har": {Data: []byte(`{"log":{"entries":[` + strings.Repeat(entry+",", 9999) + entry + "]}}")}, "console.log": {Data: []byte(log.String())}},
	} {
		for _, single := range []bool{false, true} {
			var b bytes.Buffer
			if err := report.Page(&b, rep, rec, &report.PageOptions{Files: fs, Single: single}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b.Len() > 300<<10 {
				t.Errorf("%s: the page has %d kB", name, b.Len()>>10)
			}
			if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "javascript:") {
				t.Errorf("%s: what the game says is markup", name)
			}
		}
	}
}

// A picture without a size is none, whatever its kind.
func TestPageOfPicturesWithoutSize(t *testing.T) {
	rep, rec := twinned()
	flat := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x00\x00\x00\x00\x00\x08\x02\x00\x00\x00")
	flat = binary.BigEndian.AppendUint32(flat, crc32.ChecksumIEEE(flat[12:]))
	for name, data := range map[string][]byte{"PNG": flat, "GIF": []byte("GIF89a\x00\x00\x00\x00\x00\x00\x00;"), "nothing": nil} {
		fs := files(t)
		fs["screenshots/a.png"] = &fstest.MapFile{Data: data}
		for _, single := range []bool{false, true} {
			var b bytes.Buffer
			if err := report.Page(&b, rep, rec, &report.PageOptions{Files: fs, Single: single}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if strings.Contains(b.String(), `src="screenshots/a.png"`) || strings.Count(b.String(), "a picture is missing") < 2 {
				t.Errorf("%s: a picture without a size is shown", name)
			}
		}
	}
}

// Reports of the first version can be shown, and so can unfinished ones.
func TestPageOfOldReports(t *testing.T) {
	for _, text := range []string{`{}`, `{"status":"pass","checks":[{"name":"gameLoaded","state":"true","reason":"x"}],"metadata":{"duration":3000000000}}`} {
		var rep record.Report
		if err := json.Unmarshal([]byte(text), &rep); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.Page(&b, &rep, nil, &report.PageOptions{Files: os.DirFS(t.TempDir())}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGrid(t *testing.T) {
	var b bytes.Buffer
	err := report.Grid(&b, "Playtest of <games>", []report.Tile{
		{Name: "good", Address: "http://a/", Status: record.Pass, Summary: "Fine.", Score: 100, Seconds: 12, Page: "games/good/report.html", Picture: "games/good/screenshots/1.png"},
		{Name: "a/b 🎮 \u202e", Address: "<b>", Status: record.Fail, Summary: "<script>", Issues: 2, Page: "../../etc/passwd"},
		{Name: "open", Status: record.VerdictError, Summary: "Nobody knows."},
	}, []string{"late"})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "grid.html.golden"), b.String())
	for _, never := range []string{"<script", "passwd", "<b>"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the page contains %q", never)
		}
	}
	if strings.Index(b.String(), "🎮") > strings.Index(b.String(), ">good<") {
		t.Error("the game that passed comes before the one that failed")
	}
}
