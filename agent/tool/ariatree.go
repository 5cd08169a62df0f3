package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/playtest-dev/playtest/browser/snapshot"
)

//go:embed ariatree.md
var ariaTreeText string

// treeTokens is how much of a page the ariaTree tool shows at a time.
const treeTokens = 70_000

type ariaTreeArgs struct {
	Part int `json:"part,omitempty" jsonschema:"which part of a page that is too long for one, from 1"`
}

func (k *Kit) ariaTree() Tool {
	t := must("ariaTree", ariaTreeText, func(ctx context.Context, in ariaTreeArgs) (*Outcome, error) {
		snap, err := k.Stage.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		tree := snap.Format(&snapshot.FormatOptions{Tokens: treeTokens, Part: in.Part, InOrder: in.Part > 1})
		out := Say(fmt.Sprintf("The page has %d nodes.", snap.Len()))
		if tree.Left > 0 {
			out.Text = fmt.Sprintf("The page has %d nodes and is too long to be shown at once: this is cut at %d tokens and leaves out %d nodes. "+
				"It is part %d of %d; ask for another part, or use extract to read what you are looking for.", snap.Len(), treeTokens, tree.Left, tree.Part, tree.Parts)
		}
		out.Data = tree.Text
		out.Digest = fmt.Sprintf("The tree of a page with %d nodes was shown here.", snap.Len())
		return out, nil
	})
	t.Kind = Looks
	t.Tokens = treeTokens + 2_000 // the limit is the tree's own
	return t
}
