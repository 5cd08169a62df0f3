package fault

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/games"
)

// need is a property of a game that a fault works on.
type need struct {
	has   func(games.Game) bool
	lacks string // what to say when the game does not have it
}

// needs are the words that a fault's Needs may use. A game that tells nothing of itself is given the benefit of the
// doubt wherever its files or controls would have to be known.
var needs = map[string]need{
	"canvas":  {func(g games.Game) bool { return g.Kind != "dom" }, "it has no canvas"},
	"loop":    {hasLoop, "it runs nothing by itself"},
	"webgl":   {func(g games.Game) bool { return g.Kind == "webgl" || g.Kind == "" }, "it does not use WebGL"},
	"script":  {hasScript, "it has no script file of its own"},
	"asset":   {hasAsset, "it loads no data file"},
	"lock":    {speaksOf("requestPointerLock"), "it does not lock the pointer"},
	"sound":   {speaksOf("Audio", "<audio"), "it has no sound"},
	"keys":    {func(g games.Game) bool { return unknown(g) || all(g, byKey) }, "it can be played without keys"},
	"pointer": {func(g games.Game) bool { return unknown(g) || all(g, byPointer) }, "it can be played without the pointer"},
	"onekey":  {func(g games.Game) bool { return len(spareKeys(g)) > 1 }, "it has no key to spare"},
	"start": {func(g games.Game) bool {
		return g.Start.Type != "" && g.Start.Type != "auto" && g.Start.Type != "any-key"
	}, "it has no start of its own to break"},
	"waits": {func(g games.Game) bool { return g.Start.Type != "" && g.Start.Type != "auto" }, "it starts by itself"},
	"ends":  {endsSoon, "it does not end by itself within twenty seconds"},
	"latin": {func(g games.Game) bool { return !slices.ContainsFunc(g.Controls, typed) }, "what it shows is what has to be typed"},
}

func unknown(g games.Game) bool { return len(g.Controls) == 0 }

// all looks at the controls that the game is played with: leaving and pausing are not playing.
func all(g games.Game, is func(games.Control) bool) bool {
	return !slices.ContainsFunc(g.Controls, func(c games.Control) bool {
		aside := len(c.Keys) == 1 && slices.Contains([]string{"Escape", "KeyP", "KeyM"}, c.Keys[0])
		return !aside && !is(c)
	})
}

func byKey(c games.Control) bool     { return len(c.Keys) > 0 || c.Type == "type" }
func byPointer(c games.Control) bool { return !byKey(c) }
func typed(c games.Control) bool     { return c.Type == "type" }

// spareKeys are keys of which one can fail and the game still be played.
func spareKeys(g games.Game) []string {
	var keys []string
	for _, k := range g.Keys() {
		starts := k == g.Start.Target || slices.Contains(g.Start.Steps, k)
		if !starts {
			keys = append(keys, k)
		}
	}
	return keys
}

func endsSoon(g games.Game) bool {
	seconds, err := strconv.ParseFloat(g.Ends, 64)
	return err == nil && seconds > 0 && seconds <= 20
}

func hasScript(g games.Game) bool {
	return g.Files == nil || len(scriptFiles(g)) > 0
}

// scriptFiles are the last script of each page of the game, which is the one that starts it.
func scriptFiles(g games.Game) []string {
	pages, err := fs.Glob(g.Files, "*.html")
	if err != nil {
		return nil
	}
	var files []string
	for _, page := range pages {
		data, err := fs.ReadFile(g.Files, page)
		if err != nil {
			continue
		}
		if src := last(scriptSources(data)); src != "" {
			files = append(files, path.Clean(src))
		}
	}
	return files
}

// hasLoop reports whether the game asks for frames or timers.
var hasLoop = speaksOf("requestAnimationFrame", "setInterval", "setTimeout")

// speaksOf reports whether one of the words is in the game's pages or scripts.
func speaksOf(words ...string) func(games.Game) bool {
	return func(g games.Game) bool {
		if g.Files == nil {
			return true
		}
		found := false
		err := fs.WalkDir(g.Files, ".", func(name string, _ fs.DirEntry, err error) error {
			if ext := path.Ext(name); err != nil || ext != ".html" && ext != ".js" {
				return err
			}
			data, err := fs.ReadFile(g.Files, name)
			if err != nil {
				return err
			}
			for _, word := range words {
				if bytes.Contains(data, []byte(word)) {
					found = true
					return fs.SkipAll
				}
			}
			return nil
		})
		return found || err != nil
	}
}

func hasAsset(g games.Game) bool {
	if g.Files == nil {
		return true
	}
	entries, err := fs.ReadDir(g.Files, ".")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		switch {
		case e.IsDir(), name == "game.json", strings.HasPrefix(name, "thumb."):
			return false
		}
		ext := path.Ext(name)
		return ext != ".html" && ext != ".js"
	})
}
