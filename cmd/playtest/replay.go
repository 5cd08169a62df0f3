package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

// rerun is the flags of the commands that make happen again what a run observed.
type rerun struct {
	builds  local
	reach   reach
	browser string
	limit   time.Duration
	quiet   bool
}

func (r *rerun) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	f.DurationVar(&r.limit, "max-duration", 3*time.Minute, "longest time for the whole command")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress on stderr")
	r.reach.register(cmd, allowLocalTyped)
	r.builds.register(cmd)
}

// with finds the claim of a run and opens a browser for it.
func (r *rerun) with(cmd *cobra.Command, args []string, do func(ctx context.Context, c *repro.Claim, p *repro.Player) error) error {
	if err := r.builds.check(cmd); err != nil {
		return err
	}
	if r.limit < time.Second {
		return usage(cmd, "--max-duration %s is shorter than a second", r.limit)
	}
	rec, _, err := openRecord(cmd, args[0])
	if err != nil {
		return err
	}
	claim, err := repro.Of(rec)
	if err != nil {
		var nothing *repro.NothingError
		if errors.As(err, &nothing) && rec.Twins == nil {
			return hint(usage(cmd, "%v", err), "play it again with: playtest run %s", rec.Target.URL)
		}
		return usage(cmd, "%v", err)
	}
	game := rec.Target.URL
	if len(args) > 1 {
		game = args[1]
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), r.limit)
	defer cancel()
	address, credentials, done, err := r.builds.address(ctx, cmd, game)
	if err != nil {
		return err
	}
	defer done()
	if err := record.ValidateURL(address); err != nil {
		return usage(cmd, "%v", err)
	}
	p, proxied, closed, err := r.player(ctx, cmd.ErrOrStderr(), rec, claim, address)
	if err != nil {
		return err
	}
	defer closed()
	return do(browser.WithCredentials(proxied, credentials), claim, p)
}

// player opens a browser in which the claim of a run can be tried at an address, with the
// context for what it does.
func (r *rerun) player(ctx context.Context, stderr io.Writer, rec *record.Record, claim *repro.Claim, address string) (*repro.Player, context.Context, func(), error) {
	choice := (&settings{browser: r.browser}).browserChoice()
	proxied, _, unproxy, err := r.reach.through(ctx, choice, address, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	b, err := openBrowser(ctx, choice, r.reach.launch(&browser.LaunchOptions{StillImages: true}))
	if err != nil {
		unproxy()
		return nil, nil, nil, err
	}
	warnUnsandboxed(stderr, b)
	window := &browser.ContextOptions{Width: int(claim.Window.Width), Height: int(claim.Window.Height), UserAgent: rec.Environment.UserAgent}
	p := &repro.Player{URL: address, Open: func(ctx context.Context) (*browser.Context, error) { return b.NewContext(ctx, window) }}
	return p, proxied, func() { b.Close(); unproxy() }, nil
}

func (r *rerun) tell(cmd *cobra.Command, format string, args ...any) {
	if !r.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), oneLine(fmt.Sprintf(format, args...)))
	}
}

func newReplay() *cobra.Command {
	var r rerun
	var times int
	cmd := &cobra.Command{
		Use:   "replay RUN [GAME]",
		Short: "Make what a run observed happen again",
		Long: `Replay does again what a run observed: the same inputs at the same
frames of game time, in a fresh page beside one that is left alone, and says whether
the same thing happened. It takes what weighs most: an input that hangs the page, one
that throws, one that does nothing, or else a control that works.

GAME is where the game is now, an address, a folder or a zip file, when it is not
where it was.

Exit codes: 0 the same happened each time, 1 it did not, 2 the game could not be
played.`,
		Example: `  playtest replay playtest-results/20261115-041821-a376b5a1
  playtest replay results ./dist --times 10`,
		Args: arguments(1, 2, "the results folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if times < 1 || times > 1000 {
				return usage(cmd, "--times %d is not between 1 and 1000", times)
			}
			return r.with(cmd, args, func(ctx context.Context, c *repro.Claim, p *repro.Player) error {
				fmt.Fprintln(cmd.OutOrStdout(), oneLine(c.String()))
				same := 0
				for i := range times {
					o, err := p.Replay(ctx, c)
					if err != nil {
						return err
					}
					word := "not the same"
					if o.Same(c) {
						same++
						word = "the same"
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%d of %d: %s: %s\n", i+1, times, word, oneLine(o.String()))
				}
				if same < times {
					return &verdictError{codeFail}
				}
				return nil
			})
		},
	}
	r.register(cmd)
	cmd.Flags().IntVar(&times, "times", 1, "how often")
	return cmd
}

func newShrink() *cobra.Command {
	var r rerun
	var out string
	cmd := &cobra.Command{
		Use:   "shrink RUN [GAME]",
		Short: "Find the shortest list of inputs that still shows what a run observed",
		Long: `Shrink leaves inputs out for as long as the same thing happens, and writes down
what is left: repro.json, repro.spec.ts, a test for Playwright that needs nothing of
playtest, and repro_test.go, a Go test. Both pass when the game does what it should.

What is shrunk, and where the game may be, is explained by playtest replay --help.`,
		Example: `  playtest shrink playtest-results/20261115-041821-a376b5a1
  playtest shrink results ./dist --out repro`,
		Args: arguments(1, 2, "the results folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := out
			if dir == "" {
				dir = args[0]
			}
			return r.with(cmd, args, func(ctx context.Context, c *repro.Claim, p *repro.Player) error {
				r.tell(cmd, "%s", c)
				tries := 0
				try := func(ctx context.Context, c *repro.Claim) (bool, error) {
					tries++
					o, err := p.Replay(ctx, c)
					if err != nil && ctx.Err() == nil {
						r.tell(cmd, "%d inputs: %v", c.Inputs(), err)
						return false, nil // without those inputs the game does not get there
					}
					if err != nil {
						return false, err
					}
					r.tell(cmd, "%d inputs: %s", c.Inputs(), o)
					return o.Same(c), nil
				}
				holds, err := try(ctx, c)
				if err != nil {
					return err
				}
				if !holds {
					return hint(errors.New("it did not happen again, so that nothing can be left out"), "playtest replay %s --times 10 says how often it does", args[0])
				}
				best, err := repro.Shrink(ctx, c, try)
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					return err
				}
				if err != nil {
					r.tell(cmd, "time is up: what is left may not be the shortest")
				}
				if err := saveRepro(dir, best, p.URL); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n%d of %d inputs are left after %d tries: %s\n", oneLine(best.String()), best.Inputs(), c.Inputs(), tries, filepath.Join(dir, repro.PlaywrightName))
				return nil
			})
		},
	}
	r.register(cmd)
	cmd.Flags().StringVar(&out, "out", "", "where the files go, a `DIR` (default the run's folder)")
	cmd.MarkFlagDirname("out")
	return cmd
}

func saveRepro(dir string, c *repro.Claim, url string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", withoutOp(err))
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write repro.json: %w", err)
	}
	var test bytes.Buffer
	if err := repro.Playwright(&test, c, url); err != nil {
		return err
	}
	var goTest bytes.Buffer
	if err := repro.GoTest(&goTest, c, url); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "repro.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, repro.GoTestName), goTest.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, repro.PlaywrightName), test.Bytes(), 0o644))
}
