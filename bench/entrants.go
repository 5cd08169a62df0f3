package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// Bundled are the games that playtest brings along, served until ctx ends or close is called.
func Bundled(ctx context.Context) (entrants []Entrant, closeAll func() error, err error) {
	s := &fault.Switch{}
	server, err := games.Serve(ctx, &games.ServeOptions{Faults: fault.Infos(), Apply: s.Apply})
	if err != nil {
		return nil, nil, err
	}
	for _, g := range games.All() {
		entrants = append(entrants, Entrant{Game: g, Want: record.Pass,
			Address: func(name string, seed int64) (string, func(), error) {
				if name == "" {
					return server.URL(g.Name, int(seed)), func() {}, nil
				}
				return server.FaultURL(g.Name, fault.ID(name, seed), int(seed)), func() {}, nil
			}})
	}
	return entrants, server.Close, nil
}

// Labelled are the games of a label file. Packages are looked for below folder, and served each at its own root.
func Labelled(labels []Label, folder string) ([]Entrant, error) {
	var entrants []Entrant
	for _, l := range labels {
		if l.Repo != "" {
			continue // see FromFolder
		}
		var open func() (target *url.URL, release func(), err error)
		var alive func() error
		if l.Package != "" {
			name := l.Package[:strings.LastIndex(l.Package, "@")]
			root := filepath.Join(folder, filepath.FromSlash(name), filepath.FromSlash(l.Root))
			mount := "/" + strings.TrimPrefix(l.Mount, "/")
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(l.Page))); err != nil {
				return nil, fmt.Errorf("%s: %s of the package %s is not installed below %s", l.Name, l.Page, l.Package, folder)
			}
			open = func() (*url.URL, func(), error) {
				base, release, err := serveOnce(http.StripPrefix(strings.TrimSuffix(mount, "/"), http.FileServer(http.Dir(root))))
				if err != nil {
					return nil, nil, err
				}
				return base.JoinPath(mount, indexed(l.Page)), release, nil
			}
		} else {
			target, err := url.Parse(l.URL)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.Name, err)
			}
			open = func() (*url.URL, func(), error) { return target, func() {}, nil }
			alive = func() error { return dial(target) }
		}
		faults := l.Faults
		if len(l.Controls) == 0 && faults == nil {
			faults = []string{}
		}
		entrants = append(entrants, Entrant{Game: l.Game(), Want: l.Verdict, Checks: l.Checks, Faults: faults, Alive: alive,
			Address: func(name string, seed int64) (string, func(), error) {
				return addressed(open, l.Game(), name, seed)
			}})
	}
	return entrants, nil
}

// FromFolder are those of the labelled games that lie in a folder, each in a folder of
// its name, and the names of those that do not. Round, if not zero, takes only the games
// that were first played in that round.
func FromFolder(labels []Label, folder string, round int) (entrants []Entrant, missing []string) {
	for _, l := range labels {
		if round != 0 && l.Round != round || l.Repo == "" && l.Package == "" {
			continue
		}
		root := filepath.Join(folder, l.Name)
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(l.Page))); err != nil {
			missing = append(missing, l.Name)
			continue
		}
		open := func() (*url.URL, func(), error) {
			base, release, err := serveOnce(http.FileServer(http.Dir(root)))
			if err != nil {
				return nil, nil, err
			}
			return base.JoinPath("/", indexed(l.Page)), release, nil
		}
		faults := l.Faults
		if len(l.Controls) == 0 && faults == nil {
			faults = []string{}
		}
		entrants = append(entrants, Entrant{Game: l.Game(), Want: l.Verdict, Checks: l.Checks, Faults: faults,
			Address: func(name string, seed int64) (string, func(), error) { return addressed(open, l.Game(), name, seed) }})
	}
	return entrants, missing
}

// indexed is the address of a page below its server's root: the file server sends
// index.html to its folder's address, so the game is opened there at once.
func indexed(page string) string {
	if dir, file := path.Split(page); file == "index.html" {
		return dir
	}
	return page
}

// addressed puts a proxy with the fault in front of the game.
func addressed(open func() (*url.URL, func(), error), g games.Game, name string, seed int64) (string, func(), error) {
	target, release, err := open()
	if err != nil || name == "" {
		if err != nil {
			return "", nil, err
		}
		return target.String(), release, nil
	}
	f, ok := fault.Get(name)
	if !ok {
		release()
		return "", nil, fmt.Errorf("no fault is called %q", name)
	}
	base, stop, err := serveOnce(fault.Proxy(target, f, g, seed))
	if err != nil {
		release()
		return "", nil, err
	}
	base.Path, base.RawQuery = target.Path, target.RawQuery
	return base.String(), func() { stop(); release() }, nil
}

// serveOnce serves on a free port of this machine until release is called.
func serveOnce(h http.Handler) (base *url.URL, release func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("serve a game: %w", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}, func() {
		_ = server.Close()
		<-done
	}, nil
}

func dial(target *url.URL) error {
	port := target.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[target.Scheme]
	}
	c, err := net.DialTimeout("tcp", net.JoinHostPort(target.Hostname(), port), 5*time.Second)
	if err != nil {
		return err
	}
	return c.Close()
}
