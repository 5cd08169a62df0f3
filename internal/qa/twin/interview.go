package twin

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// patienceFor is how long a page may go on asking that shall say something to one answer.
const patienceFor = 4 * time.Second

// Interview presses something and answers the first question that comes with a text, and
// those after it with nothing, which ends most games that ask. It returns what the dialogs
// after the first question said. The page is of no use then.
func (t *Twin) Interview(ctx context.Context, in record.Input, text string) []string {
	ctx, cancel := context.WithTimeout(ctx, patienceFor)
	defer cancel()
	before := len(t.Page.Log().Dialogs())
	if t.point(ctx, in) == nil {
		t.Page.OnDialog(AnswerOnce(text))
		// A game that asks for ever does not come back, and has said what it says.
		if t.Page.Mouse().Down(ctx, nil) == nil && t.Pass(ctx, held) == nil && t.Page.Mouse().Up(ctx, nil) == nil {
			_ = t.Pass(ctx, FramesPerSecond)
		}
	}
	return t.Said(before)
}

// Said is what the dialogs said that came after the nth, without the first question.
func (t *Twin) Said(n int) (said []string) {
	const most = 4
	all := t.Page.Log().Dialogs()
	asked := false
	for _, d := range all[min(n, len(all)):] {
		if !asked {
			asked = d.Type == "prompt"
			continue
		}
		if said = append(said, d.Message); len(said) == most {
			break
		}
	}
	return said
}

// AnswerOnce answers the first question with a text, and others with nothing.
func AnswerOnce(text string) func(browser.Dialog) (bool, string) {
	asked := false
	return func(d browser.Dialog) (bool, string) {
		if d.Type != "prompt" {
			return true, ""
		}
		first := !asked
		asked = true
		return first, text
	}
}
