package adapt

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// number is a number on the screen with what it counts.
type number struct {
	value float64
	kind  string // progressScore, progressLevel, or "" for what counts nothing won
}

// What a game can get further in.
const (
	progressScore = "score"
	progressLevel = "level"
	progressScene = "scene"
	progressOver  = "game over"
)

var (
	labelled = regexp.MustCompile(`(\p{L}[\p{L} .'-]{0,24}?)\s*[:=×#]?\s*(\d[\d.,']*)`)
	bare     = regexp.MustCompile(`^\W*(\d[\d.,' ]*)\W*$`)
	filler   = regexp.MustCompile(`(?i)^(of|and|to|in|von|de|sur|out of|x)$`)
	scores   = regexp.MustCompile(`(?i)score|points?|pts|coins?|gold|gems?|stars?|kills?|caught|collected|gates|gaps|matches|pairs|found|punkte|puntos|pontos|punti|очки|счёт|βαθμοί|得分|スコア|点|점수`)
	levels   = regexp.MustCompile(`(?i)level|stage|wave|round|room|hole|world|chapter|niveau|nivel|livello|niveau|уровень|επίπεδο|stufe|关|レベル|ステージ|레벨|스테이지`)
	uses     = regexp.MustCompile(`(?i)moves|strokes|shots|throws|turns|tries|attempts|ammo|κινήσεις`)
	bygone   = regexp.MustCompile(`(?i)best|high|record|max|lives|life|time|moves|strokes|left|ammo|health|hp|fps|κινήσεις`)
)

// maxCounter is how long the line of counters on top of a game may be.
const maxCounter = 120

// numbers reads the numbers on the screen by their labels. A label and its
// number are often two texts side by side, or one over the other.
func numbers(items []decide.Item) map[string]number {
	out := map[string]number{}
	add := func(label, digits string) {
		v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "'", "", " ", "", ".", "").Replace(digits), 64)
		label = strings.ToLower(strings.Join(strings.Fields(label), " "))
		if err != nil || label == "" || len(out) >= 40 || filler.MatchString(label) {
			return
		}
		n := number{value: v}
		switch {
		case bygone.MatchString(label):
		case scores.MatchString(label):
			n.kind = progressScore
		case levels.MatchString(label):
			n.kind = progressLevel
		}
		out[label] = n
	}
	for _, it := range items {
		if len(it.Text) > maxCounter {
			continue // a sentence, not a counter
		}
		for _, m := range labelled.FindAllStringSubmatch(it.Text, -1) {
			add(m[1], m[2])
		}
		if m := bare.FindStringSubmatch(it.Text); m != nil {
			if l := labelOf(it, items); l != "" {
				add(l, m[1])
			}
		}
	}
	return out
}

// labelOf is the nearest text without a number to the left of a number or
// above it.
func labelOf(n decide.Item, items []decide.Item) string {
	const reach = 160
	best, label := float64(reach), ""
	for _, it := range items {
		if it.Text == n.Text || strings.ContainsAny(it.Text, "0123456789") || len(it.Text) > 24 || it.Box.Empty() {
			continue
		}
		dx, dy := n.Box.X-(it.Box.X+it.Box.Width), n.Box.Y-(it.Box.Y+it.Box.Height)
		sameRow := math.Abs(it.Box.Center().Y-n.Box.Center().Y) < max(n.Box.Height, it.Box.Height)
		sameColumn := math.Abs(it.Box.Center().X-n.Box.Center().X) < max(n.Box.Width, it.Box.Width)
		switch {
		case sameRow && dx > -8 && dx < best:
			best, label = dx, it.Text
		case sameColumn && dy > -8 && dy < best:
			best, label = dy, it.Text
		}
	}
	return label
}

// progress is what an action achieved: a higher score, another level, another
// screen, the end of a round.
func (p *player) progress(from, to *look, a decide.Action) []record.Progress {
	var out []record.Progress
	now := time.Now()
	labels := make([]string, 0, len(to.numbers))
	for label := range to.numbers {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	for _, label := range labels {
		n := to.numbers[label]
		had, known := from.numbers[label]
		if n.kind != "" && known && n.value > had.value {
			out = append(out, record.Progress{Time: now, What: n.kind, From: figure(label, had.value), To: figure(label, n.value)})
		}
	}
	if text, over := ended(to.items); over {
		if _, already := ended(from.items); !already {
			out = append(out, record.Progress{Time: now, What: progressOver, To: clip(text)})
		}
	}
	// Going back to a screen that was seen before is no step forward.
	if a.Kind != decide.Wait && !p.visited[to.mark] && len(to.situation.Words)+len(from.situation.Words) > 0 && from.situation.Similarity(to.situation) < otherScene {
		out = append(out, record.Progress{Time: now, What: progressScene, From: title(from), To: title(to)})
	}
	p.visited[from.mark], p.visited[to.mark] = true, true
	return out
}

// otherScene is how alike two screens may be to count as two.
const otherScene = 0.4

func figure(label string, v float64) string { return fmt.Sprintf("%s %.0f", label, v) }

func ended(items []decide.Item) (string, bool) {
	for _, it := range items {
		if words.SaysOver(it.Text) {
			return it.Text, true
		}
	}
	return "", false
}

// title is what a screen is called: its largest text.
func title(l *look) string {
	best, size := "", 0.0
	for _, it := range l.items {
		if it.Box.Height > size && it.Box.Height < 200 && strings.TrimSpace(it.Text) != "" && it.Role != "canvas" {
			best, size = it.Text, it.Box.Height
		}
	}
	return clip(best)
}

// said is a progress as a part of a sentence.
func said(g record.Progress) string {
	switch {
	case g.What == progressOver:
		return fmt.Sprintf("the round is over: %q", g.To)
	case g.What == progressScene:
		return fmt.Sprintf("another screen: %q", g.To)
	case g.From != "":
		return fmt.Sprintf("%s, before %s", g.To, g.From)
	}
	return strings.TrimSpace(g.What + " " + g.To)
}
