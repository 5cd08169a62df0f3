package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed doctor.js
var doctorScript string

// doctorTimeout bounds everything the doctor does with a browser.
const doctorTimeout = time.Minute

func newDoctor() *cobra.Command {
	var choice, out, chain string
	var models bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "See what is installed, what is missing and how to get it",
		Long: `Doctor starts the Chromium that a run would use and sees what this machine can
play. It exits with 0 when games can be judged here and with 2 when they cannot.

With --models it makes one tiny call to each model that is set up instead, which
costs a fraction of a cent, and says how long it took, what the model can do and
what it costs.`,
		Example: `  playtest doctor
  playtest doctor --models
  playtest doctor --models --model anthropic/claude-haiku-5-5,openai/gpt-6-luna
  playtest doctor --browser /opt/chromium/chrome`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := settings{browser: choice}
			d := &doctor{w: cmd.OutOrStdout()}
			if models {
				if err := d.models(cmd, chain); err != nil {
					return err
				}
			} else {
				d.machine(out)
				d.chromium(cmd.Context(), s.browserChoice())
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if d.failed {
				return &verdictError{codeUnjudged}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&choice, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	cmd.Flags().BoolVar(&models, "models", false, "try the models that are set up")
	cmd.Flags().StringVar(&chain, "model", "", "the models to try, as `VENDOR/NAME[,...]`; without it one for each key that is set")
	cmd.Flags().StringVar(&out, "out", resultsRoot, "the results `DIR` to look at")
	return cmd
}

// doctor writes one line for each thing it looked at.
type doctor struct {
	w      io.Writer
	failed bool // something is missing without which nothing can be judged
}

func (d *doctor) ok(name, format string, args ...any) {
	fmt.Fprintf(d.w, "ok       %-12s %s\n", name, fmt.Sprintf(format, args...))
}

// lacks is something that runs can do without.
func (d *doctor) lacks(name, hint, format string, args ...any) {
	fmt.Fprintf(d.w, "without  %-12s %s\n", name, fmt.Sprintf(format, args...))
	d.hint(hint)
}

func (d *doctor) fail(name, hint, format string, args ...any) {
	d.failed = true
	fmt.Fprintf(d.w, "missing  %-12s %s\n", name, fmt.Sprintf(format, args...))
	d.hint(hint)
}

func (d *doctor) hint(hint string) {
	if hint != "" {
		fmt.Fprintf(d.w, "%22shint: %s\n", "", hint)
	}
}

func (d *doctor) machine(out string) {
	d.ok("machine", "%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := writableWithin(out); err != nil {
		d.fail("results", "choose a folder of yours with --out DIR", "%s cannot be written to: %v", out, err)
	} else {
		d.ok("results", "%s can be written to", out)
	}
}

// writableWithin sees whether a folder can be written to, or made, without
// leaving anything behind.
func writableWithin(dir string) error {
	_, statErr := os.Stat(dir)
	if statErr == nil {
		probe, err := os.CreateTemp(dir, ".writable-*")
		if err != nil {
			return withoutOp(err)
		}
		probe.Close()
		return os.Remove(probe.Name())
	}
	if !errors.Is(statErr, os.ErrNotExist) {
		return withoutOp(statErr)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return withoutOp(err)
	}
	return os.Remove(dir)
}

// chromium starts the browser and looks at what its pages can do.
func (d *doctor) chromium(ctx context.Context, choice string) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	if !isAddress(choice) {
		exe, err := browser.Find(choice)
		if err != nil {
			d.fail("chromium", "install one with: sudo apt-get install chromium (or name yours with --browser PATH)", "%v", err)
			return
		}
		d.ok("chromium", "%s, %s", exe.Path, exe.Version)
	}
	begin := time.Now()
	b, err := openBrowser(ctx, choice, &browser.LaunchOptions{User: browser.AnyUser})
	if err != nil {
		d.fail("launch", "its own words above say why; packages may be missing, see: sudo apt-get install --reinstall chromium", "Chromium does not start: %v", err)
		return
	}
	defer b.Close()
	d.ok("launch", "%s, ready after %d ms", b.Version(), time.Since(begin).Milliseconds())
	if strings.HasPrefix(b.Sandbox(), "off") {
		d.lacks("sandbox", "run as an ordinary user, or make it work for one: see docs/security.md", "%s, so games run without it", b.Sandbox())
	} else {
		d.ok("sandbox", "%s", b.Sandbox())
	}

	c, err := b.NewContext(ctx, nil)
	if err != nil {
		d.fail("page", "", "a page cannot be opened: %v", err)
		return
	}
	defer c.Close(context.WithoutCancel(ctx))
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		d.fail("page", "", "a page cannot be opened: %v", err)
		return
	}
	d.page(ctx, page)
}

func (d *doctor) page(ctx context.Context, page *browser.Page) {
	var can struct {
		WebGL string `json:"webgl"`
		Ink   int    `json:"ink"`
		Emoji bool   `json:"emoji"`
		CJK   bool   `json:"cjk"`
	}
	if err := page.Evaluate(ctx, doctorScript, &can); err != nil {
		d.fail("page", "", "a page does not answer: %v", err)
		return
	}
	if can.WebGL == "" {
		d.lacks("webgl", "games that need it cannot be judged here", "no WebGL")
	} else {
		d.ok("webgl", "%s", oneLine(can.WebGL))
	}
	switch {
	case can.Ink == 0:
		d.lacks("fonts", "sudo apt-get install fonts-liberation", "no font: games have no letters here")
	case !can.Emoji:
		d.lacks("fonts", "sudo apt-get install fonts-noto-color-emoji", "letters are drawn; there is no font with emoji, which some games use as pictures")
	case !can.CJK:
		d.lacks("fonts", "sudo apt-get install fonts-wqy-microhei", "letters and emoji are drawn; there is no font for Chinese, Japanese and Korean")
	default:
		d.ok("fonts", "letters, emoji and Chinese, Japanese and Korean are drawn")
	}
	begin := time.Now()
	picture, err := page.Screenshot(ctx, nil)
	if err != nil {
		d.fail("screenshot", "", "no picture can be taken: %v", err)
		return
	}
	d.ok("screenshot", "%d KB in %d ms", len(picture)>>10, time.Since(begin).Milliseconds())
}
