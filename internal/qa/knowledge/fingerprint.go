package knowledge

import (
	"image"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Fingerprint is what a game is recognised by.
type Fingerprint struct {
	// Site is the address without query and fragment.
	Site   string `json:"site"`
	Title  string `json:"title,omitempty"`
	Engine string `json:"engine,omitempty"`
	Kind   string `json:"kind,omitempty"`
	Genre  string `json:"genre,omitempty"`
	// Listens are the input events it listens to, Keys the keys its code knows.
	Listens []string `json:"listens,omitempty"`
	Keys    []string `json:"keys,omitempty"`
	// Structure counts what the page is made of: "button:4".
	Structure []string `json:"structure,omitempty"`
	// Words are written on the first screen.
	Words []string `json:"words,omitempty"`
	// Look is the first screen in a few coarse colours.
	Look Look `json:"look,omitempty"`
}

// Situation is what marks one screen of a game.
type Situation struct {
	Words []string `json:"words,omitempty"`
	Look  Look     `json:"look,omitempty"`
}

// Empty reports whether nothing marks the screen.
func (s Situation) Empty() bool { return len(s.Words) == 0 && len(s.Look) == 0 }

// Similarity is how alike two screens are, 0 to 1. Words decide where there
// are any: pictures of a game in motion differ all the time. What was learned
// of no screen in particular is alike.
func (s Situation) Similarity(o Situation) float64 {
	if s.Empty() && o.Empty() {
		return 1
	}
	if len(s.Words)+len(o.Words) > 0 {
		return overlap(s.Words, o.Words)
	}
	return s.Look.Similarity(o.Look)
}

// Site is an address without what changes from visit to visit.
func Site(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	// The port of a server on this machine means nothing; its path does.
	host := u.Hostname()
	if host != "localhost" && host != "127.0.0.1" && host != "::1" {
		host = u.Host
	}
	return host + strings.TrimSuffix(u.Path, "index.html")
}

// name is what the game is called in explanations.
func (f Fingerprint) name() string {
	if f.Title != "" {
		return strconv.Quote(f.Title)
	}
	return f.Site
}

// Similarity is how alike two games are, 0 to 1, and why. A game at the same
// place is the same one as long as it is made the same way.
func (f Fingerprint) Similarity(o Fingerprint) (near float64, because []string) {
	if f.Site == o.Site && f.Engine == o.Engine && f.Kind == o.Kind {
		return 1, []string{"the same game"}
	}
	total := 0.0
	add := func(weight, alike float64, what string) {
		total += weight
		near += weight * alike
		if alike >= 0.7 {
			because = append(because, what)
		}
	}
	// What neither has says nothing for or against.
	share := func(weight float64, a, b []string, what string) {
		if len(a)+len(b) > 0 {
			add(weight, overlap(a, b), what)
		}
	}
	if f.Engine != "" || o.Engine != "" {
		add(0.15, one(f.Engine == o.Engine), "the same engine")
	}
	if f.Genre != "" && o.Genre != "" {
		add(0.15, one(f.Genre == o.Genre), "the same genre")
	}
	add(0.1, one(f.Kind == o.Kind), "the same kind")
	share(0.1, f.Listens, o.Listens, "it listens to the same")
	share(0.2, f.Keys, o.Keys, "it knows the same keys")
	share(0.1, f.Structure, o.Structure, "it is built alike")
	share(0.2, f.Words, o.Words, "it says the same")
	if f.Look != "" && o.Look != "" {
		add(0.15, f.Look.Similarity(o.Look), "it looks alike")
	}
	return near / max(total, enough), because
}

// enough is how much must be known of two games, of 1.15, to call them the same:
// of two of which nothing is known nothing differs.
const enough = 0.7

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// overlap is the share of two lists, not both empty, that they have in common.
func overlap(a, b []string) float64 {
	common := 0
	for _, s := range a {
		if slices.Contains(b, s) {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

var (
	number    = regexp.MustCompile(`\d+([.,:]\d+)*`)
	maxMarks  = 24
	maxLetter = 40
)

// Marks are texts as they are remembered: without their numbers, which change,
// each once and in order.
func Marks(texts []string) []string {
	var out []string
	for _, t := range texts {
		t = strings.Join(strings.Fields(strings.ToLower(number.ReplaceAllString(t, "#"))), " ")
		if t == "" || t == "#" || len(t) > maxLetter || slices.Contains(out, t) {
			continue
		}
		out = append(out, t)
		if len(out) == maxMarks {
			break
		}
	}
	sort.Strings(out)
	return out
}

// Count writes how many there are of something so that about the same number
// is the same: 5 and 6 buttons are, 5 and 50 are not.
func Count(what string, n int) string {
	size := "0"
	for _, limit := range []int{1, 2, 4, 8, 16, 64, 256} {
		if n >= limit {
			size = strconv.Itoa(limit)
		}
	}
	return what + ":" + size
}

// Look is a picture in a few colours of six bits, as text.
type Look string

const lookColumns, lookRows = 8, 5

// LookOf is how a picture looks from afar.
func LookOf(img image.Image) Look {
	b := img.Bounds()
	if b.Empty() {
		return ""
	}
	var out strings.Builder
	for row := range lookRows {
		for col := range lookColumns {
			var sum [3]uint64
			n := uint64(0)
			x0, x1 := b.Min.X+col*b.Dx()/lookColumns, b.Min.X+(col+1)*b.Dx()/lookColumns
			y0, y1 := b.Min.Y+row*b.Dy()/lookRows, b.Min.Y+(row+1)*b.Dy()/lookRows
			for y := y0; y < y1; y += 3 {
				for x := x0; x < x1; x += 3 {
					r, g, bl, _ := img.At(x, y).RGBA()
					sum[0], sum[1], sum[2], n = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(bl), n+1
				}
			}
			if n == 0 {
				continue
			}
			const step = 1 << 14 // two bits of sixteen
			out.WriteByte(byte('0' + sum[0]/n/step*16 + sum[1]/n/step*4 + sum[2]/n/step))
		}
	}
	return Look(out.String())
}

// Similarity is the share of cells of about the same colour.
func (l Look) Similarity(o Look) float64 {
	if l == "" || o == "" || len(l) != len(o) {
		return 0.5
	}
	same := 0
	for i := range len(l) {
		if l[i] == o[i] {
			same++
		}
	}
	return float64(same) / float64(len(l))
}
