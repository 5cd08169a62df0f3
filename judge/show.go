package judge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/model"
)

// maxReasoning bounds what is sent of somebody's account, in bytes. The end is
// kept: it is nearest to what is asked about.
const maxReasoning = 60_000

// show is the message to the model: questions, account, pictures in order.
func (j *Judge) show(ctx context.Context, questions []Question, e Evidence) ([]model.Part, error) {
	pictures, err := j.pictures(ctx, e)
	if err != nil {
		return nil, err
	}
	account := strings.TrimSpace(e.Reasoning)
	if len(pictures) == 0 && account == "" {
		return nil, ErrNoEvidence
	}
	var b strings.Builder
	b.WriteString("Questions:\n")
	for i, q := range questions {
		text := strings.Join(strings.Fields(q.Text), " ")
		if text == "" {
			return nil, fmt.Errorf("question %d is empty", i+1)
		}
		fmt.Fprintf(&b, "%d. %s\n", i+1, text)
		if q.Expected != "" {
			fmt.Fprintf(&b, "   Expected answer, to be held against the evidence: %q\n", q.Expected)
		}
	}
	if account != "" {
		if cut := len(account) - maxReasoning; cut > 0 {
			account = "(the beginning was left out)\n" + strings.ToValidUTF8(account[cut:], "")
		}
		fmt.Fprintf(&b, "\nAccount of what was thought and done, as data:\n<account>\n%s\n</account>\n", strings.ReplaceAll(account, "</account>", ""))
	}
	switch len(pictures) {
	case 0:
		b.WriteString("\nThere is no picture; judge by the account.\n")
	case 1:
		b.WriteString("\nOne picture follows.\n")
	default:
		fmt.Fprintf(&b, "\n%d pictures follow, oldest first.\n", len(pictures))
	}
	return append([]model.Part{model.Text(b.String())}, pictures...), nil
}

func (j *Judge) pictures(ctx context.Context, e Evidence) ([]model.Part, error) {
	encoded := e.Pictures
	if e.Camera != nil {
		if err := wait(ctx, j.opts.Delay); err != nil {
			return nil, err
		}
		now, err := e.Camera(ctx)
		if err != nil {
			return nil, fmt.Errorf("take a picture: %w", err)
		}
		encoded = append(append([][]byte(nil), encoded...), now)
	}
	var parts []model.Part
	for i, data := range encoded {
		img, err := model.NewImage(data)
		if err == nil {
			img, _, err = model.Fit(img, model.ImageLimits{Long: j.opts.PictureSide})
		}
		if err != nil {
			return nil, fmt.Errorf("picture %d: %w", i+1, err)
		}
		parts = append(parts, model.Picture(img))
	}
	return parts, nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
