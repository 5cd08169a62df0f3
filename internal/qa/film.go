package qa

import (
	"context"
	"errors"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/video"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

const (
	// showFor is how long a game is played for its video where nothing else is played
	// in the live page, showEvery lies between two inputs, maxShown bounds those that
	// take turns.
	showFor, showEvery, maxShown = 10 * time.Second, 250 * time.Millisecond, 12
	// filmLimit is for making a video once the game was played.
	filmLimit = 90 * time.Second
	// reasonShow is what inputs give as their reason that nothing is judged by.
	reasonShow = "for the video"
)

// Names of the files of a video.
const (
	videoFile     = "video.webm"
	thumbnailFile = "video.gif"
)

// film is the video of a live page in the making; nil when there is none.
type film struct {
	run      *run
	recorder *video.Recorder
}

// roll begins to record a page, where a video is wanted and there is a place for it. A
// run without its video is worth as much.
func (r *run) roll(page *browser.Page) *film {
	if !r.opts.Video || r.opts.Evidence == nil {
		return nil
	}
	return &film{r, video.Record(page)}
}

// cut ends the recording, and keeps the video if the page was the one that was judged.
// A run that was cancelled is not held up by it.
func (f *film) cut(ctx context.Context, c *browser.Context, wanted bool) {
	if f == nil {
		return
	}
	cancelled := errors.Is(ctx.Err(), context.Canceled)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), filmLimit)
	defer cancel()
	recording := f.recorder.Stop()
	if cancelled || !wanted {
		return
	}
	f.run.emit(record.EventProgress, "making the video")
	made, err := recording.Make(ctx, c)
	if err != nil {
		f.run.noVideo(err)
	}
	if made == nil {
		return
	}
	v := &record.Video{Width: made.Width, Height: made.Height, Seconds: record.Seconds(time.Duration(made.Seconds * float64(time.Second)))}
	for _, part := range []struct {
		name string
		data []byte
		path *string
	}{{videoFile, made.WebM, &v.Path}, {thumbnailFile, made.GIF, &v.Thumbnail}} {
		if len(part.data) == 0 {
			continue
		}
		if err := f.run.opts.Evidence.File(part.name, part.data); err != nil {
			f.run.noVideo(err)
			continue
		}
		*part.path = part.name
	}
	if v.Path != "" || v.Thumbnail != "" {
		v.Bytes = len(made.WebM)
		f.run.rec.Video = v
	}
}

func (r *run) noVideo(err error) {
	r.opts.Log.Warn("video", "run", r.rec.RunID, "error", err)
	r.emit(record.EventWarning, "there is no video: %v", err)
}

// show plays the game for its video, once everything that is judged was measured: what
// the twins saw to make a difference, or what they tried first where nothing does.
func (p *playing) show(ctx context.Context) {
	if p.film == nil || p.playedLive() || p.g.Page.Crashed() || p.rec.Health.Hung != nil {
		return
	}
	left := showFor
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline)-parting)
	}
	inputs := shown(p.rec.Twins)
	if len(inputs) == 0 || left <= 0 {
		return
	}
	p.shown = true
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	at := address(p.g.Page.URL())
	for n := 0; ctx.Err() == nil && address(p.g.Page.URL()) == at; n++ {
		in := liveInput(inputs[n%len(inputs)])
		in.Why = reasonShow
		hold := playHold
		if n/len(inputs)%2 == 1 {
			hold = playLonger // games tell taps from holds
		}
		if err := p.g.Do(ctx, in, hold); err != nil {
			return
		}
		p.g.Pause(ctx, showEvery)
	}
}

// shown are the inputs that a video shows, in the order in which they were found.
func shown(t *record.TwinRecord) []record.Input {
	var works, tried []record.Input
	seen := map[string]bool{}
	for _, o := range t.Observations {
		name := o.Input.String()
		if o.Stage != "search" || o.Left != "" || o.Loaded || seen[name] || liveInput(o.Input).Kind == game.Idle {
			continue
		}
		seen[name] = true
		tried = append(tried, o.Input)
		if o.Effect() || o.Threw != "" {
			works = append(works, o.Input)
		}
	}
	if len(works) == 0 {
		works = tried
	}
	return works[:min(len(works), maxShown)]
}
