package agent

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// sight is the page at a moment, to be compared with another.
type sight struct {
	url           string
	snap          *snapshot.Snapshot // nil when the page could not be read
	tree, picture uint64
}

const (
	// lookLimit is how long measuring may take; a page that hangs is not waited for.
	lookLimit = 15 * time.Second
	// sightTokens is how much of a page is compared.
	sightTokens = 20_000
	// sightScale is small: a picture is compared, not looked at.
	sightScale = 0.25
	// changeTokens is how much of a change the model is told.
	changeTokens = 300
)

// look measures the page. What cannot be measured is left out.
func (a *Agent) look(ctx context.Context) sight {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	s := sight{url: a.page.URL()}
	if a.page.Err() != nil {
		return s
	}
	snap, err := a.stage.Snapshot(ctx)
	if err != nil {
		return s
	}
	s.snap, s.url = snap, a.page.URL()
	s.tree = sum([]byte(snap.Format(&snapshot.FormatOptions{Tokens: sightTokens, InOrder: true}).Text))
	if png, err := a.page.Screenshot(ctx, &browser.ScreenshotOptions{Scale: sightScale}); err == nil {
		s.picture = sum(png)
	}
	return s
}

func sum(data []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(data)
	return h.Sum64()
}

// changed and painted compare with an earlier sight. Without both nothing is
// claimed.
func (s sight) changed(before sight) bool {
	return s.snap != nil && before.snap != nil && s.tree != before.tree || s.url != before.url
}

func (s sight) painted(before sight) bool {
	return s.picture != 0 && before.picture != 0 && s.picture != before.picture
}

// difference tells the model what an action did, in our words and in the page's.
func (s sight) difference(before sight) (told, data string) {
	if s.snap == nil {
		return "The page cannot be read now.", ""
	}
	if s.url != before.url {
		told = fmt.Sprintf("The page is now at %s.", line(s.url, 200))
	}
	if before.snap == nil {
		return told, ""
	}
	change := s.snap.Since(before.snap)
	switch {
	case !change.Empty():
		return joined(told, "What changed on the page (+ new, ~ different, - gone):"),
			change.Format(&snapshot.FormatOptions{Tokens: changeTokens, MaxName: 60})
	case told != "":
		return told, ""
	case s.painted(before):
		return "No element changed, but the picture did.", ""
	}
	return "Nothing on the page changed.", ""
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
