package model_test

import (
	"errors"
	"math"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func TestFit(t *testing.T) {
	png, jpeg := "image/png", "image/jpeg"
	for _, tc := range []struct {
		name   string
		img    *model.Image
		limits model.ImageLimits
		w, h   int
		media  string
		same   bool
	}{
		{"no limits", modeltest.Picture(128, 72), model.ImageLimits{}, 128, 72, png, true},
		{"within limits", modeltest.Picture(1280, 720), model.ImageLimits{Long: 1568, Short: 768, Pixels: 1_150_000, Types: []string{png}}, 1280, 720, png, true},
		{"longer side", modeltest.Picture(400, 100), model.ImageLimits{Long: 200}, 200, 50, png, false},
		{"shorter side", modeltest.Picture(400, 200), model.ImageLimits{Short: 100}, 200, 100, png, false},
		{"pixels", modeltest.Picture(200, 200), model.ImageLimits{Pixels: 10_000}, 100, 100, png, false},
		{"a thin line survives", modeltest.Picture(3000, 1), model.ImageLimits{Long: 100}, 100, 1, png, false},
		{"bytes make it a JPEG", modeltest.Noise(200, 200), model.ImageLimits{Bytes: 50_000}, 200, 200, jpeg, false},
		{"media type", modeltest.Picture(10, 10), model.ImageLimits{Types: []string{jpeg, png}}, 10, 10, png, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, sent, err := model.Fit(tc.img, tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			if got.Width != tc.w || got.Height != tc.h || got.MediaType != tc.media || (got == tc.img) != tc.same {
				t.Errorf("got %dx%d %s, the same: %v", got.Width, got.Height, got.MediaType, got == tc.img)
			}
			if again, err := model.NewImage(got.Data); err != nil || again.Width != tc.w || again.MediaType != tc.media {
				t.Errorf("the data is %+v, %v", again, err)
			}
			x, y := sent.Original(float64(tc.w)/2, float64(tc.h)/2)
			if math.Abs(x-float64(tc.img.Width)/2) > 0.5 || math.Abs(y-float64(tc.img.Height)/2) > 0.5 {
				t.Errorf("the middle comes back as %v,%v", x, y)
			}
		})
	}
	if _, _, err := model.Fit(modeltest.Noise(200, 200), model.ImageLimits{Bytes: 1000}); !errors.Is(err, model.ErrImage) {
		t.Errorf("a picture that cannot be made small: %v", err)
	}
	if _, _, err := model.Fit(&model.Image{Data: []byte("not a picture")}, model.ImageLimits{}); err == nil {
		t.Error("what is not a picture was taken")
	}
	if _, err := model.NewImage(nil); err == nil {
		t.Error("nothing was taken for a picture")
	}
}

func TestEstimateIsAnUpperBound(t *testing.T) {
	// Real counts of the vendors' tokenizers are about a quarter of the bytes
	// of English and a third of JSON; a picture of 1280x720 is 1,229 tokens
	// for one vendor and up to 2,263 for another.
	req := &model.Request{Messages: []model.Message{model.UserText(string(make([]byte, 4000)))}}
	if n := req.Estimate(model.Price{}); n < 2000 || n > 2200 {
		t.Errorf("4,000 bytes are %d tokens", n)
	}
	req.Messages[0].Parts = append(req.Messages[0].Parts, model.Picture(modeltest.Picture(1280, 720)))
	if n := req.Estimate(model.Price{}); n < 2000+2263 {
		t.Errorf("with a picture it is %d tokens", n)
	}
	if n := req.Estimate(model.Price{ImageTokens: 48169}); n < 48169 {
		t.Errorf("with a dear picture it is %d tokens", n)
	}
}
