// Package games holds the small games that playtest brings along, so that it can be tried, tested and measured offline.
//
// Every folder beside this file that has a game.json is one game. All the games are embedded; Serve puts them on
// loopback together with an index page.
package games

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sync"
)

// The extensions are listed one by one so that the Go sources of packages beside the games stay out of the binary.
//
//go:embed */game.json */*.html */*.js */*.json */*.svg */*.webp
var files embed.FS

// Split says whether playtest may be tuned on a game.
type Split string

const (
	// Development games may be looked at while the verdict is being improved.
	Development Split = "development"
	// Examination games are only measured on, so that the benchmark stays honest.
	Examination Split = "examination"
)

// Game is one bundled game as its game.json describes it.
type Game struct {
	Name        string // the folder, and the path it is served under
	Title       string
	Kind        string // dom, canvas2d, webgl or iframe
	Engine      string // vanilla unless the game says otherwise
	Genre       string
	Split       Split
	Description string
	Start       Start
	Controls    []Control
	Awkward     []string // what makes the game hard to judge, on purpose
	Ends        string   // seconds until it is over when left alone after the start; empty when it waits for ever
	Seeded      bool     // ?seed=N decides every random choice

	// Files is the game's folder: index.html, scripts, assets.
	Files fs.FS
}

// Start is how a person gets the game going.
type Start struct {
	// Type is one of auto, dom-button, painted-button, any-key, key, double-click, menus, link, click.
	Type string `json:"type"`
	// Target is the text on the thing to click, or the KeyboardEvent.code of the key to press.
	Target string `json:"target"`
	// Steps are the targets one after the other where a single one does not start the game.
	Steps []string `json:"steps,omitempty"`
}

// Control is one way to act on the running game.
type Control struct {
	// Type is one of key, click, drag, type, hold, hover, touch.
	Type string `json:"type"`
	// Keys are the KeyboardEvent.code values that do the same thing; empty for the pointer.
	Keys []string `json:"keys,omitempty"`
	// Target says in words where the pointer has to be.
	Target string `json:"target,omitempty"`
	// Changes says in words what a person sees happen.
	Changes string `json:"changes"`
}

// Keys lists every key code that the running game recognises, each once, in the order of the controls.
func (g Game) Keys() []string {
	var keys []string
	seen := map[string]bool{}
	for _, c := range g.Controls {
		for _, k := range c.Keys {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	return keys
}

var load = sync.OnceValue(func() []Game {
	all, err := read(files)
	if err != nil {
		// The embedded files do not change after the build, and a test reads them all.
		panic("games: " + err.Error())
	}
	return all
})

// All returns the bundled games ordered by name.
func All() []Game {
	return append([]Game(nil), load()...)
}

// Get returns the game of that name.
func Get(name string) (Game, bool) {
	for _, g := range load() {
		if g.Name == name {
			return g, true
		}
	}
	return Game{}, false
}

func read(fsys fs.FS) ([]Game, error) {
	found, err := fs.Glob(fsys, "*/game.json")
	if err != nil {
		return nil, fmt.Errorf("look for games: %w", err)
	}
	all := make([]Game, 0, len(found))
	for _, file := range found {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		g, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		g.Name = path.Dir(file)
		if g.Files, err = fs.Sub(fsys, g.Name); err != nil {
			return nil, fmt.Errorf("open %s: %w", g.Name, err)
		}
		all = append(all, g)
	}
	return all, nil
}
