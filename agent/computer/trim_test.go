package computer_test

import (
	"testing"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func TestKeepPictures(t *testing.T) {
	picture := func(side int) model.Part { return model.Picture(modeltest.Picture(side, side)) }
	answer := func(id string, parts ...model.Part) model.Message {
		return model.Message{Role: model.User, Parts: []model.Part{{ToolResult: &model.ToolResult{CallID: id, Name: "click", Parts: parts}}}}
	}
	messages := []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text("goal"), picture(1)}},
		{Role: model.Assistant, Parts: []model.Part{{ToolCall: &model.ToolCall{ID: "a"}}}},
		answer("a", model.Text("where"), picture(2)),
		{Role: model.Assistant, Parts: []model.Part{{ToolCall: &model.ToolCall{ID: "b"}}}},
		answer("b", picture(3)),
		{Role: model.Assistant, Parts: []model.Part{{ToolCall: &model.ToolCall{ID: "c"}}}},
		answer("c", model.Text("where"), picture(4)),
	}
	before := asJSON(messages)
	for n, want := range map[int][]int{0: nil, 1: {4}, 2: {3, 4}, 9: {1, 2, 3, 4}} {
		var left []int
		for i, m := range computer.KeepPictures(messages, n, 0) {
			if len(m.Parts) != len(messages[i].Parts) {
				t.Errorf("message %d has %d parts", i, len(m.Parts))
			}
			parts := m.Parts
			if r := m.Parts[0].ToolResult; r != nil {
				parts = r.Parts
				if len(parts) == 0 || i == 2 && parts[0].Text != "where" {
					t.Errorf("result %d is %+v", i, parts)
				}
			}
			for _, p := range parts {
				if p.Image != nil {
					left = append(left, p.Image.Width)
				}
			}
		}
		if asJSON(left) != asJSON(want) {
			t.Errorf("of %d there are %v left, want %v", n, left, want)
		}
	}
	if asJSON(messages) != before {
		t.Error("the conversation itself was changed")
	}
}

// TestPicturesGoInChunks: between two cuts the conversation only grows, so that
// a vendor can keep what it has read of it.
func TestPicturesGoInChunks(t *testing.T) {
	var messages []model.Message
	cuts := 0
	for turn := range 30 {
		messages = append(messages, model.Message{Role: model.User, Parts: []model.Part{model.Picture(modeltest.Picture(2, 2+turn))}})
		before := asJSON(messages)
		messages = computer.KeepPictures(messages, 3, 5)
		if asJSON(messages) != before {
			cuts++
		}
		left := 0
		for _, m := range messages {
			if m.Parts[0].Image != nil {
				left++
			}
		}
		if left > 8 || turn >= 2 && left < 3 {
			t.Errorf("turn %d: %d pictures are left", turn, left)
		}
	}
	if cuts != 4 {
		t.Errorf("the conversation was changed %d times in 30 turns", cuts)
	}
}
