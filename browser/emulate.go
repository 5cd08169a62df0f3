package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	chromium "github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
)

// Geolocation is a place on earth.
type Geolocation struct {
	Latitude, Longitude float64 // degrees
	Accuracy            float64 // metres, 10 if zero
}

// devices are screens that people have, by name in lower case.
var devices = map[string]ContextOptions{
	"iphone 15": {Width: 393, Height: 852, DeviceScale: 3, Touch: true, Mobile: true,
		UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"},
	"iphone se": {Width: 375, Height: 667, DeviceScale: 2, Touch: true, Mobile: true,
		UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"},
	"pixel 8": {Width: 412, Height: 915, DeviceScale: 2.625, Touch: true, Mobile: true,
		UserAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36"},
	"ipad": {Width: 820, Height: 1180, DeviceScale: 2, Touch: true, Mobile: true,
		UserAgent: "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"},
	"laptop":  {Width: 1440, Height: 900, DeviceScale: 2},
	"desktop": {Width: 1920, Height: 1080, DeviceScale: 1},
}

// Device returns the options of a context that looks like a device: "iPhone 15",
// "iPhone SE", "Pixel 8", "iPad", "laptop" or "desktop".
func Device(name string) (*ContextOptions, error) {
	o, ok := devices[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		known := make([]string, 0, len(devices))
		for n := range devices {
			known = append(known, n)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("there is no device %q; there are %s", name, strings.Join(known, ", "))
	}
	return &o, nil
}

func headers(list map[string]string) network.SetExtraHTTPHeadersParams {
	h := make(network.Headers, len(list))
	for name, value := range list {
		h[name] = value
	}
	return network.SetExtraHTTPHeadersParams{Headers: h}
}

// emulation is what a session of a document has to be told about the screen and
// the place.
func (o *ContextOptions) emulation() []command {
	var list []command
	if g := o.Geolocation; g != nil {
		accuracy := g.Accuracy
		if accuracy <= 0 {
			accuracy = 10
		}
		list = append(list, command{emulation.CommandSetGeolocationOverride,
			emulation.SetGeolocationOverrideParams{Latitude: &g.Latitude, Longitude: &g.Longitude, Accuracy: &accuracy}, false})
	}
	if o.ColorScheme != "" {
		list = append(list, command{emulation.CommandSetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: o.ColorScheme}}}, false})
	}
	return list
}

// asked are the permissions a page may ask a person for. Asking gets a quiet no
// unless the context was told to grant them.
var asked = []string{
	"geolocation", "notifications", "camera", "microphone", "midi", "clipboard-read",
	"idle-detection", "window-management", "local-fonts", "storage-access",
}

// permit grants and denies permissions.
func (c *Context) permit(ctx context.Context) error {
	set := func(name string, setting chromium.PermissionSetting) chromium.SetPermissionParams {
		return chromium.SetPermissionParams{
			Permission: &chromium.PermissionDescriptor{Name: name}, Setting: setting, BrowserContextID: protocol.BrowserContextID(c.id),
		}
	}
	granted := slices.Clone(c.opts.Permissions)
	if c.opts.Geolocation != nil {
		granted = append(granted, "geolocation")
	}
	for _, name := range asked {
		if !slices.Contains(granted, name) {
			// Not every Chromium knows every permission; what it does not know it
			// cannot grant.
			c.browser.root.Start(chromium.CommandSetPermission, set(name, chromium.PermissionSettingDenied))
		}
	}
	for _, name := range granted {
		if _, err := protocol.Call(ctx, c.browser.root, chromium.SetPermission, set(name, chromium.PermissionSettingGranted)); err != nil {
			return fmt.Errorf("granting %s: %w", name, err)
		}
	}
	return nil
}

// Viewport is the size of the page's window, in CSS pixels.
func (p *Page) Viewport() (width, height int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size != nil {
		return int(p.size.Width), int(p.size.Height)
	}
	return p.context.opts.Width, p.context.opts.Height
}

// SetViewport changes the size of the page's window, in CSS pixels.
func (p *Page) SetViewport(ctx context.Context, width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("setting viewport: %dx%d is no size", width, height)
	}
	p.mu.Lock()
	p.size = &Rect{Width: float64(width), Height: float64(height)}
	p.mu.Unlock()
	if _, err := protocol.Call(ctx, p.root, emulation.SetDeviceMetricsOverride, p.metrics()); err != nil {
		return fmt.Errorf("setting viewport: %w", err)
	}
	return nil
}
