package adapt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// idleness is how the game is when it is left alone.
type idleness struct {
	windows []cause.Window
	// moves: the picture changes by itself.
	moves bool
	// texts come and go by themselves, by shape.
	texts map[string]bool
	// counts are the labels of numbers that changed by themselves.
	counts map[string]bool
}

const (
	// idleLooks is how often the game is watched without input, idleFor how long.
	idleLooks = 4
	idleFor   = 200 * time.Millisecond
	// newCode is how many characters of never-run code make an event of note.
	newCode = 60
)

// watch leaves the game alone for some looks.
func (p *player) watch(ctx context.Context, looks int) error {
	p.idle = idleness{texts: map[string]bool{}, counts: map[string]bool{}}
	if err := p.look(ctx); err != nil {
		return err
	}
	first, from := p.now, p.now
	for range looks {
		p.live(ctx, idleFor)
		r, err := p.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
		if err != nil {
			return p.gone(ctx, err)
		}
		small := p.g.Picture(ctx)
		to := &look{reading: r, small: small}
		w := p.window(from, to, "")
		p.idle.windows = append(p.idle.windows, w)
		p.tally.Idle(w)
		p.idle.moves = p.idle.moves || w.Changed() > 0
		for _, t := range w.Texts {
			p.idle.texts[t] = true
		}
		from = &look{reading: r, small: small}
	}
	if err := p.look(ctx); err != nil {
		return err
	}
	for label, n := range p.now.numbers {
		if had, known := first.numbers[label]; known && had.value != n.value {
			p.idle.counts[label] = true
		}
	}
	return nil
}

// settle waits until what an action set off has come to rest: until nothing
// changes any more but what changes by itself. A key in a game that moves is
// part of its play and not waited for.
func (p *player) settle(ctx context.Context, a decide.Action) {
	if p.idle.moves && a.Keyed() {
		return
	}
	calm, step := 0, settleStep
	before := p.g.Picture(ctx)
	for waited := time.Duration(0); calm < 2 && waited < settleLimit && ctx.Err() == nil; waited += step {
		p.live(ctx, step)
		now := p.g.Picture(ctx)
		if w := (cause.Window{Tiles: game.Tiles(before, now)}); w.Novelty(p.idle.windows...) > stirring {
			calm, step = 0, min(step*3/2, longStep) // what takes long is looked at seldom
		} else {
			calm++
		}
		before = now
	}
}

const (
	settleLimit = 4 * time.Second
	settleStep  = 120 * time.Millisecond
	longStep    = 500 * time.Millisecond
	// stirring is the share of the picture that something under way changes.
	stirring = 0.0008
)

// window is what lies between two looks, in the form that causes are told from.
func (p *player) window(from, to *look, input string) cause.Window {
	return cause.Window{
		Input:     input,
		Tiles:     game.Tiles(from.small, to.small),
		Mutations: to.reading.Mutated() - from.reading.Mutated(),
		Draws:     to.reading.Drawn() - from.reading.Drawn(),
		Ticks:     to.reading.Ticks() - from.reading.Ticks(),
		Redrawn:   game.Drawing(from.reading) != game.Drawing(to.reading),
		Texts:     game.NewTexts(from.reading, to.reading),
	}
}

// compare says what changed because of an action, and what it achieved.
func (p *player) compare(from, to *look, a decide.Action) (effect string, got []record.Progress) {
	var parts []string
	if to.dialogs > from.dialogs {
		parts = append(parts, fmt.Sprintf("the game said %q", p.lastDialog()))
	}
	got = p.progress(from, to, a)
	for _, g := range got {
		parts = append(parts, said(g))
	}
	if text := p.news(from, to); text != "" {
		parts = append(parts, text)
	}
	if a.Kind == decide.Wait && len(parts) == 0 {
		return "", got
	}
	if len(parts) == 0 {
		parts = p.counted(from, to)
	}
	w := p.window(from, to, a.String())
	if len(parts) == 0 {
		e := cause.Compare([]cause.Window{w}, p.idle.windows)
		news := w.News(p.idle.windows, !p.idle.moves)
		switch {
		case e.Visible:
			parts = append(parts, "the picture changed because of it")
		case news != "":
			parts = append(parts, news)
		case to.fresh-from.fresh > newCode:
			parts = append(parts, fmt.Sprintf("%d characters of the game's code ran for the first time", to.fresh-from.fresh))
		case p.idle.moves && a.Keyed() && p.answers(a):
			parts = append(parts, "the game answers to these keys and goes on")
		}
	}
	return strings.Join(parts, "; "), got
}

// counted are the numbers that tell of what is done, and that it changed: moves
// that were used up, points that were lost. They are no progress.
func (p *player) counted(from, to *look) []string {
	var out []string
	for _, label := range slices.Sorted(maps.Keys(to.numbers)) {
		n := to.numbers[label]
		had, known := from.numbers[label]
		if known && n.value != had.value && !p.idle.counts[label] && (n.kind != "" || uses.MatchString(label)) {
			out = append(out, fmt.Sprintf("%s, before %s", figure(label, n.value), figure(label, had.value)))
		}
	}
	return out
}

func (p *player) lastDialog() string {
	if list := p.g.Page.Log().Dialogs(); len(list) > 0 {
		return clip(list[len(list)-1].Message)
	}
	return ""
}

// news is what is written on the screen that was not before.
func (p *player) news(from, to *look) string {
	had := map[string]bool{}
	for _, it := range from.items {
		had[game.Shape(it.Text)] = true
	}
	var fresh []string
	for _, it := range to.items {
		s := game.Shape(it.Text)
		if strings.TrimSpace(s) != "" && !had[s] && !p.idle.texts[s] && !slices.Contains(fresh, it.Text) {
			fresh = append(fresh, it.Text)
		}
	}
	if len(fresh) == 0 {
		return ""
	}
	for i := range fresh {
		fresh[i] = fmt.Sprintf("%q", clip(fresh[i]))
	}
	if len(fresh) > 3 {
		return fmt.Sprintf("%s and %d more appeared", strings.Join(fresh[:3], ", "), len(fresh)-3)
	}
	return strings.Join(fresh, ", ") + " appeared"
}

func clip(s string) string {
	const most = 60
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}

// answers reports whether the game was seen to answer to all the action's keys.
func (p *player) answers(a decide.Action) bool {
	keys := slices.Clone(a.Keys)
	for _, s := range a.Steps {
		keys = append(keys, s.Keys...)
	}
	for _, k := range keys {
		if !slices.ContainsFunc(p.g.Record.Discover.Controls, func(c record.Control) bool {
			return p.opts.Proven[c.ID] && slices.Contains(c.Keys, k)
		}) {
			return false
		}
	}
	return len(keys) > 0
}

// goals are what to try to achieve: what the author says, and what the screen
// tells about how to play.
func goals(meta *metadata.Metadata, instructions []string, items []decide.Item) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && len(out) < 8 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if meta != nil {
		for line := range strings.Lines(meta.Objectives) {
			add(line)
		}
	}
	for _, s := range instructions {
		add(s)
	}
	for _, it := range items {
		if words.IsHowTo(it.Text) {
			add(it.Text)
		}
	}
	return out
}
