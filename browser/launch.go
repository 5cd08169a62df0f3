package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// LaunchOptions tune Launch. The zero value launches a headless Chromium found
// by itself.
type LaunchOptions struct {
	Path   string   // "" or "auto" finds one
	Headed bool     // show a window
	Args   []string // more flags for Chromium
	// User is who Chromium runs as, which only root can choose. "" is ourselves;
	// root has no sandbox then. See [AnyUser].
	User string
	// Proxied: every context brings its Proxy. The browser itself, and contexts
	// without one, reach nothing.
	Proxied bool
	// WebRTC lets the pages of a proxied browser send WebRTC packets, which go
	// past the proxy.
	WebRTC bool
	// StillImages keeps animated images at their first frame. They go by a clock of the
	// browser that no page sees, so that pictures of two pages differ by them.
	StillImages bool
	Log         *slog.Logger  // nowhere if nil
	Timeout     time.Duration // for Chromium to come up, 30 s if zero
}

// flags make pages behave as for a person who sits before a screen, and keep
// Chromium from doing things of its own. Site isolation stays as shipped.
var flags = []string{
	"--remote-debugging-pipe",
	"--enable-unsafe-swiftshader", // WebGL without a GPU, and only WebGL: --use-angle would slow all painting down
	"--mute-audio",
	"--site-per-process",        // as Chromium with a window does; the headless shell does not by itself
	"--disable-checker-imaging", // a picture shows every image that is loaded
	"--force-color-profile=srgb",
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-ipc-flooding-protection", // a game may push many history states
	"--disable-hang-monitor",            // unresponsive pages are ours to find
	"--disable-prompt-on-repost",
	"--no-startup-window",
	"--no-first-run",
	"--no-default-browser-check",
	"--no-service-autorun",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-default-apps",
	"--disable-extensions",
	"--disable-sync",
	"--disable-domain-reliability",
	"--disable-client-side-phishing-detection",
	"--disable-breakpad",
	"--disable-crash-reporter",
	"--disable-search-engine-choice-screen",
	"--metrics-recording-only",
	"--password-store=basic",
	"--use-mock-keychain",
	// A key that scrolls the page would do so for a while after it was released.
	"--disable-smooth-scrolling",
	// The WebUIOmnibox ones are renderers for an address bar that nobody sees: one a context, a second of work each.
	"--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,Translate,BackForwardCache,MediaRouter,DialMediaRouteProvider,OptimizationHints," +
		"AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions," +
		"GlobalMediaControls,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay," +
		// In a process of its own a sandboxed frame may be past its first line when it is announced.
		"IsolateSandboxedIframes," +
		// After an input nothing else would run before the next frame of the screen, for which
		// a page that nobody sees waits in vain.
		"DeferRendererTasksAfterInput," +
		// A process kept ready for the next page of a context: ours have one page, so that it is never used.
		"SpareRendererForSitePerProcess",
}

// smallShm is what Chromium needs of /dev/shm before it is told to do without.
const smallShm = 512 << 20

// Launch starts a Chromium of our own. It ends with Close, and at the latest
// with our process.
func Launch(ctx context.Context, opts *LaunchOptions) (*Browser, error) {
	if opts == nil {
		opts = &LaunchOptions{}
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	path, err := locate(opts.Path, opts.Headed)
	if err != nil {
		return nil, err
	}
	as, err := accountOf(opts.User)
	if err != nil && opts.User != AnyUser {
		return nil, err
	}
	b, err := launchAs(ctx, path, as, opts, log, timeout)
	if err != nil && as != nil && opts.User == AnyUser && ctx.Err() == nil {
		log.Warn("Chromium does not start as another user", "user", as.name, "err", err)
		return launchAs(ctx, path, nil, opts, log, timeout)
	}
	return b, err
}

func launchAs(ctx context.Context, path string, as *account, opts *LaunchOptions, log *slog.Logger, timeout time.Duration) (*Browser, error) {
	args := launchArgs(opts, as, log)
	proc, transport, err := startProcess(path, args, opts.Headed, as)
	if err != nil {
		return nil, fmt.Errorf("launching Chromium: %w", err)
	}
	b := newBrowser(cdp.New(transport, &cdp.Options{Log: log}), proc, log)
	b.sandbox, b.windowless = sandboxOf(as, args), !opts.Headed
	if err := b.start(ctx, timeout); err != nil {
		// A process that is already gone tells more than a broken pipe.
		if cdp.IsGone(err) {
			if exit := proc.exitError(); exit != nil {
				err = exit
			}
		}
		return nil, errors.Join(fmt.Errorf("launching %s: %w", path, err), b.Close())
	}
	log.Debug("launched", "path", path, "version", b.version, "pid", proc.pid(), "profile", proc.profile.dir)
	return b, nil
}

func launchArgs(opts *LaunchOptions, as *account, log *slog.Logger) []string {
	args := append([]string(nil), flags...)
	if !opts.Headed {
		args = append(args, "--headless")
	}
	if opts.StillImages {
		args = append(args, "--blink-settings=imageAnimationPolicy=2")
	}
	if as.root() && !has(opts.Args, "--no-sandbox") {
		warnOfRoot(log)
		args = append(args, "--no-sandbox")
	}
	if opts.Proxied {
		args = append(args, proxiedArgs...)
		if !opts.WebRTC {
			args = append(args, silentRTC...)
		}
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < smallShm {
		args = append(args, "--disable-dev-shm-usage")
	}
	return append(args, opts.Args...)
}

func has(args []string, flag string) bool {
	for _, a := range args {
		if a == flag || strings.HasPrefix(a, flag+"=") {
			return true
		}
	}
	return false
}
