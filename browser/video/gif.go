package video

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"slices"
)

const (
	// thumbs is how many moments a GIF has, thumbDelay how long each is shown, in
	// hundredths of a second.
	thumbs, thumbDelay = 24, 20
	// maxGIF bounds the file: with every second moment it is half as large.
	maxGIF = 1 << 20
)

// animate makes an animated GIF of the pictures, which are of one size; nil of none.
func animate(pictures []image.Image) ([]byte, error) {
	for delay := thumbDelay; len(pictures) > 0; delay *= 2 {
		data, err := encode(pictures, delay)
		if err != nil || len(data) <= maxGIF {
			return data, err
		}
		if len(pictures) == 1 {
			return nil, nil // a picture that cannot be made small is not a thumbnail
		}
		var fewer []image.Image
		for i := 0; i < len(pictures); i += 2 {
			fewer = append(fewer, pictures[i])
		}
		pictures = fewer
	}
	return nil, nil
}

func encode(pictures []image.Image, delay int) ([]byte, error) {
	colors := newInks(pictures)
	out := gif.GIF{Config: image.Config{ColorModel: colors.palette, Width: pictures[0].Bounds().Dx(), Height: pictures[0].Bounds().Dy()}}
	var before []uint8
	for _, p := range pictures {
		img := colors.paint(p)
		whole := slices.Clone(img.Pix)
		// What stays as it was is left transparent, which packs well.
		for i := range before {
			if before[i] == img.Pix[i] {
				img.Pix[i] = transparent
			}
		}
		before = whole
		out.Image = append(out.Image, img)
		out.Delay = append(out.Delay, delay)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
	}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, &out); err != nil {
		return nil, fmt.Errorf("writing the GIF: %w", err)
	}
	return buf.Bytes(), nil
}

// transparent is the number of the color that is none.
const transparent = 255

// inks are the colors that most of the pictures are made of.
type inks struct {
	palette color.Palette
	nearest map[uint16]uint8 // of colors with five bits a part
}

func short(r, g, b uint32) uint16 { return uint16(r>>11<<10 | g>>11<<5 | b>>11) }

func newInks(pictures []image.Image) *inks {
	type tally struct {
		r, g, b, n uint64
	}
	counts := map[uint16]*tally{}
	each(pictures, func(r, g, b uint32) {
		t := counts[short(r, g, b)]
		if t == nil {
			t = &tally{}
			counts[short(r, g, b)] = t
		}
		t.r, t.g, t.b, t.n = t.r+uint64(r>>8), t.g+uint64(g>>8), t.b+uint64(b>>8), t.n+1
	})
	keys := make([]uint16, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b uint16) int {
		return cmp.Or(cmp.Compare(counts[b].n, counts[a].n), cmp.Compare(a, b))
	})
	out := &inks{nearest: map[uint16]uint8{}}
	for _, k := range keys[:min(len(keys), transparent)] {
		t := counts[k]
		out.palette = append(out.palette, color.RGBA{uint8(t.r / t.n), uint8(t.g / t.n), uint8(t.b / t.n), 255})
	}
	for i, k := range keys {
		if i < transparent {
			out.nearest[k] = uint8(i)
			continue
		}
		t := counts[k]
		out.nearest[k] = uint8(out.palette.Index(color.RGBA{uint8(t.r / t.n), uint8(t.g / t.n), uint8(t.b / t.n), 255}))
	}
	for len(out.palette) < transparent {
		out.palette = append(out.palette, color.RGBA{A: 255})
	}
	out.palette = append(out.palette, color.RGBA{})
	return out
}

func (k *inks) paint(p image.Image) *image.Paletted {
	out := image.NewPaletted(image.Rectangle{Max: p.Bounds().Size()}, k.palette)
	i := 0
	each([]image.Image{p}, func(r, g, b uint32) {
		out.Pix[i] = k.nearest[short(r, g, b)]
		i++
	})
	return out
}

func each(pictures []image.Image, do func(r, g, b uint32)) {
	for _, p := range pictures {
		at := p.Bounds()
		for y := at.Min.Y; y < at.Max.Y; y++ {
			for x := at.Min.X; x < at.Max.X; x++ {
				r, g, b, _ := p.At(x, y).RGBA()
				do(r, g, b)
			}
		}
	}
}
