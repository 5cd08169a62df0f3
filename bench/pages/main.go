// Command pages renders the reports of saved runs and takes pictures of them as
// people see them: light, dark, on a phone and printed.
//
//	go run ./bench/pages -out pictures RESULTS...
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/internal/site"
	"github.com/playtest-dev/playtest/record"
)

func main() {
	out := flag.String("out", "playtest-results/pages", "where the pictures go")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

// look is one way to look at a page.
type look struct {
	name    string
	options browser.ContextOptions
	media   string
}

var looks = []look{
	{"light", browser.ContextOptions{Width: 1280, Height: 900, ColorScheme: "light"}, ""},
	{"dark", browser.ContextOptions{Width: 1280, Height: 900, ColorScheme: "dark"}, ""},
	{"phone", browser.ContextOptions{Width: 390, Height: 844, ColorScheme: "light", Touch: true, Mobile: true}, ""},
	{"print", browser.ContextOptions{Width: 794, Height: 1123, ColorScheme: "dark"}, "print"},
}

func run(ctx context.Context, out string, dirs []string) (err error) {
	if len(dirs) == 0 {
		return errors.New("the results folders are missing")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("make the folder for the pictures: %w", err)
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, dir := range dirs {
		name := filepath.Base(dir)
		file, err := render(dir, filepath.Join(out, name+".html"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, l := range looks {
			if err := shoot(ctx, b, file, l, filepath.Join(out, name+"-"+l.name+".png")); err != nil {
				return fmt.Errorf("%s, %s: %w", name, l.name, err)
			}
		}
	}
	return nil
}

// render writes the page of a saved run as one file.
func render(dir, file string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return "", err
	}
	var rep record.Report
	if err := rep.UnmarshalJSON(data); err != nil {
		return "", fmt.Errorf("read report.json: %w", err)
	}
	var rec *record.Record
	switch data, err = os.ReadFile(filepath.Join(dir, "record.json")); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	default:
		if rec, err = record.ParseRecord(data); err != nil {
			return "", err
		}
	}
	var page, bare bytes.Buffer
	if err := report.Page(&page, &rep, rec, &report.PageOptions{Files: os.DirFS(dir), Single: true}); err != nil {
		return "", err
	}
	if err := report.Page(&bare, &rep, rec, &report.PageOptions{Files: os.DirFS(dir)}); err != nil {
		return "", err
	}
	fmt.Printf("%s: %d kB, %d kB without pictures\n", filepath.Base(dir), page.Len()/1000, bare.Len()/1000)
	return file, os.WriteFile(file, page.Bytes(), 0o644)
}

// shoot takes a picture of a whole page.
func shoot(ctx context.Context, b *browser.Browser, file string, l look, to string) (err error) {
	server, err := site.Serve(ctx, file, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	c, err := b.NewContext(ctx, &l.options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		return err
	}
	// A picture of a window without the bar at its side is as wide as the page.
	if err := p.Session().Call(ctx, "Emulation.setScrollbarsHidden", map[string]any{"hidden": true}, nil); err != nil {
		return err
	}
	if _, err := p.Navigate(ctx, server.URL(), nil); err != nil {
		return err
	}
	// The page grows when its pictures and its video are there.
	if err := p.Evaluate(ctx, settled, nil); err != nil {
		return fmt.Errorf("wait for the pictures: %w", err)
	}
	if l.media != "" {
		params := map[string]any{"media": l.media, "features": []map[string]string{{"name": "prefers-color-scheme", "value": l.options.ColorScheme}}}
		if err := p.Session().Call(ctx, "Emulation.setEmulatedMedia", params, nil); err != nil {
			return err
		}
	}
	var wide bool
	if err := p.Evaluate(ctx, `document.documentElement.scrollWidth > innerWidth + 1`, &wide); err != nil {
		return err
	}
	if l.media != "" {
		if err := printed(ctx, p, strings.TrimSuffix(to, ".png")+".pdf"); err != nil {
			return err
		}
	}
	shot, err := p.Screenshot(ctx, &browser.ScreenshotOptions{FullPage: true, Timeout: 30 * time.Second})
	if err != nil {
		return err
	}
	if _, err := png.DecodeConfig(bytes.NewReader(shot)); err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	if err := os.WriteFile(to, shot, 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	if wide {
		return errors.New("the page is wider than its window")
	}
	return nil
}

// settled waits for what is drawn late.
const settled = `Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode().catch(() => {}) })
	.concat([...document.querySelectorAll('video')].map((v) => v.readyState > 0 || new Promise((r) => { v.onloadedmetadata = v.onerror = r }))))
	.then(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true)))))`

// printed writes the page as a printer gets it.
func printed(ctx context.Context, p *browser.Page, to string) error {
	var res struct {
		Data []byte `json:"data"`
	}
	params := map[string]any{"printBackground": true, "preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69}
	if err := p.Session().Call(ctx, "Page.printToPDF", params, &res); err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	if len(res.Data) == 0 {
		return errors.New("the printed page is empty")
	}
	if err := os.WriteFile(to, res.Data, 0o644); err != nil {
		return fmt.Errorf("write the printed page: %w", err)
	}
	return nil
}
