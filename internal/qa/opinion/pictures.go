package opinion

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

const (
	// pictureSide is the longest side of a picture as it is sent: small text of
	// a game stays legible, and a picture counts for under a thousand tokens.
	pictureSide = 1024
	// maxCandidates bounds how many pictures are read and compared.
	maxCandidates = 40
	// maxPictureBytes and maxPicturePixels keep a changed file from filling the
	// memory.
	maxPictureBytes  = 20 << 20
	maxPicturePixels = 40 << 20
	// alike is the distance below which a picture shows nothing new.
	alike = 0.004
)

// picture is one that a model is shown.
type picture struct {
	shot   record.Screenshot
	image  *model.Image
	thumb  []uint8
	tokens int
}

// tokens is about what a picture counts for: vendors count patches of 28 to 32
// pixels, some of them more than once.
func tokens(w, h int) int { return ((w + 31) / 32) * ((h + 31) / 32) * 3 / 2 }

// choose picks pictures that differ: first the stages that every run has, then
// whatever is farthest from everything picked, until the budget is used up or
// nothing new is left. They come back in the order they were taken. Pictures
// that cannot be read are left out.
func choose(ctx context.Context, shots []record.Screenshot, read func(context.Context, string) ([]byte, error), budget int) []picture {
	if read == nil {
		return nil
	}
	var all []picture
	for _, s := range candidates(shots) {
		if ctx.Err() != nil {
			break
		}
		data, err := read(ctx, s.Path)
		if err != nil || len(data) > maxPictureBytes {
			continue
		}
		if p, ok := open(s, data); ok {
			all = append(all, p)
		}
	}
	var taken []int
	spent := 0
	take := func(i int) {
		if spent+all[i].tokens <= budget {
			taken = append(taken, i)
			spent += all[i].tokens
		}
	}
	for _, stage := range []string{record.StageAfterInteraction, record.StageFinalState, record.StageInitialLoad} {
		i := slices.IndexFunc(all, func(p picture) bool { return p.shot.Stage == stage })
		if i >= 0 && !slices.Contains(taken, i) && nearest(all, taken, i) > alike {
			take(i)
		}
	}
	for {
		best, far := -1, alike
		for i := range all {
			if d := nearest(all, taken, i); d > far && spent+all[i].tokens <= budget {
				best, far = i, d
			}
		}
		if best < 0 {
			break
		}
		take(best)
	}
	slices.Sort(taken)
	out := make([]picture, len(taken))
	for i, t := range taken {
		out[i] = all[t]
	}
	return out
}

// candidates are the pictures by time, each once, thinned evenly when there are
// many. The stages that every run has stay.
func candidates(shots []record.Screenshot) []record.Screenshot {
	shots = slices.Clone(shots)
	slices.SortStableFunc(shots, func(a, b record.Screenshot) int { return a.Time.Compare(b.Time) })
	seen := map[string]bool{}
	shots = slices.DeleteFunc(shots, func(s record.Screenshot) bool {
		twice := seen[s.Path]
		seen[s.Path] = true
		return twice
	})
	if len(shots) <= maxCandidates {
		return shots
	}
	step := float64(len(shots)) / (maxCandidates - 3)
	next := 0.0
	var out []record.Screenshot
	for i, s := range shots {
		fixed := s.Stage == record.StageInitialLoad || s.Stage == record.StageAfterInteraction || s.Stage == record.StageFinalState
		if float64(i) >= next || fixed && len(out) < maxCandidates {
			out = append(out, s)
			if float64(i) >= next {
				next += step
			}
		}
	}
	return out
}

// open makes a picture ready to be sent and compared.
func open(s record.Screenshot, data []byte) (picture, bool) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width*cfg.Height > maxPicturePixels {
		return picture{}, false
	}
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return picture{}, false
	}
	img, err := model.NewImage(data)
	if err != nil {
		return picture{}, false
	}
	img, _, err = model.Fit(img, model.ImageLimits{Long: pictureSide})
	if err != nil {
		return picture{}, false
	}
	return picture{shot: s, image: img, thumb: thumbnail(src), tokens: tokens(img.Width, img.Height)}, true
}

// Size of the thumbnails that pictures are compared by.
const thumbWidth, thumbHeight = 32, 18

// thumbnail averages areas, so that small things leave a trace too.
func thumbnail(src image.Image) []uint8 {
	r := src.Bounds()
	w, h := r.Dx(), r.Dy()
	flat := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(flat, flat.Bounds(), src, r.Min, draw.Src)
	var sums [thumbWidth * thumbHeight * 4]int
	var counts [thumbWidth * thumbHeight]int
	for y := range h {
		row := flat.Pix[y*flat.Stride : y*flat.Stride+4*w]
		line := y * thumbHeight / h * thumbWidth
		for x := range w {
			tile := line + x*thumbWidth/w
			counts[tile]++
			for c := range 3 {
				sums[4*tile+c] += int(row[4*x+c])
			}
		}
	}
	out := make([]uint8, len(sums))
	for i := range out {
		out[i] = uint8(sums[i] / max(1, counts[i/4]))
	}
	return out
}

// nearest is how far a picture is from the nearest one taken.
func nearest(all []picture, taken []int, i int) float64 {
	d := math.Inf(1)
	for _, t := range taken {
		if t == i {
			return 0
		}
		d = min(d, distance(all[t].thumb, all[i].thumb))
	}
	return d
}

// distance is from 0 to 1: how much tiles differ, and how many do, so that a
// small figure that moved counts as well as another background.
func distance(a, b []uint8) float64 {
	sum, moved, tiles := 0.0, 0, len(a)/4
	for i := 0; i < len(a); i += 4 {
		most := 0
		for c := range 3 {
			diff := int(a[i+c]) - int(b[i+c])
			most = max(most, diff, -diff)
		}
		sum += float64(most) / 255
		if most > 6 {
			moved++
		}
	}
	return (sum + float64(moved)) / float64(2*tiles)
}
