package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNotFound says that there is no Chromium where one was looked for.
var ErrNotFound = errors.New("no Chromium found")

// Executable is a Chromium on this machine.
type Executable struct {
	Path    string
	Version string // what it says of itself, such as "Chromium 156.0.8078.79"
}

// shells are Chromiums without a window, and names those that can show one. Where no
// window is wanted a shell comes first: the same engine opens a page with two thirds of
// the work.
var (
	shells = []string{"chromium-headless-shell", "chrome-headless-shell"}
	names  = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
)

// wrapped are programs that Debian starts by a script which waits for them: a signal to
// what was started would end the script and leave the browser.
var wrapped = map[string]string{"/usr/bin/chromium-headless-shell": "/usr/lib/chromium/chromium-headless-shell"}

var places = []string{
	"/usr/bin/chromium",
	"/usr/lib/chromium/chromium",
	"/usr/bin/google-chrome",
	"/opt/google/chrome/chrome",
	"/snap/bin/chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// Find returns the Chromium at path, or for "" and "auto" the first one in PATH
// or in the usual places that runs without a window. The error is ErrNotFound when
// there is none.
func Find(path string) (Executable, error) {
	found, err := locate(path, false)
	if err != nil {
		return Executable{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, found, "--version")
	cmd.Env = scrubbed(os.Environ(), os.TempDir(), os.TempDir(), false)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return Executable{}, fmt.Errorf("asking %s for its version: %w", found, err)
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	return Executable{Path: found, Version: string(line)}, nil
}

// locate finds the Chromium at path, or one that can show a window if it is headed.
func locate(path string, headed bool) (string, error) {
	if path != "" && path != "auto" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("%w at %s: %w", ErrNotFound, path, err)
		}
		return filepath.Abs(found)
	}
	wanted := names
	if !headed {
		wanted = slices.Concat(shells, names)
	}
	for _, name := range wanted {
		if found, err := exec.LookPath(name); err == nil {
			if real, err := exec.LookPath(wrapped[found]); err == nil {
				return real, nil
			}
			return filepath.Abs(found)
		}
	}
	for _, place := range places {
		if found, err := exec.LookPath(place); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%w in PATH (%s) or the usual places", ErrNotFound, strings.Join(wanted, ", "))
}
