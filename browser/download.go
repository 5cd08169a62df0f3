package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	chromium "github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// DownloadOptions say where files go that pages offer.
type DownloadOptions struct {
	// Dir is the folder, which is made when it is not there. Files get the names
	// that the page suggests, made harmless and unique.
	Dir string
	// MaxBytes is what all downloads of the context may take together, 100 MB if
	// zero. What would take more is cancelled.
	MaxBytes int64
}

// States of a Download.
const (
	Refused     = "refused"
	Downloading = "downloading"
	Downloaded  = "downloaded"
	Cancelled   = "cancelled"
	TooLarge    = "too large"
)

// ErrDownload is a download that did not arrive.
var ErrDownload = errors.New("the download did not arrive")

const defaultDownload = 100 << 20

// transfer is a download under way, guarded by browser.mu.
type transfer struct {
	Download
	guid string
}

// receive has Chromium keep downloads, or refuse them.
func (c *Context) receive(ctx context.Context) error {
	params := chromium.SetDownloadBehaviorParams{
		Behavior: chromium.SetDownloadBehaviorBehaviorDeny, BrowserContextID: protocol.BrowserContextID(c.id), EventsEnabled: ptr(true),
	}
	if o := c.opts.Downloads; o != nil {
		dir, err := filepath.Abs(o.Dir)
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err == nil {
			// Half a file has no place among the others.
			c.folder, err = os.MkdirTemp(dir, ".downloading-")
		}
		if err != nil {
			return fmt.Errorf("folder for downloads: %w", err)
		}
		params.Behavior, params.DownloadPath = chromium.SetDownloadBehaviorBehaviorAllowAndName, c.folder
	}
	if _, err := protocol.Call(ctx, c.browser.root, chromium.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("setting what becomes of downloads: %w", err)
	}
	return nil
}

// tidyDownloads removes what never became a whole file.
func (c *Context) tidyDownloads() {
	if c.folder != "" {
		_ = os.RemoveAll(c.folder) // what is left is of no use to anybody
	}
}

// KeepsDownloads reports whether files that pages offer are kept, and not refused.
func (c *Context) KeepsDownloads() bool { return c.opts.Downloads != nil }

// Downloads are the files that the context's pages offered, in order.
func (c *Context) Downloads() []Download {
	c.browser.mu.Lock()
	defer c.browser.mu.Unlock()
	list := make([]Download, len(c.downloads))
	for i, t := range c.downloads {
		list[i] = t.Download
	}
	return list
}

// WaitForDownload carries out do and waits until the file that it sets off has
// arrived. The context must allow downloads.
func (p *Page) WaitForDownload(ctx context.Context, do func(context.Context) error) (*Download, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	c, b := p.context, p.browser
	if c.opts.Downloads == nil {
		return nil, fmt.Errorf("waiting for a download: %w: ContextOptions.Downloads is not set", ErrDownload)
	}
	b.mu.Lock()
	since := len(c.downloads)
	b.mu.Unlock()
	if err := do(ctx); err != nil {
		return nil, err
	}
	for {
		b.mu.Lock()
		err, changed := b.err, b.changed
		var d Download
		if len(c.downloads) > since {
			d = c.downloads[since].Download
		}
		b.mu.Unlock()
		switch {
		case d.State == Downloaded:
			return &d, nil
		case d.State != "" && d.State != Downloading:
			return &d, fmt.Errorf("downloading %s: %w: it was %s", clip(d.Filename, 200), ErrDownload, d.State)
		case err != nil:
			return nil, fmt.Errorf("waiting for a download: %w", err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a download: %w: %w", ErrDownload, context.Cause(ctx))
		}
	}
}

// download notes that a file was offered.
func (b *Browser) download(ev *chromium.EventDownloadWillBegin) {
	d := Download{Time: time.Now(), URL: clip(ev.URL, maxURL), Filename: clip(ev.SuggestedFilename, maxName), FrameID: string(ev.FrameID)}
	for _, c := range b.contextList() {
		for _, p := range c.Pages() {
			if !p.hasFrame(d.FrameID) {
				continue
			}
			p.log.addDownload(d)
			p.notify()
			d.State = Refused
			if c.opts.Downloads != nil {
				d.State = Downloading
			}
			b.mu.Lock()
			kept := len(c.downloads) < keep
			if kept {
				c.downloads = append(c.downloads, &transfer{Download: d, guid: ev.GUID})
			}
			b.broadcast()
			b.mu.Unlock()
			if !kept {
				b.cancelDownload(ev.GUID) // nobody would notice how large it gets
			}
			return
		}
	}
	b.cancelDownload(ev.GUID) // of nobody's
}

// downloading follows a download, and ends it when it takes too much.
func (b *Browser) downloading(ev *chromium.EventDownloadProgress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.contexts {
		var t *transfer
		sum := int64(0)
		for _, other := range c.downloads {
			if other.guid == ev.GUID {
				t = other
				t.Bytes = int64(ev.ReceivedBytes)
			}
			if other.State == Downloading || other.State == Downloaded {
				sum += other.Bytes
			}
		}
		if t == nil || t.State != Downloading {
			continue
		}
		limit := c.opts.Downloads.MaxBytes
		if limit <= 0 {
			limit = defaultDownload
		}
		rest := max(int64(ev.TotalBytes)-t.Bytes, 0)
		switch {
		case sum+rest > limit:
			t.State = TooLarge
			b.root.Start(chromium.CommandCancelDownload, chromium.CancelDownloadParams{GUID: ev.GUID, BrowserContextID: protocol.BrowserContextID(c.id)})
			_ = os.Remove(filepath.Join(c.folder, ev.GUID)) // where it is whole already
		case ev.State == chromium.DownloadProgressStateCanceled:
			t.State = Cancelled
		case ev.State == chromium.DownloadProgressStateCompleted:
			t.State = Cancelled
			if path, err := place(filepath.Join(c.folder, ev.GUID), filepath.Dir(c.folder), t.Filename); err == nil {
				t.Path, t.State = path, Downloaded
			} else {
				b.log.Warn("a download could not be kept", "err", err)
			}
		}
		b.broadcast()
	}
}

func (b *Browser) cancelDownload(guid string) {
	for _, c := range b.contextList() {
		if c.opts.Downloads != nil {
			b.root.Start(chromium.CommandCancelDownload, chromium.CancelDownloadParams{GUID: guid, BrowserContextID: protocol.BrowserContextID(c.id)})
		}
	}
}

// place moves a file into the folder under a name that no other has.
func place(file, dir, name string) (string, error) {
	name = harmless(name)
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext)
	for n := 1; n < 10_000; n++ {
		path := filepath.Join(dir, name)
		// The name is taken first: a rename would replace what is there.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			return path, errors.Join(f.Close(), os.Rename(file, path))
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		name = fmt.Sprintf("%s (%d)%s", base, n+1, ext)
	}
	return "", errors.New("too many files of that name")
}

// harmless makes a file name of what a page suggests: one part of a path, not
// hidden, of characters that can be seen.
func harmless(name string) string {
	name = filepath.Base(filepath.ToSlash(strings.ReplaceAll(name, `\`, "/")))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`/:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if name == "" {
		name = "download"
	}
	for len(name) > 150 {
		runes := []rune(name)
		name = string(runes[len(runes)/8:]) // the end has the kind of file
	}
	return name
}
