package anthropic_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
)

// A model is made of its name and a key; nothing is asked of the vendor yet. What
// it can do is known from the catalog.
func Example() {
	m, err := anthropic.New("claude-haiku-5-5", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	can := model.Describe(m)
	fmt.Println(m.Name(), "sees pictures:", can.Images, "calls tools:", can.Tools)
	// Output: anthropic/claude-haiku-5-5 sees pictures: true calls tools: true
}
