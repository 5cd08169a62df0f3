package adapt

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"image/png"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// look is the game at a moment.
type look struct {
	snap    *snapshot.Snapshot
	items   []decide.Item
	tree    string
	changes string
	// picture is for the model, small for comparing.
	picture *model.Image
	small   *game.Picture
	reading *probe.Reading
	numbers map[string]number
	// mark names the screen, for telling whether we have been here before.
	mark      string
	situation knowledge.Situation
	dialogs   int
	fresh     int
}

const (
	// treeTokens and changeTokens are how much of the page a model is told.
	treeTokens   = 2500
	changeTokens = 400
	// pictureWidth keeps the picture within what every vendor looks at
	// without shrinking it.
	pictureWidth = 1024
	maxItems     = 400
)

// look takes the page in. From here until it is acted on no time passes for a
// game that a model plays.
func (p *player) look(ctx context.Context) error {
	p.free(ctx)
	p.stop(ctx)
	n := &look{}
	var snapErr, readErr error
	var wait sync.WaitGroup
	wait.Go(func() { // two pictures of different scale at a time spoil each other
		n.small = p.g.Picture(ctx)
		if p.run != nil {
			n.picture = p.photograph(ctx)
		}
	})
	n.snap, snapErr = p.reader.Capture(ctx)
	n.reading, readErr = p.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	p.g.Take(ctx)
	wait.Wait()
	if err := errors.Join(snapErr, readErr); err != nil {
		return p.gone(ctx, err)
	}
	n.fresh = p.g.Fresh()
	n.dialogs = p.g.Page.Log().Counts().Dialogs
	p.describe(n)
	p.now = n
	return nil
}

// describe puts what was seen into words.
func (p *player) describe(n *look) {
	n.items = things(n.snap)
	n.tree = n.snap.Format(&snapshot.FormatOptions{Tokens: treeTokens, Boxes: true, MaxName: 80}).Text
	if p.now != nil {
		n.changes = n.since(p.now)
	}
	n.numbers = numbers(n.items)
	texts := make([]string, 0, len(n.items))
	for _, it := range n.items {
		texts = append(texts, it.Text)
	}
	n.situation.Words = knowledge.Marks(texts)
	if n.small != nil && len(n.situation.Words) == 0 {
		n.situation.Look = lookOf(n.small)
	}
	n.mark = mark(n.situation)
}

// since is what is new on the page.
func (n *look) since(from *look) string {
	return n.snap.Since(from.snap).Format(&snapshot.FormatOptions{Tokens: changeTokens, MaxName: 80})
}

// gone is why a look failed: the page is gone, or the error itself.
func (p *player) gone(ctx context.Context, err error) error {
	if gone := p.g.Alive(ctx); gone != nil {
		return gone
	}
	return err
}

// photograph takes the picture that a model looks at. Without one the layer
// says so.
func (p *player) photograph(ctx context.Context) *model.Image {
	scale := min(1, pictureWidth/max(p.g.Viewport.Width, 1))
	shot, err := p.g.Page.Screenshot(ctx, &browser.ScreenshotOptions{Scale: scale})
	if err != nil {
		return nil
	}
	img, err := model.NewImage(shot)
	if err != nil {
		return nil
	}
	return img
}

// things are the nodes of a snapshot that can be named or acted on.
func things(snap *snapshot.Snapshot) []decide.Item {
	var out []decide.Item
	snap.Root.Walk(func(n *snapshot.Node) bool {
		if len(out) >= maxItems {
			return false
		}
		if !n.InView || n == snap.Root || strings.TrimSpace(n.Name) == "" && !n.Interactive {
			return true
		}
		text := n.Name
		if text == "" {
			text = n.Value
		}
		out = append(out, decide.Item{
			ID: n.ID, Role: n.Role, Text: text, Interactive: n.Interactive && !n.Painted(), Painted: n.Painted(), Disabled: n.State.Disabled,
			Box: record.Rect{X: n.Box.X, Y: n.Box.Y, Width: n.Box.Width, Height: n.Box.Height},
		})
		return true
	})
	return out
}

// lookOf is how a picture looks from afar.
func lookOf(small *game.Picture) knowledge.Look {
	img, err := png.Decode(bytes.NewReader(small.PNG()))
	if err != nil {
		return "" // then it is not known by its look
	}
	return knowledge.LookOf(img)
}

// mark is a short name of a screen.
func mark(s knowledge.Situation) string {
	h := fnv.New64a()
	for _, w := range s.Words {
		_, _ = h.Write([]byte(w + "\x00")) // a hash never fails
	}
	_, _ = h.Write([]byte(s.Look))
	return strconv.FormatUint(h.Sum64(), 36)
}

// fingerprint is what the game will be recognised by.
func fingerprint(g *game.Game, items []decide.Item, small *game.Picture) knowledge.Fingerprint {
	rec := g.Record
	f := knowledge.Fingerprint{
		Site: knowledge.Site(rec.Target.URL), Title: rec.Load.Title,
		Engine: rec.Load.Engine.Name, Kind: rec.Load.Kind, Listens: rec.Load.Listens,
	}
	if small != nil {
		f.Look = lookOf(small)
	}
	roles := map[string]int{}
	var texts []string
	for _, it := range items {
		roles[it.Role]++
		texts = append(texts, it.Text)
	}
	for role, n := range roles {
		f.Structure = append(f.Structure, knowledge.Count(role, n))
	}
	sort.Strings(f.Structure)
	f.Words = knowledge.Marks(texts)
	for _, c := range rec.Discover.Controls {
		if c.Type == record.ControlKey {
			f.Keys = append(f.Keys, c.Keys...)
		}
	}
	sort.Strings(f.Keys)
	return f
}
