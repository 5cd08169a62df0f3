package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"slices"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // pictures may come as WebP
)

// Image is a picture in a message, encoded.
type Image struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
}

// Hash names the picture by what is in it.
func (m *Image) Hash() string {
	sum := sha256.Sum256(m.Data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// NewImage takes an encoded picture, and finds out its kind and size.
func NewImage(data []byte) (*Image, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	return &Image{MediaType: http.DetectContentType(data), Data: data, Width: cfg.Width, Height: cfg.Height}, nil
}

// ImageLimits is the largest picture that a vendor looks at as it is. Beyond
// these it shrinks the picture without saying so, and every coordinate that it
// answers with is off. Zero means no limit.
type ImageLimits struct {
	Long   int      `json:"long,omitempty"`   // pixels, longer side
	Short  int      `json:"short,omitempty"`  // pixels, shorter side
	Pixels int      `json:"pixels,omitempty"` // width x height
	Bytes  int      `json:"bytes,omitempty"`  // encoded, before base64
	Types  []string `json:"types,omitempty"`  // media types
}

// Sent is what became of a picture on its way to the vendor.
type Sent struct {
	Width  int `json:"width"` // pixels, as sent
	Height int `json:"height"`
	// ScaleX and ScaleY are sent pixels per given pixel.
	ScaleX float64 `json:"scale_x"`
	ScaleY float64 `json:"scale_y"`
}

// Original turns a point on the sent picture into one on the given picture.
func (s Sent) Original(x, y float64) (float64, float64) {
	if s.ScaleX == 0 || s.ScaleY == 0 {
		return x, y
	}
	return x / s.ScaleX, y / s.ScaleY
}

// size is what a w x h picture must shrink to.
func (l ImageLimits) size(w, h int) (int, int) {
	scale := 1.0
	if l.Long > 0 {
		scale = min(scale, float64(l.Long)/float64(max(w, h)))
	}
	if l.Short > 0 {
		scale = min(scale, float64(l.Short)/float64(min(w, h)))
	}
	if l.Pixels > 0 {
		scale = min(scale, math.Sqrt(float64(l.Pixels)/(float64(w)*float64(h))))
	}
	if scale >= 1 {
		return w, h
	}
	return max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))
}

// jpegQuality keeps small text on a screenshot legible.
const jpegQuality = 85

// Fit makes a picture acceptable, or returns the same one when it is.
func Fit(img *Image, l ImageLimits) (*Image, Sent, error) {
	if img.Width <= 0 || img.Height <= 0 {
		sized, err := NewImage(img.Data)
		if err != nil {
			return nil, Sent{}, err
		}
		img = sized
	}
	w, h := l.size(img.Width, img.Height)
	sent := Sent{Width: w, Height: h, ScaleX: float64(w) / float64(img.Width), ScaleY: float64(h) / float64(img.Height)}
	typed := len(l.Types) == 0 || slices.Contains(l.Types, img.MediaType)
	small := l.Bytes == 0 || len(img.Data) <= l.Bytes
	if w == img.Width && h == img.Height && typed && small {
		return img, sent, nil
	}
	src, _, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		return nil, Sent{}, fmt.Errorf("read picture: %w", err)
	}
	dst := src
	if w != img.Width || h != img.Height {
		scaled := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.BiLinear.Scale(scaled, scaled.Bounds(), src, src.Bounds(), draw.Src, nil)
		dst = scaled
	}
	data, media, err := encode(dst, l.Bytes)
	if err != nil {
		return nil, Sent{}, err
	}
	return &Image{MediaType: media, Data: data, Width: w, Height: h}, sent, nil
}

// encode prefers PNG, which keeps edges, and falls back to JPEG for size.
func encode(img image.Image, limit int) ([]byte, string, error) {
	var buf bytes.Buffer
	// Speed over size: the picture is sent once.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, img); err != nil {
		return nil, "", fmt.Errorf("encode picture: %w", err)
	}
	if limit == 0 || buf.Len() <= limit {
		return buf.Bytes(), "image/png", nil
	}
	for quality := jpegQuality; quality >= 25; quality -= 20 {
		buf.Reset()
		if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", fmt.Errorf("encode picture: %w", err)
		}
		if buf.Len() <= limit {
			return buf.Bytes(), "image/jpeg", nil
		}
	}
	return nil, "", fmt.Errorf("%w: %d bytes after shrinking, the limit is %d", ErrImage, buf.Len(), limit)
}

// FitAll is the conversation with every picture made acceptable, and what
// became of each, in order. Messages that need no change are shared.
func FitAll(messages []Message, l ImageLimits) ([]Message, []Sent, error) {
	var sent []Sent
	out := slices.Clone(messages)
	for i := range out {
		parts, s, err := fitParts(out[i].Parts, l)
		if err != nil {
			return nil, nil, err
		}
		out[i].Parts = parts
		sent = append(sent, s...)
	}
	return out, sent, nil
}

func fitParts(parts []Part, l ImageLimits) ([]Part, []Sent, error) {
	var sent []Sent
	out := slices.Clone(parts)
	for i, p := range out {
		switch {
		case p.Image != nil:
			img, s, err := Fit(p.Image, l)
			if err != nil {
				return nil, nil, err
			}
			out[i].Image = img
			sent = append(sent, s)
		case p.ToolResult != nil:
			inner, s, err := fitParts(p.ToolResult.Parts, l)
			if err != nil {
				return nil, nil, err
			}
			result := *p.ToolResult
			result.Parts = inner
			out[i].ToolResult = &result
			sent = append(sent, s...)
		}
	}
	return out, sent, nil
}
