package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/proc"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// tab is a page of its own, in a context of its own, that is measured.
type tab struct {
	base   string
	page   *browser.Page
	probe  *probe.Probe
	reader *snapshot.Reader
	close  func()
}

func newTab(ctx context.Context, b *browser.Browser, base string) (*tab, error) {
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		return nil, err
	}
	p := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{p.Script()}})
	if err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return &tab{base, page, p, snapshot.New(page, &snapshot.Options{Probe: p}), func() { _ = c.Close(ctx) }}, nil
}

func (t *tab) open(ctx context.Context, name string) error {
	if _, err := t.page.Navigate(ctx, t.base+"/"+name, nil); err != nil {
		return err
	}
	if err := t.page.WaitLoad(ctx, browser.Complete); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // both programs measure a page that has come to rest
	return nil
}

// timed takes snapshots and returns the median of their times in milliseconds,
// with the last of them.
func (t *tab) timed(ctx context.Context, look func(context.Context) (*snapshot.Snapshot, error), opts *snapshot.FormatOptions) (float64, *snapshot.Snapshot, *snapshot.Text, error) {
	var times []float64
	var snap *snapshot.Snapshot
	var text *snapshot.Text
	for range repeats {
		began := time.Now()
		var err error
		if snap, err = look(ctx); err != nil {
			return 0, nil, nil, err
		}
		text = snap.Format(opts)
		times = append(times, time.Since(began).Seconds()*1000)
	}
	return median(times), snap, text, nil
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func measure(ctx context.Context, chromium, base string) (*result, error) {
	b, err := browser.Launch(ctx, &browser.LaunchOptions{Path: chromium})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	t, err := newTab(ctx, b, base)
	if err != nil {
		return nil, err
	}
	defer t.close()
	r := newResult()
	for _, name := range pages {
		if err := t.open(ctx, name); err != nil {
			return nil, err
		}
		var text *snapshot.Text
		var snap *snapshot.Snapshot
		if r.Full[name], snap, text, err = t.timed(ctx, t.reader.Capture, nil); err != nil {
			return nil, err
		}
		r.Tokens[name] = text.Tokens
		if r.First[name], _, _, err = t.timed(ctx, t.reader.CaptureView, &snapshot.FormatOptions{Form: snapshot.InView, Tokens: limit}); err != nil {
			return nil, err
		}
		r.Sent[name] = snap.Format(&snapshot.FormatOptions{Tokens: limit, MaxName: 80}).Tokens
		if name == "canvas" {
			r.Painted = painted(text.Text)
		}
	}
	if err := t.open(ctx, "small"); err != nil {
		return nil, err
	}
	if r.Act, err = t.act(ctx); err != nil {
		return nil, err
	}
	if r.Extract, err = t.extract(ctx); err != nil {
		return nil, err
	}
	if r.Step, err = t.step(ctx); err != nil {
		return nil, err
	}
	if r.Again, err = again(ctx, b, base); err != nil {
		return nil, err
	}
	r.MB = memory()
	return r, nil
}

// pairs is how often the large page is read in both tabs of again: the median of 15 ratios
// came out between 1.03 and 1.16 where nothing had changed.
const pairs = 45

// again is how much longer the large page takes after the one with frames. Two
// tabs have gone the same way, but that one of them has come by the frames, and
// take turns, so that whatever else the machine does hits both alike.
func again(ctx context.Context, b *browser.Browser, base string) (float64, error) {
	var tabs [2]*tab
	for i, between := range []string{"small", "frames"} {
		t, err := newTab(ctx, b, base)
		if err != nil {
			return 0, err
		}
		defer t.close()
		for _, name := range []string{"large", between, "large"} {
			if err := t.open(ctx, name); err != nil {
				return 0, err
			}
			if _, err := t.reader.Capture(ctx); err != nil {
				return 0, err
			}
		}
		tabs[i] = t
	}
	var ratios []float64
	for i := range pairs {
		var took [2]float64
		for _, j := range [][2]int{{0, 1}, {1, 0}}[i%2] {
			began := time.Now()
			snap, err := tabs[j].reader.Capture(ctx)
			if err != nil {
				return 0, err
			}
			snap.Format(nil)
			took[j] = time.Since(began).Seconds()
		}
		ratios = append(ratios, took[1]/took[0])
	}
	return median(ratios), nil
}

var firstButton = regexp.MustCompile(`(?m)^ *(\d+) button`)

// instant is a model that answers at once: click the first button. As an agent it
// says so again and again, never in the same words, which would be a loop.
type instant struct{ turns int }

func (*instant) Name() string { return "bench/instant" }

func (*instant) Capabilities() model.Capabilities {
	return model.Capabilities{Tools: true, Structured: model.Native}
}

func (m *instant) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	parts, stop := []model.Part{}, model.StopEnd
	switch {
	case len(req.Tools) > 0:
		m.turns++
		call := model.ToolCall{ID: fmt.Sprintf("call%d", m.turns), Name: "act", Arguments: fmt.Appendf(nil, `{"action":"click the first button, %d"}`, m.turns)}
		if m.turns > repeats {
			call.Name, call.Arguments = "close", json.RawMessage(`{"reasoning":"it was clicked","taskComplete":true}`)
		}
		parts, stop = append(parts, model.Part{ToolCall: &call}), model.StopTool
	case strings.Contains(string(req.Schema.JSON), "elementId"):
		found := firstButton.FindStringSubmatch(req.Messages[0].Text())
		if found == nil {
			return nil, errors.New("there is no button on the page")
		}
		parts = append(parts, model.Text(fmt.Sprintf(`{"found":true,"elementId":%q,"description":"a button","method":"click","arguments":[],"twoStep":false,"part":0}`, found[1])))
	default:
		parts = append(parts, model.Text(`{"extraction":"Small shop"}`))
	}
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: parts}, Stop: stop, Model: "bench/instant"}, nil
}

