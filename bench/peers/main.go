// Command peers measures the stage beside Stagehand 3 on the same pages in one
// run, prints the table and writes it into docs/benchmarks.md. It is what
// `make bench-peers` runs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"playtest/browser"
	"playtest/browser/probe"
	"playtest/browser/snapshot"
	"playtest/model"
	"playtest/stage"
)

const repeats = 7

// limit is the size of what the stage sends of a page.
const limit = stage.DefaultTokens

var pages = []string{"small", "large", "frames", "cross", "canvas"}

func main() {
	folder := flag.String("stagehand", "", "folder into which Stagehand was installed; empty measures ours alone")
	docs := flag.String("docs", "docs/benchmarks.md", "file to write the table into, empty for none")
	flag.Parse()
	if err := run(context.Background(), *folder, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, docs string) error {
	server := serve()
	defer server.Close()
	ours, err := measure(ctx, server.URL)
	if err != nil {
		return err
	}
	var theirs *result
	why := ""
	if folder != "" {
		if theirs, err = stagehand(ctx, folder, server.URL); err != nil {
			why = err.Error()
		}
	} else {
		why = "it was not asked for"
	}
	text := table(ours, theirs, why)
	fmt.Print(text)
	if folder != "" && theirs == nil {
		return fmt.Errorf("%s; %s is left as it was", why, docs)
	}
	if docs == "" {
		return nil
	}
	return write(docs, text)
}

// result is what was measured of one program, times in milliseconds.
type result struct {
	Full, First   map[string]float64 // whole tree, viewport first
	Tokens        map[string]int     // of the whole tree
	Sent          map[string]int     // of what a model is sent
	Before, Again float64            // the large page before and after the one with frames, at best
	Act           float64            // with a model that answers at once
	MB            float64            // our process at the end
	Painted       int                // painted texts seen on the canvas
	Errors        []string
}

func newResult() *result {
	return &result{Full: map[string]float64{}, First: map[string]float64{}, Tokens: map[string]int{}, Sent: map[string]int{}}
}

func measure(ctx context.Context, base string) (*result, error) {
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		return nil, err
	}
	p := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{p.Script()}})
	if err != nil {
		return nil, err
	}
	reader := snapshot.New(page, &snapshot.Options{Probe: p})
	open := func(name string) error {
		if _, err := page.Navigate(ctx, base+"/"+name, nil); err != nil {
			return err
		}
		if err := page.WaitLoad(ctx, browser.Complete); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond) // both programs measure a page that has come to rest
		return nil
	}
	least := 0.0
	timed := func(opts *snapshot.FormatOptions) (float64, *snapshot.Snapshot, *snapshot.Text, error) {
		var times []float64
		var snap *snapshot.Snapshot
		var text *snapshot.Text
		for range repeats {
			began := time.Now()
			var err error
			if snap, err = reader.Capture(ctx); err != nil {
				return 0, nil, nil, err
			}
			text = snap.Format(opts)
			times = append(times, time.Since(began).Seconds()*1000)
		}
		slices.Sort(times)
		least = times[0]
		return times[len(times)/2], snap, text, nil
	}
	r := newResult()
	for _, name := range pages {
		if err := open(name); err != nil {
			return nil, err
		}
		var text *snapshot.Text
		var snap *snapshot.Snapshot
		if r.Full[name], snap, text, err = timed(nil); err != nil {
			return nil, err
		}
		r.Tokens[name] = text.Tokens
		if name == "large" {
			r.Before = least
		}
		if r.First[name], _, _, err = timed(&snapshot.FormatOptions{Form: snapshot.InView, Tokens: limit}); err != nil {
			return nil, err
		}
		r.Sent[name] = snap.Format(&snapshot.FormatOptions{Tokens: limit, MaxName: 80}).Tokens
		snap.Root.Walk(func(n *snapshot.Node) bool {
			if n.Painted() {
				r.Painted++
			}
			return true
		})
	}
	if err := open("frames"); err != nil {
		return nil, err
	}
	if _, _, _, err := timed(nil); err != nil {
		return nil, err
	}
	if err := open("large"); err != nil {
		return nil, err
	}
	if _, _, _, err = timed(nil); err != nil {
		return nil, err
	}
	r.Again = least
	if err := open("small"); err != nil {
		return nil, err
	}
	if r.Act, err = act(ctx, page, p); err != nil {
		return nil, err
	}
	r.MB = memory()
	return r, nil
}

var firstButton = regexp.MustCompile(`(?m)^ *(\d+) button`)

// instant is a model that answers at once: click the first button.
type instant struct{}

func (instant) Name() string { return "bench/instant" }

func (instant) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	m := firstButton.FindStringSubmatch(req.Messages[0].Text())
	if m == nil {
		return nil, errors.New("there is no button on the page")
	}
	text := fmt.Sprintf(`{"found":true,"elementId":%q,"description":"a button","method":"click","arguments":[],"twoStep":false,"part":0}`, m[1])
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}}, Stop: model.StopEnd, Model: "bench/instant"}, nil
}

func act(ctx context.Context, page *browser.Page, p *probe.Probe) (float64, error) {
	st, err := stage.New(ctx, page, instant{}, &stage.Options{Probe: p})
	if err != nil {
		return 0, err
	}
	var times []float64
	for range repeats {
		began := time.Now()
		done, err := st.Act(ctx, "click the first button", nil)
		if err != nil {
			return 0, err
		}
		times = append(times, (time.Since(began)-done.Meta.Timings.Model).Seconds()*1000)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// memory is the process's resident size.
func memory() float64 {
	runtime.GC()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb float64
	if i := strings.Index(string(data), "VmRSS:"); i >= 0 {
		fmt.Sscanf(string(data[i+len("VmRSS:"):]), "%f", &kb)
	}
	return kb / 1024
}

func stagehand(ctx context.Context, folder, base string) (*result, error) {
	chromium, err := browser.Find("")
	if err != nil {
		return nil, err
	}
	trees, err := os.MkdirTemp("", "trees")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(trees)
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	bound, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := []string{"bench/peers/stagehand.mjs", full, chromium.Path, trees}
	for _, name := range pages {
		args = append(args, name+"="+base+"/"+name)
	}
	cmd := exec.CommandContext(bound, "node", args...)
	cmd.Stderr = os.Stderr
	// Its browser goes with it, also when it hangs and has to be ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("stagehand: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var out struct {
		Pages map[string]struct {
			MS    float64 `json:"ms"`
			Least float64 `json:"least"`
			Error string  `json:"error"`
		} `json:"pages"`
		Again    float64 `json:"again"`
		Act      float64 `json:"act"`
		ActError string  `json:"actError"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil {
		return nil, fmt.Errorf("stagehand's answer: %w", err)
	}
	r := newResult()
	r.Before, r.Again, r.Act = out.Pages["large"].Least, out.Again, out.Act
	if out.ActError != "" {
		r.Errors = append(r.Errors, "act: "+out.ActError)
	}
	for name, p := range out.Pages {
		if p.Error != "" {
			r.Errors = append(r.Errors, name+": "+p.Error)
			continue
		}
		r.Full[name] = p.MS
		tree, err := os.ReadFile(filepath.Join(trees, name+".txt"))
		if err != nil {
			return nil, err
		}
		r.Tokens[name] = snapshot.Tokens(string(tree))
		r.Sent[name] = r.Tokens[name]
	}
	return r, nil
}
