package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

//go:embed grid.tmpl
var gridSource string

//go:embed grid.css
var gridStyle string

var gridPage = template.Must(template.New("grid").Funcs(template.FuncMap{
	"picture": picture, "plural": plural, "seconds": secondsOf, "verdict": verdict,
}).Parse(gridSource))

// Tile is one game of a grid.
type Tile struct {
	Name, Address string
	Status        record.Verdict
	Summary       string
	Score, Issues int
	Seconds       float64
	// Page and Picture are relative to the grid's page; empty when there is none.
	Page, Picture string
}

// Grid writes a page with a picture and a verdict of each of many games, those
// that failed first. NotPlayed names the ones that nobody came to.
func Grid(w io.Writer, title string, tiles []Tile, notPlayed []string) error {
	v := struct {
		Style                     template.CSS
		Title                     string
		Tiles                     []Tile
		NotPlayed                 []string
		Passed, Failed, Undecided int
		Seconds                   float64
	}{Style: template.CSS(pageStyle + gridStyle), Title: title, Tiles: slices.Clone(tiles), NotPlayed: notPlayed}
	rank := func(t Tile) int {
		switch t.Status {
		case record.Fail:
			return 0
		case record.Pass:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(v.Tiles, func(a, b Tile) int { return rank(a) - rank(b) })
	for _, t := range tiles {
		v.Seconds += t.Seconds
		switch t.Status {
		case record.Pass:
			v.Passed++
		case record.Fail:
			v.Failed++
		default:
			v.Undecided++
		}
	}
	if err := gridPage.Execute(w, v); err != nil {
		return fmt.Errorf("writing the grid of games: %w", err)
	}
	return nil
}
