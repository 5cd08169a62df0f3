// Command dashboard uses the dashboard as a person does, in a real Chromium, and
// takes a picture of every page: light, dark and on a phone.
//
//	dashboard -playtest bin/playtest -out shots            start a server, play, look
//	dashboard -addr http://127.0.0.1:7878 -out shots       look at a running one
//	dashboard ... -axe node_modules/axe-core/axe.min.js    and check accessibility
//
// It measures how much the first page loads and when it can be used. Then it submits
// a bundled game by the form, watches it live, reads the verdict, submits the broken
// one, and compares both. It exits with 1 when the first page is too large, when a page
// logs an error or scrolls sideways, or when axe finds something serious. make dashboard
// runs it.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/playtest-dev/playtest/bench/served"
	"github.com/playtest-dev/playtest/browser"
)

func main() {
	program := flag.String("playtest", "", "the program whose serve is started")
	addr := flag.String("addr", "", "a server that runs already")
	out := flag.String("out", "shots", "where the pictures go")
	axe := flag.String("axe", "", "axe.min.js of the npm package axe-core")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *program, *addr, *out, *axe); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, program, addr, out, axe string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if addr == "" {
		started, done, err := served.Start(ctx, program)
		if err != nil {
			return err
		}
		defer done()
		addr = started
	}
	v := &visitor{base: strings.TrimSuffix(addr, "/"), out: out}
	v.api = served.API(v.base)
	if axe != "" {
		script, err := os.ReadFile(axe)
		if err != nil {
			return err
		}
		v.axe = string(script)
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	v.browser = b
	if err := v.weigh(ctx); err != nil {
		return err
	}
	first, second, err := v.play(ctx)
	if err != nil {
		return err
	}
	return v.look(ctx, first, second)
}

type visitor struct {
	base, out, axe string
	api            served.API
	browser        *browser.Browser
}

// shape is how the dashboard is looked at.
type shape struct {
	name string
	opts browser.ContextOptions
}

var shapes = []shape{
	{"light", browser.ContextOptions{Width: 1280, Height: 860, ColorScheme: "light"}},
	{"dark", browser.ContextOptions{Width: 1280, Height: 860, ColorScheme: "dark"}},
	{"phone", browser.ContextOptions{Width: 390, Height: 844, DeviceScale: 2, Mobile: true, Touch: true, ColorScheme: "light"}},
}

func (v *visitor) page(ctx context.Context, s shape) (*browser.Page, func(), error) {
	c, err := v.browser.NewContext(ctx, &s.opts)
	if err != nil {
		return nil, nil, err
	}
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		return nil, nil, errors.Join(err, c.Close(ctx))
	}
	return p, func() { _ = c.Close(context.WithoutCancel(ctx)) }, nil
}

const (
	// maxFirst is what the first page may load, in bytes; readyIn is when it should be
	// ready to be used. Times depend on the machine, so that is only printed.
	maxFirst = 100_000
	readyIn  = 500 * time.Millisecond
	// visits is how often it is opened, each time as by somebody who was never here.
	visits = 5
)

// weigh measures the first page: what it loads, and when it can be used.
func (v *visitor) weigh(ctx context.Context) error {
	type visit struct{ Bytes, Ready float64 }
	var all []visit
	for range visits {
		p, done, err := v.page(ctx, shapes[0])
		if err != nil {
			return err
		}
		var got visit
		if err = v.open(ctx, p, "/"); err == nil {
			err = p.WaitForSelector(ctx, "html[data-ready]")
		}
		if err == nil {
			err = p.WaitIdle(ctx)
		}
		if err == nil {
			err = p.Evaluate(ctx, `({
				bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.transferSize, 0),
				ready: performance.getEntriesByName("ready")[0].startTime,
			})`, &got)
		}
		done()
		if err != nil {
			return fmt.Errorf("measure the first page: %w", err)
		}
		all = append(all, got)
	}
	slices.SortFunc(all, func(a, b visit) int { return cmp.Compare(a.Ready, b.Ready) })
	median, most := all[len(all)/2], all[len(all)-1]
	fmt.Printf("first page: %.1f KB of at most %d; ready after %.0f ms, at most %.0f ms (%d visits, to be under %d ms)\n",
		median.Bytes/1000, maxFirst/1000, median.Ready, most.Ready, visits, readyIn.Milliseconds())
	if median.Bytes == 0 || median.Bytes > maxFirst {
		return fmt.Errorf("the first page loads %.0f bytes, at most %d are allowed", median.Bytes, maxFirst)
	}
	return nil
}

