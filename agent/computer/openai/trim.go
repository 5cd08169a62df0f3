package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/model"
)

// soFar begins the list of what was done before a conversation was begun anew.
const soFar = "You have been at this for a while. What you did so far, oldest first:\n"

// Trim begins the conversation anew when the vendor has stored too many
// pictures of it: the goal, what was done, and what came last.
func (d *Driver) Trim(messages []model.Message) []model.Message {
	last := len(messages) - 1
	if last < 2 || messages[last].Role != model.User || stored(messages) <= d.opts.Pictures {
		return messages
	}
	parts := []model.Part{goal(messages), model.Text(summary(messages))}
	for _, p := range messages[last].Parts {
		switch {
		case p.Raw.For(vendor):
			if img := shown(p); img != nil {
				parts = append(parts, model.Picture(img))
			}
		case p.ToolResult != nil:
			parts = append(parts, model.Text(p.ToolResult.Name+" returned:"))
			parts = append(parts, p.ToolResult.Parts...)
		default:
			parts = append(parts, p)
		}
	}
	return []model.Message{{Role: model.User, Parts: parts}}
}

// goal is the first thing that was said in the last message with a picture
// that answers no call: that is how a goal is given.
func goal(messages []model.Message) model.Part {
	for _, m := range slices.Backward(messages) {
		if m.Role == model.User && slices.ContainsFunc(m.Parts, func(p model.Part) bool { return p.Image != nil }) {
			return m.Parts[0]
		}
	}
	return messages[0].Parts[0]
}

// stored is how many pictures the conversation holds.
func stored(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Image != nil || m.Role == model.User && p.Raw.For(vendor) {
				n++
			}
		}
	}
	return n
}

// shown is the picture that a call of the computer was answered with.
func shown(p model.Part) *model.Image {
	var item struct {
		Output struct {
			ImageURL string `json:"image_url"`
		} `json:"output"`
	}
	if json.Unmarshal(p.Raw.Data, &item) != nil {
		return nil
	}
	_, encoded, _ := strings.Cut(item.Output.ImageURL, ";base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	img, err := model.NewImage(data)
	if err != nil {
		return nil
	}
	return img
}

// summary lists what was done and said, briefly.
func summary(messages []model.Message) string {
	var b strings.Builder
	b.WriteString(soFar)
	for _, m := range messages {
		for _, p := range m.Parts {
			before, again := strings.CutPrefix(p.Text, soFar)
			switch {
			case again:
				b.WriteString(before)
			case m.Role != model.Assistant:
			case p.Text != "":
				fmt.Fprintf(&b, "- you said: %.300s\n", p.Text)
			case p.ToolCall != nil:
				fmt.Fprintf(&b, "- %s %.200s\n", p.ToolCall.Name, p.ToolCall.Arguments)
			default:
				item, _ := computerCall(p)
				for _, a := range batch(item) {
					fmt.Fprintf(&b, "- %.200s\n", a.RawJSON())
				}
			}
		}
	}
	return b.String()
}
