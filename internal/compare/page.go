package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"github.com/playtest-dev/playtest/internal/report"
)

//go:embed page.tmpl
var pageSource string

var page = template.Must(template.New("compare").Parse(pageSource))

// Game is the comparison of one game, with the folders of both runs.
type Game struct {
	// Name is empty where only one game is compared.
	Name string
	*Diff
	A, B fs.FS
}

type gameView struct {
	*Diff
	Name    string
	Changes []changeView
	Sides   []sideView
}

type changeView struct {
	Change
	Sentence string
}

type sideView struct {
	Stage string
	A, B  template.URL
}

// Page writes comparisons as one page with the pictures side by side inside.
func Page(w io.Writer, a, b string, games []Game) error {
	v := struct {
		Style     template.CSS
		A, B      string
		Regressed bool
		Games     []gameView
	}{Style: template.CSS(report.Style()), A: a, B: b}
	for _, g := range games {
		gv := gameView{Diff: g.Diff, Name: g.Name}
		for _, c := range g.Diff.Changes {
			gv.Changes = append(gv.Changes, changeView{c, sentence(c)})
		}
		for _, s := range g.Diff.Pictures {
			gv.Sides = append(gv.Sides, sideView{strings.ReplaceAll(s.Stage, "_", " "), report.Inside(g.A, s.A), report.Inside(g.B, s.B)})
		}
		v.Regressed = v.Regressed || g.Regressed
		v.Games = append(v.Games, gv)
	}
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("writing the comparison's page: %w", err)
	}
	return nil
}
