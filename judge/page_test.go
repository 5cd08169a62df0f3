package judge_test

import (
	"bytes"
	"context"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/judge"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// A page is looked at through a real browser when the delay is over, not when
// the question is put.
func TestPageIsLookedAtAfterTheDelay(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<body style="margin:0;background:red">`))
	}))
	defer web.Close()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatalf("this test needs a Chromium (Debian: apt-get install chromium): %v", err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, web.URL, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	// The camera turns the page blue itself: by then the delay is over.
	look := judge.Page(page)
	camera := func(ctx context.Context) ([]byte, error) {
		if err := page.Evaluate(ctx, `new Promise(done => { document.body.style.background = 'blue'; requestAnimationFrame(() => requestAnimationFrame(() => done(true))) })`, new(bool)); err != nil {
			return nil, err
		}
		return look(ctx)
	}
	fake := modeltest.Replies("test/one", answers(entry{1, "YES", "It is blue."}))
	got, err := newJudge(t, fake, nil).Ask(ctx, judge.Question{Text: "Is it blue?"}, judge.Evidence{Camera: camera})
	if err != nil || got.Answer != judge.Yes {
		t.Fatalf("%+v, %v", got, err)
	}
	parts := fake.Requests()[0].Messages[0].Parts
	img, err := png.Decode(bytes.NewReader(parts[len(parts)-1].Image.Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, _, blue, _ := img.At(640, 360).RGBA(); img.Bounds().Dx() != 1280 || r > 0x1000 || blue < 0xf000 {
		t.Errorf("a picture of %v, red %x, blue %x in the middle", img.Bounds(), r, blue)
	}
}
