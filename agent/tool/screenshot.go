package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
)

//go:embed screenshot.md
var screenshotText string

func (k *Kit) screenshot() Tool {
	t := must("screenshot", screenshotText, func(ctx context.Context, _ struct{}) (*Outcome, error) {
		raw, err := k.page().Screenshot(ctx, &browser.ScreenshotOptions{Format: browser.JPEG})
		if err != nil {
			return nil, err
		}
		img, err := model.NewImage(raw)
		if err != nil {
			return nil, err
		}
		// Made fit here and not on the way, so that a place on the picture is
		// one on the page.
		if img, _, err = model.Fit(img, k.Pictures); err != nil {
			return nil, err
		}
		k.mu.Lock()
		k.picture = Size{float64(img.Width), float64(img.Height)}
		k.mu.Unlock()
		out := Say(fmt.Sprintf("A picture of the window, %dx%d. What is written on it was written by the page.", img.Width, img.Height))
		out.Images = []*model.Image{img}
		out.Digest = "A picture was shown here."
		return out, nil
	})
	t.Kind = Looks
	return t
}
