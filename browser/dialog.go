package browser

import (
	_ "embed" // for leaving.js
	"time"

	"github.com/chromedp/cdproto/page"
)

//go:embed leaving.js
var leavingScript string

// replies are what a prompt that suggests nothing is answered with, another each time it
// comes again: a small number is a name to most games that ask for one, while a name is
// no number.
var replies = []string{"4", "Player", "a"}

// OnDialog sets who answers dialogs. The func is called between the page's
// events, so it must not call the page, and should be quick: the page waits.
func (p *Page) OnDialog(answer func(Dialog) (accept bool, text string)) {
	p.mu.Lock()
	p.onDialog = answer
	p.mu.Unlock()
}

// dialog answers at once: everything the page does waits for it.
func (p *Page) dialog(s *Session, ev *page.EventJavascriptDialogOpening) {
	d := Dialog{Time: time.Now(), Type: string(ev.Type), Message: clip(ev.Message, maxText), URL: clip(ev.URL, maxURL), FrameID: string(ev.FrameID)}
	p.mu.Lock()
	answer, leaving := p.onDialog, p.leaving > 0
	p.mu.Unlock()
	accept, text := true, ""
	switch {
	case d.Type == string(page.DialogTypeBeforeunload):
		accept = leaving // a page that moves by itself stays, so that it can be tested
	case answer != nil:
		accept, text = answer(d)
	case d.Type == string(page.DialogTypePrompt):
		if text = ev.DefaultPrompt; text == "" {
			text = replies[p.log.prompts(d.Message)%len(replies)]
		}
	}
	d.Accepted, d.Answer = accept, text
	s.Start(page.CommandHandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	p.log.addDialog(d)
}
