package snapshot

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

func intersect(a, b browser.Rect) browser.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	right, bottom := min(a.X+a.Width, b.X+b.Width), min(a.Y+a.Height, b.Y+b.Height)
	return browser.Rect{X: x, Y: y, Width: max(0, right-x), Height: max(0, bottom-y)}
}

func union(a, b browser.Rect) browser.Rect {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	right, bottom := max(a.X+a.Width, b.X+b.Width), max(a.Y+a.Height, b.Y+b.Height)
	return browser.Rect{X: x, Y: y, Width: right - x, Height: bottom - y}
}

func contains(r browser.Rect, x, y float64) bool {
	return x >= r.X && x <= r.X+r.Width && y >= r.Y && y <= r.Y+r.Height
}

func headingLevel(tag, aria string) int {
	if l := atoi(aria, 0); l > 0 {
		return l
	}
	return atoi(strings.TrimPrefix(tag, "h"), 2)
}

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return otherwise
	}
	return n
}

func resolveURL(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ref
	}
	return u.String()
}

// pathOf is an address without its scheme and host.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return address
	}
	return u.Path
}