// play submits the first bundled game by hand, watches it, and the broken one by
// the API. It returns the names of the runs.
func (v *visitor) play(ctx context.Context) (first, second string, err error) {
	p, done, err := v.page(ctx, shapes[0])
	if err != nil {
		return "", "", err
	}
	defer done()
	var bundled struct {
		Games []struct{ Name, URL, Broken string }
	}
	if err := v.api.Get(ctx, "/api/bundled", &bundled); err != nil {
		return "", "", err
	}
	healthy, broken := "", ""
	for _, g := range bundled.Games {
		switch {
		case g.Broken != "":
			broken = g.URL
		case g.Name == "noughts":
			healthy = g.URL
		}
	}
	began := time.Now()
	if err := v.open(ctx, p, "/"); err != nil {
		return "", "", err
	}
	if err := p.WaitForSelector(ctx, ".hero"); err != nil {
		return "", "", err
	}
	if err := v.shoot(ctx, p, "start-new", "light"); err != nil {
		return "", "", err
	}
	if err := p.Locator("#url").Fill(ctx, healthy); err != nil {
		return "", "", err
	}
	if err := p.Locator("button.primary").Click(ctx, nil); err != nil {
		return "", "", err
	}
	if err := p.WaitForURL(ctx, "**/runs/*"); err != nil {
		return "", "", err
	}
	first = p.URL()[strings.LastIndex(p.URL(), "/")+1:]
	// The live picture, with a place that was pressed or a key.
	for _, selector := range []string{".stage .marks", ".stage .marks .pointer, .stage .marks kbd", ".feed .control"} {
		if err := p.WaitForSelector(ctx, selector); err != nil {
			return "", "", fmt.Errorf("watch the run: %w", err)
		}
	}
	if err := v.shoot(ctx, p, "live", "light"); err != nil {
		return "", "", err
	}
	for _, s := range shapes[1:] {
		if err := v.once(ctx, s, "live", "/runs/"+first, ".stage img"); err != nil {
			return "", "", err
		}
	}
	if err := v.patient(ctx, p, ".ring"); err != nil {
		return "", "", fmt.Errorf("read the verdict without loading the page again: %w", errors.Join(err, problems(p)))
	}
	text, err := p.Locator("h1").Text(ctx)
	if err != nil || !strings.Contains(text, "can be played") {
		return "", "", fmt.Errorf("the verdict is %q, %w", text, err)
	}
	fmt.Printf("verdict %.0f s after the first page was opened: %s\n", time.Since(began).Seconds(), text)
	var submitted struct{ ID string }
	if err := v.api.Post(ctx, "/api/runs", map[string]any{"runs": []any{map[string]any{"url": broken, "play": "3s"}, map[string]any{"url": healthy, "play": "3s"}}, "batch": "two"}, &submitted); err != nil {
		return "", "", err
	}
	var list struct {
		Runs []struct{ ID, URL, Status string }
	}
	for {
		if err := v.api.Get(ctx, "/api/runs?batch=two", &list); err != nil {
			return "", "", err
		}
		ended := 0
		for _, r := range list.Runs {
			if r.Status != "queued" && r.Status != "running" {
				ended++
			}
			if r.URL == broken {
				second = r.ID
			}
		}
		if ended == len(list.Runs) {
			return first, second, problems(p)
		}
		select {
		case <-ctx.Done():
			return "", "", ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// patient waits as long as a run may take.
func (v *visitor) patient(ctx context.Context, p *browser.Page, selector string) error {
	for end := time.Now().Add(2 * time.Minute); ; {
		err := p.WaitForSelector(ctx, selector)
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
}

// look takes the pictures.
func (v *visitor) look(ctx context.Context, first, second string) error {
	var detail struct{ URL string }
	if err := v.api.Get(ctx, "/api/runs/"+first, &detail); err != nil {
		return err
	}
	pages := []struct{ name, path, ready string }{
		{"start", "/", ".hero"}, {"runs", "/runs", ".run"}, {"done", "/runs/" + first, ".ring"}, {"broken", "/runs/" + second, ".ring"}, {"games", "/games", ".tile"},
		{"game", "/game?url=" + url.QueryEscape(detail.URL), ".chart"}, {"batch", "/batch/two", ".tile"}, {"compare", "/compare?a=" + first + "&b=" + second, ".bars"},
		{"settings", "/settings", ".facts"}, {"login", "/login", "form"}, {"nothing", "/runs?search=nothing-like-this", ".empty"}, {"missing", "/nowhere", ".empty"},
	}
	var errs []error
	for _, s := range shapes {
		for _, pg := range pages {
			errs = append(errs, v.once(ctx, s, pg.name, pg.path, pg.ready))
		}
	}
	return errors.Join(errs...)
}

// once opens a page, waits for it, takes its picture and looks for mistakes.
func (v *visitor) once(ctx context.Context, s shape, name, path, ready string) error {
	p, done, err := v.page(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := v.open(ctx, p, path); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := p.WaitForSelector(ctx, ready); err != nil {
		return fmt.Errorf("%s (%s): %w", name, s.name, err)
	}
	if err := p.WaitIdle(ctx); err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := v.shoot(ctx, p, name, s.name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return errors.Join(v.check(ctx, p, name+" ("+s.name+")"), problems(p))
}

func (v *visitor) open(ctx context.Context, p *browser.Page, path string) error {
	_, err := p.Navigate(ctx, v.base+path, nil)
	return err
}

func (v *visitor) shoot(ctx context.Context, p *browser.Page, name, shape string) error {
	png, err := p.Screenshot(ctx, &browser.ScreenshotOptions{FullPage: name != "live" && shape != "phone", Timeout: 15 * time.Second})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(v.out, name+"-"+shape+".png"), png, 0o644)
}

// check looks for what no page may have: a second scroll bar, and what axe calls
// serious.
func (v *visitor) check(ctx context.Context, p *browser.Page, name string) error {
	var over int
	if err := p.Evaluate(ctx, "document.documentElement.scrollWidth - document.documentElement.clientWidth", &over); err != nil {
		return err
	}
	var errs []error
	if over > 0 {
		errs = append(errs, fmt.Errorf("%s is %d pixels too wide", name, over))
	}
	if v.axe == "" {
		return errors.Join(errs...)
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML string }
	}
	expr := v.axe + "\n;axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(x => ({ id: x.id, impact: x.impact, help: x.help, nodes: x.nodes.slice(0, 3).map(n => ({ html: n.html })) })))"
	if err := p.MainFrame().Evaluate(ctx, expr, &found); err != nil {
		return errors.Join(append(errs, fmt.Errorf("%s: axe: %w", name, err))...)
	}
	for _, f := range found {
		at := ""
		if len(f.Nodes) > 0 {
			at = f.Nodes[0].HTML
		}
		fmt.Printf("%s: axe %s (%s): %s: %.160s\n", name, f.ID, f.Impact, f.Help, at)
		if f.Impact == "serious" || f.Impact == "critical" {
			errs = append(errs, fmt.Errorf("%s: axe: %s", name, f.Help))
		}
	}
	return errors.Join(errs...)
}

// problems are errors that a page logged.
func problems(p *browser.Page) error {
	var errs []error
	for _, e := range p.Log().Exceptions() {
		errs = append(errs, fmt.Errorf("%s: %s", p.URL(), e.Text))
	}
	for _, c := range p.Log().Console() {
		if c.Level == "error" {
			errs = append(errs, fmt.Errorf("%s logged: %s", p.URL(), c.Text))
		}
	}
	return errors.Join(errs...)
}
