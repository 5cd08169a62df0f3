package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
)

//go:embed storage.js
var storageScript string

// Cookie is one cookie of a context.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970, -1 for one that ends with the browser
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite,omitempty"` // "Strict", "Lax", "None"
}

// StorageState is what makes a login survive: cookies, and the local storage of
// each site. Its JSON is the one that Playwright writes and reads. It holds
// secrets; SaveTo keeps others from reading it.
type StorageState struct {
	Cookies []Cookie        `json:"cookies"`
	Origins []OriginStorage `json:"origins"`
}

// OriginStorage is the local storage of one site.
type OriginStorage struct {
	Origin       string        `json:"origin"` // such as https://example.com
	LocalStorage []StorageItem `json:"localStorage"`
}

// StorageItem is one value in a local storage.
type StorageItem struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// maxState bounds the file of a storage state.
const maxState = 64 << 20

// LoadStorageState reads a file that SaveTo or Playwright wrote.
func LoadStorageState(path string) (*StorageState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading storage state: %w", err)
	}
	if info.Size() > maxState {
		return nil, fmt.Errorf("reading storage state: %s is larger than %d MB", path, maxState>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading storage state: %w", err)
	}
	var s StorageState
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("reading storage state %s: %w", path, err)
	}
	return &s, nil
}

// SaveTo writes the state to a file that only its owner can read, in one step.
func (s *StorageState) SaveTo(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("saving storage state: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*") // nobody else may read it
	if err != nil {
		return fmt.Errorf("saving storage state: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("saving storage state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// Cookies are the context's cookies, those of one address if it is given.
func (c *Context) Cookies(ctx context.Context, address string) ([]Cookie, error) {
	res, err := protocol.Call(ctx, c.browser.root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: protocol.BrowserContextID(c.id)})
	if err != nil {
		return nil, fmt.Errorf("reading cookies: %w", err)
	}
	var of *url.URL
	if address != "" {
		if of, err = url.Parse(address); err != nil || of.Host == "" {
			return nil, fmt.Errorf("reading cookies: %q is no address", clip(address, 200))
		}
	}
	list := []Cookie{}
	for _, k := range res.Cookies {
		cookie := Cookie{k.Name, k.Value, k.Domain, k.Path, k.Expires, k.HTTPOnly, k.Secure, string(k.SameSite)}
		if of == nil || cookie.goesTo(of) {
			list = append(list, cookie)
		}
	}
	return list, nil
}

// goesTo reports whether a request to the address would carry the cookie.
func (k *Cookie) goesTo(u *url.URL) bool {
	host, domain := u.Hostname(), strings.TrimPrefix(k.Domain, ".")
	if host != domain && (!strings.HasPrefix(k.Domain, ".") || !strings.HasSuffix(host, "."+domain)) {
		return false
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	if k.Path != "/" && path != k.Path && !strings.HasPrefix(path, strings.TrimSuffix(k.Path, "/")+"/") {
		return false
	}
	return !k.Secure || u.Scheme == "https" || host == "localhost" || host == "127.0.0.1"
}

// SetCookies adds cookies to the context.
func (c *Context) SetCookies(ctx context.Context, cookies []Cookie) error {
	list := make([]*network.CookieParam, len(cookies))
	for i, k := range cookies {
		if k.Name == "" || k.Domain == "" {
			return fmt.Errorf("setting cookies: cookie %d has no name or no domain", i+1)
		}
		p := &network.CookieParam{
			Name: k.Name, Value: k.Value, Domain: k.Domain, Path: k.Path, Secure: k.Secure, HTTPOnly: k.HTTPOnly, SameSite: network.CookieSameSite(k.SameSite),
		}
		if k.Expires > 0 {
			p.Expires = protocol.TimeSinceEpoch(k.Expires)
		}
		list[i] = p
	}
	if len(list) == 0 {
		return nil
	}
	_, err := protocol.Call(ctx, c.browser.root, storage.SetCookies, storage.SetCookiesParams{Cookies: list, BrowserContextID: protocol.BrowserContextID(c.id)})
	if err != nil {
		return fmt.Errorf("setting cookies: %w", err)
	}
	return nil
}

// ClearCookies removes all cookies of the context.
func (c *Context) ClearCookies(ctx context.Context) error {
	_, err := protocol.Call(ctx, c.browser.root, storage.ClearCookies, storage.ClearCookiesParams{BrowserContextID: protocol.BrowserContextID(c.id)})
	if err != nil {
		return fmt.Errorf("clearing cookies: %w", err)
	}
	return nil
}

// StorageState is the cookies of the context, and the local storage of the sites
// that its pages and their frames show now.
func (c *Context) StorageState(ctx context.Context) (*StorageState, error) {
	cookies, err := c.Cookies(ctx, "")
	if err != nil {
		return nil, err
	}
	s := &StorageState{Cookies: cookies, Origins: []OriginStorage{}}
	if c.opts.Storage != nil {
		// Sites of before that nobody has visited since keep what they had.
		s.Origins = append(s.Origins, c.opts.Storage.Origins...)
	}
	seen := make(map[string]bool)
	for _, p := range c.Pages() {
		for _, f := range p.Frames() {
			origin := originOf(f.URL())
			if origin == "" || seen[origin] {
				continue
			}
			var list []StorageItem
			if err := f.EvaluateIsolated(ctx, "("+storageScript+")()", &list); err != nil {
				continue // a frame that is on its way out
			}
			seen[origin] = true
			s.Origins = slices.DeleteFunc(s.Origins, func(o OriginStorage) bool { return o.Origin == origin })
			if len(list) > 0 {
				s.Origins = append(s.Origins, OriginStorage{Origin: origin, LocalStorage: list})
			}
		}
	}
	return s, nil
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// restore puts the storage state of the options into the context. Local storage
// can be written only by a document of its site, so an empty one of ours stands in
// for each; nothing is asked of the site itself.
func (c *Context) restore(ctx context.Context) error {
	s := c.opts.Storage
	if s == nil {
		return nil
	}
	if err := c.SetCookies(ctx, s.Cookies); err != nil {
		return err
	}
	if len(s.Origins) == 0 {
		return nil
	}
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		return err
	}
	defer p.Close(context.WithoutCancel(ctx))
	blank := Fulfil(200, map[string]string{"Content-Type": "text/html"}, []byte("<!doctype html>"))
	if err := p.Intercept(ctx, nil, func(*Request) Answer { return blank }); err != nil {
		return err
	}
	for _, o := range s.Origins {
		if originOf(o.Origin) != o.Origin {
			return fmt.Errorf("restoring storage: %q is no origin", clip(o.Origin, 200))
		}
		items, err := json.Marshal(o.LocalStorage)
		if err == nil {
			_, err = p.Navigate(ctx, o.Origin+"/", nil)
		}
		if err == nil {
			err = p.MainFrame().EvaluateIsolated(ctx, "("+storageScript+")("+string(items)+")", nil)
		}
		if err != nil {
			return fmt.Errorf("restoring storage of %s: %w", clip(o.Origin, 200), err)
		}
	}
	return nil
}
