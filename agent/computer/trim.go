package computer

import (
	"slices"

	"github.com/playtest-dev/playtest/model"
)

// dropped stands where a picture was.
const dropped = "(an older picture was here)"

// KeepPictures is the conversation with its last n pictures, once there are
// more than n and the slack. Older ones are replaced by a few words; nothing
// else changes, so that calls and results stay paired and thoughts stay signed.
//
// Without slack every turn changes a message in the middle, and a vendor that
// keeps what it has read reads everything after that message again. With it
// that happens once in so many turns.
func KeepPictures(messages []model.Message, n, slack int) []model.Message {
	if countPictures(messages) <= n+slack {
		return messages
	}
	out := slices.Clone(messages)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i].Role == model.User {
			out[i].Parts, n = keepParts(out[i].Parts, n)
		}
	}
	return out
}

func countPictures(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += countParts(m.Parts)
	}
	return n
}

func countParts(parts []model.Part) int {
	n := 0
	for _, p := range parts {
		if p.Image != nil {
			n++
		}
		if p.ToolResult != nil {
			n += countParts(p.ToolResult.Parts)
		}
	}
	return n
}

// keepParts keeps up to n pictures from the end, and returns how many more may
// be kept before them.
func keepParts(parts []model.Part, n int) ([]model.Part, int) {
	out := slices.Clone(parts)
	for i := len(out) - 1; i >= 0; i-- {
		switch p := out[i]; {
		case p.Image != nil && n > 0:
			n--
		case p.Image != nil:
			out[i] = model.Text(dropped)
		case p.ToolResult != nil:
			result := *p.ToolResult
			result.Parts, n = keepParts(result.Parts, n)
			result.Parts = dropWords(result.Parts)
			out[i].ToolResult = &result
		}
	}
	return out, n
}

// dropWords takes the words out again where the result has others: some
// vendors read a result's text as data.
func dropWords(parts []model.Part) []model.Part {
	if len(parts) < 2 {
		return parts
	}
	return slices.DeleteFunc(parts, func(p model.Part) bool { return p.Text == dropped })
}
