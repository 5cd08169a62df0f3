package model_test

import (
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// A large screen's picture on its way to the vendor with the tightest limits.
func BenchmarkFit(b *testing.B) {
	img := modeltest.Picture(2560, 1440)
	for b.Loop() {
		if _, _, err := model.Fit(img, model.ImageLimits{Long: 1568, Pixels: 1_150_000}); err != nil {
			b.Fatal(err)
		}
	}
}