// act is how long an action takes, without the model's time.
func (t *tab) act(ctx context.Context) (float64, error) {
	st, err := stage.New(ctx, t.page, &instant{}, &stage.Options{Probe: t.probe})
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
	return median(times), nil
}

// heading is what is read out of the page.
type heading struct {
	Extraction string `json:"extraction"`
}

// extract is how long it takes to read a text out of the page.
func (t *tab) extract(ctx context.Context) (float64, error) {
	st, err := stage.New(ctx, t.page, &instant{}, &stage.Options{Probe: t.probe})
	if err != nil {
		return 0, err
	}
	var times []float64
	for range repeats {
		began := time.Now()
		got, err := stage.Extract[heading](ctx, st, "the heading", nil)
		if err != nil {
			return 0, err
		}
		if got.Data.Extraction == "" {
			return 0, errors.New("nothing was extracted")
		}
		times = append(times, time.Since(began).Seconds()*1000)
	}
	return median(times), nil
}

// step is how long a turn of an agent takes that acts.
func (t *tab) step(ctx context.Context) (float64, error) {
	var times []float64
	began := time.Now()
	a, err := agent.New(ctx, t.page, &instant{}, &agent.Options{
		Limits: agent.Limits{Steps: repeats + 1}, Probe: t.probe,
		BeforeStep: func(context.Context, int) error { began = time.Now(); return nil },
		AfterStep: func(_ context.Context, _ agent.Step) error {
			times = append(times, time.Since(began).Seconds()*1000)
			return nil
		},
	})
	if err != nil {
		return 0, err
	}
	result, err := a.Run(ctx, "click the first button some times")
	if err != nil {
		return 0, err
	}
	if len(times) < repeats {
		return 0, fmt.Errorf("the agent ended after %d steps: %s", len(times), result.Stop)
	}
	return median(times[:repeats]), nil
}

// load is how many processes wanted a processor, on average of the last minute:
// times are fair only where it was much the same for all.
func load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var load float64
	fmt.Sscanf(string(data), "%f", &load)
	return load
}

// memory is the process's resident size in MB.
func memory() float64 {
	runtime.GC()
	p, _ := proc.Read(os.Getpid()) // 0 where nobody says
	return float64(p.Resident) / (1 << 20)
}
