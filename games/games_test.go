package games_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/games"
)

const (
	maxGame  = 60_000 // bytes of a folder
	maxThumb = 12_000
)

// An address of somebody else's machine; the SVG namespace is a name, not an address.
var external = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+(\.[a-z0-9-]+)+`)

func TestEveryGameIsCompleteAndSelfContained(t *testing.T) {
	for _, g := range games.All() {
		t.Run(g.Name, func(t *testing.T) {
			total, seeded := 0, false
			err := fs.WalkDir(g.Files, ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := fs.ReadFile(g.Files, name)
				if err != nil {
					return err
				}
				total += len(data)
				if path.Ext(name) == ".webp" {
					return nil
				}
				text := strings.ReplaceAll(string(data), `xmlns="http://www.w3.org/2000/svg"`, "")
				if found := external.FindString(text); found != "" {
					t.Errorf("%s names the outside address %s", name, found)
				}
				for _, word := range []string{"Math.random", "Date.now", "new Date", "crypto.getRandomValues"} {
					if strings.Contains(text, word) {
						t.Errorf("%s uses %s, which the seed does not decide", name, word)
					}
				}
				seeded = seeded || path.Ext(name) != ".json" && strings.Contains(text, "seed")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if total > maxGame {
				t.Errorf("the folder has %d bytes, %d are allowed", total, maxGame)
			}
			if g.Seeded != seeded {
				t.Errorf("seeded is %v in game.json, the code says %v", g.Seeded, seeded)
			}
			for _, name := range []string{"index.html", "thumb.webp"} {
				info, err := fs.Stat(g.Files, name)
				if err != nil {
					t.Errorf("%v", err)
				} else if name == "thumb.webp" && info.Size() > maxThumb {
					t.Errorf("%s has %d bytes, %d are allowed", name, info.Size(), maxThumb)
				}
			}
		})
	}
}

func TestEveryFileOfAGameIsEmbedded(t *testing.T) {
	for _, g := range games.All() {
		onDisk, err := os.ReadDir(g.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range onDisk {
			if _, err := fs.Stat(g.Files, f.Name()); err != nil {
				t.Errorf("%s/%s is not embedded: add its extension to the go:embed line", g.Name, f.Name())
			}
		}
	}
}

func TestTheGamesCoverWhatRealGamesDo(t *testing.T) {
	var kinds, starts, controls, genres []string
	for _, g := range games.All() {
		kinds, starts, genres = append(kinds, g.Kind), append(starts, g.Start.Type), append(genres, g.Genre)
		for _, c := range g.Controls {
			controls = append(controls, c.Type)
		}
	}
	for _, want := range []struct {
		what        string
		have, needs []string
	}{
		{"kind", kinds, []string{"dom", "canvas2d", "webgl", "iframe"}},
		{"start", starts, []string{"auto", "dom-button", "painted-button", "any-key", "key", "double-click", "menus", "link", "click"}},
		{"control", controls, []string{"key", "click", "drag", "type", "hold", "hover", "touch"}},
		{"genre", genres, []string{"board", "platformer", "runner", "shooter", "clicker", "card", "match-3", "typing", "text adventure", "physics"}},
	} {
		for _, n := range want.needs {
			if !slices.Contains(want.have, n) {
				t.Errorf("no game of %s %q", want.what, n)
			}
		}
	}
}

// Games move from the examination half to the development half when new ones take their place, so that the second half
// grows. What is measured on should still look like what is tuned on.
func TestBothHalvesHoldTheSameKinds(t *testing.T) {
	count := map[string]map[games.Split]int{}
	for _, g := range games.All() {
		for _, group := range []string{"all", g.Kind} {
			if count[group] == nil {
				count[group] = map[games.Split]int{}
			}
			count[group][g.Split]++
		}
	}
	all := count["all"]
	if all[games.Examination] < 10 {
		t.Errorf("%d examination games, at least 10 are needed", all[games.Examination])
	}
	for group, n := range count {
		share := float64(n[games.Development]) / float64(all[games.Development])
		want := share * float64(all[games.Examination])
		if d := want - float64(n[games.Examination]); d < -1 || d > 1 {
			t.Errorf("%s: %d development and %d examination games", group, n[games.Development], n[games.Examination])
		}
	}
}

func TestFindSuggestsTheNearestName(t *testing.T) {
	if g, err := games.Find("starfall"); err != nil || g.Title != "Starfall" {
		t.Fatalf("Find(starfall) = %q, %v", g.Title, err)
	}
	_, err := games.Find("starfal")
	var unknown *games.UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "starfall" {
		t.Fatalf("Find(starfal) = %v, want a suggestion of starfall", err)
	}
	if _, ok := games.Get("starfal"); ok {
		t.Error("Get found a game that does not exist")
	}
}

func TestAllGivesACopy(t *testing.T) {
	games.All()[0].Name = "changed"
	if games.All()[0].Name == "changed" {
		t.Error("a caller can change the list of games")
	}
}

func TestKeysAreListedOnce(t *testing.T) {
	g, err := games.Find("ridge")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ArrowLeft", "KeyA", "ArrowRight", "KeyD", "ArrowUp", "KeyW", "Space", "KeyR"}
	if got := g.Keys(); !slices.Equal(got, want) {
		t.Errorf("Keys() = %q, want %q", got, want)
	}
}
