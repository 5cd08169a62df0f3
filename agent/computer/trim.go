package computer

import (
	"slices"

	"github.com/playtest-dev/playtest/model"
)

// dropped stands where a picture was.
const dropped = "(an older picture was here)"

// KeepPictures is the conversation with its last n pictures. Older ones are
// replaced by a few words; nothing else changes, so that calls and results stay
// paired and thoughts stay signed.
func KeepPictures(messages []model.Message, n int) []model.Message {
	out := slices.Clone(messages)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i].Role == model.User {
			out[i].Parts, n = keepParts(out[i].Parts, n)
		}
	}
	return out
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
