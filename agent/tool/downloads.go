package tool

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed downloads.md
var downloadsText string

// mostDownloads is how many files are listed, the last ones.
const mostDownloads = 20

// downloads is offered where the context keeps files.
func (k *Kit) downloads() Tool {
	t := must("downloads", downloadsText, func(ctx context.Context, _ struct{}) (*Outcome, error) {
		deadline := time.Now().Add(maxWait)
		list := k.page().Context().Downloads()
		for slices.ContainsFunc(list, func(d browser.Download) bool { return d.State == browser.Downloading }) && time.Now().Before(deadline) {
			if err := pause(ctx, settleStep); err != nil {
				return nil, err
			}
			list = k.page().Context().Downloads()
		}
		var b strings.Builder
		for _, d := range list[max(len(list)-mostDownloads, 0):] {
			fmt.Fprintf(&b, "%q, %d bytes: %s\n", shorten(d.Filename, 120), d.Bytes, d.State)
		}
		out := Say(fmt.Sprintf("%d files were offered.", len(list)))
		out.Data = b.String()
		return out, nil
	})
	t.Kind = Looks
	return t
}
