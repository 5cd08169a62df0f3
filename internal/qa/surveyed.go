package qa

import (
	"context"
	"errors"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/survey"
	"github.com/playtest-dev/playtest/record"
)

// surveyLimit is what a run spends at most on what nothing is judged by.
const surveyLimit = 4 * time.Second

// watch begins to note what the live page draws and how soon after its inputs.
func (p *playing) watch(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, surveyLimit)
	defer cancel()
	p.watched = time.Now()
	survey.Watch(ctx, p.g.Page)
}

// gather ends the watch over what the live page draws.
func (p *playing) gather(ctx context.Context) {
	if p.rec.Survey != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, surveyLimit)
	defer cancel()
	s := &record.Survey{}
	if s.Frames, s.Latency = survey.Watched(ctx, p.g.Page); s.Frames != nil {
		s.Frames.Began = p.watched
	}
	p.rec.Survey = s
}

// survey looks at the live page once everything that is judged was measured: for what
// keeps people out, and in the window of a phone. A run that could not is worth as much.
func (p *playing) survey(ctx context.Context) {
	h := &p.rec.Health
	if ctx.Err() != nil || p.rec.Load.Failure != nil || !p.rec.Load.Success || h.Hung != nil || h.Left != nil || p.g.Page.Crashed() || p.g.Page.Closed() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, surveyLimit)
	defer cancel()
	if !p.g.Page.Responsive(ctx, time.Second) {
		return
	}
	s := p.rec.Survey
	if s == nil {
		s = &record.Survey{}
		p.rec.Survey = s
	}
	if bytes, err := p.g.Page.Heap(ctx); err == nil {
		s.HeapMB = float64(int(bytes/(1<<20)*10)) / 10
	}
	if s.Frames == nil {
		began := time.Now()
		if s.Frames = survey.Sample(ctx, p.g.Page); s.Frames != nil {
			s.Frames.Began = began
		}
	}
	s.Barriers = survey.Barriers(ctx, p.g.Page)
	phone, png, err := survey.Phone(ctx, p.g.Page)
	if phone != nil {
		phone.Touch = survey.Touch(p.rec.Load.Listens)
		s.Phone = phone
	}
	if err == nil && p.opts.Evidence != nil {
		phone.Picture, err = p.opts.Evidence.Picture("phone.png", png)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		p.opts.Log.Info("survey", "run", p.rec.RunID, "error", err)
	}
}
