package video

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

//go:embed studio.js
var studioScript string

const (
	// studioURL is where the page lives that makes the film. It is answered here: the
	// encoder is only there in a page that came over HTTPS, and nothing is asked of a network.
	studioURL = "https://studio.playtest.invalid/"
	// bitrate is in bits a second, maxFilm bounds the film in bytes.
	bitrate, maxFilm = 600_000, 8 << 20
	// keyEvery is how often there is a picture that needs no other, to jump to.
	keyEvery = 2 * time.Second
	// batch is how many bytes of frames are sent at a time, batchLimit how long they may take.
	batch, batchLimit = 1 << 20, 30 * time.Second
	thumbWidth        = 320
)

// ErrNoEncoder is returned where the browser can encode neither VP8 nor VP9. The film
// has a GIF all the same.
var ErrNoEncoder = errors.New("this browser encodes neither VP8 nor VP9")

// Opener opens the page in which a film is made; a context of the browser.
type Opener interface {
	NewPage(context.Context, *browser.PageOptions) (*browser.Page, error)
}

// Make makes the film in a page of its own, which is closed again.
func (r *Recording) Make(ctx context.Context, open Opener) (*Film, error) {
	shots, length := r.plan()
	if len(shots) == 0 {
		return nil, ErrEmpty
	}
	page, err := open.NewPage(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("making the film: %w", err)
	}
	defer func() { _ = page.Close(context.WithoutCancel(ctx)) }() // its context closes it otherwise
	s := &studio{page: page, recording: r, film: &Film{Seconds: length.Seconds()}}
	if err := s.make(ctx, shots, length); err != nil {
		return nil, fmt.Errorf("making the film: %w", err)
	}
	if s.film.WebM == nil {
		return s.film, ErrNoEncoder
	}
	return s.film, nil
}

// studio is a film in the making.
type studio struct {
	page      *browser.Page
	recording *Recording
	film      *Film
	chunks    []chunk
	bytes     int
	thumbs    []image.Image
}

// sent is a shot as the page takes it.
type sent struct {
	At    int64   `json:"at"` // milliseconds
	JPEG  []byte  `json:"jpeg,omitempty"`
	Over  overlay `json:"over"`
	Key   bool    `json:"key,omitempty"`
	Thumb bool    `json:"thumb,omitempty"`
}

func (s *studio) make(ctx context.Context, shots []shot, length time.Duration) error {
	err := s.page.Intercept(ctx, nil, func(q *browser.Request) browser.Answer {
		if q.URL != studioURL {
			return browser.Fail("")
		}
		return browser.Fulfil(200, map[string]string{"Content-Type": "text/html; charset=utf-8"}, []byte("<!doctype html><script>"+studioScript+"</script>"))
	})
	if err != nil {
		return err
	}
	if _, err := s.page.Navigate(ctx, studioURL, nil); err != nil {
		return err
	}
	var begun struct {
		Width, Height int
		Codec         string
	}
	first := map[string]any{"jpeg": s.recording.frames[shots[0].frame].Data, "thumb": thumbWidth, "bitrate": bitrate, "rate": Rate}
	if err := s.call(ctx, "begin", first, &begun); err != nil {
		return err
	}
	s.film.Width, s.film.Height, s.film.Codec = begun.Width, begun.Height, begun.Codec
	if err := s.shoot(ctx, shots); err != nil {
		return err
	}
	if begun.Codec != "" && len(s.chunks) > 0 {
		s.film.WebM = webm(begun.Codec, begun.Width, begun.Height, length, s.chunks)
	}
	s.film.GIF, err = animate(s.thumbs)
	return err
}

// shoot sends the shots and takes what is encoded, until the film is as large as it
// may be.
func (s *studio) shoot(ctx context.Context, shots []shot) error {
	thumbs := moments(shots)
	var (
		waiting []sent
		size    int
		keyed   = -keyEvery
		last    = -1
	)
	flush := func() error {
		err := s.take(ctx, "add", waiting)
		waiting, size = nil, 0
		return err
	}
	for i, shot := range shots {
		one := sent{At: shot.at.Milliseconds(), Over: shot.over, Thumb: thumbs[i]}
		if shot.at-keyed >= keyEvery {
			one.Key, keyed = true, shot.at
		}
		if shot.frame != last {
			one.JPEG, last = s.recording.frames[shot.frame].Data, shot.frame
			size += len(one.JPEG)
		}
		if waiting = append(waiting, one); size > batch || len(waiting) >= 10*Rate {
			if err := flush(); err != nil {
				return err
			}
			if s.bytes > maxFilm {
				return s.take(ctx, "end", nil)
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return s.take(ctx, "end", nil)
}

// take calls the page with shots and keeps what it returns.
func (s *studio) take(ctx context.Context, name string, shots []sent) error {
	var got struct {
		Chunks []chunk
		Thumbs [][]byte
	}
	if err := s.call(ctx, name, shots, &got); err != nil {
		return err
	}
	for _, c := range got.Chunks {
		if s.bytes += len(c.Data); s.bytes <= maxFilm {
			s.chunks = append(s.chunks, c)
		}
	}
	for _, t := range got.Thumbs {
		img, err := png.Decode(bytes.NewReader(t))
		if err != nil {
			return fmt.Errorf("reading a thumbnail: %w", err)
		}
		s.thumbs = append(s.thumbs, img)
	}
	return nil
}

func (s *studio) call(ctx context.Context, name string, arg, out any) error {
	data, err := json.Marshal(arg)
	if err != nil {
		return err
	}
	return s.page.Evaluate(cdp.WithTimeout(ctx, batchLimit), name+"("+string(data)+")", out)
}

// moments says which shots are in the GIF: some, evenly, from just before the first
// input on, or of all where there is none.
func moments(shots []shot) map[int]bool {
	from := 0
	for i, s := range shots {
		if s.over.Keys != "" || s.over.Down {
			from = max(0, i-Rate/2)
			break
		}
	}
	end := shots[len(shots)-1].at
	step := max((end-shots[from].at)/thumbs, time.Second/5)
	out := map[int]bool{}
	next := shots[from].at
	for i := from; i < len(shots) && len(out) < thumbs; i++ {
		if shots[i].at >= next {
			out[i], next = true, shots[i].at+step
		}
	}
	return out
}
