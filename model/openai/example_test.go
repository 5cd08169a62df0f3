package openai_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/openai"
)

// A model is made of its name and a key; nothing is asked of the vendor yet. What
// it can do is known from the catalog.
func Example() {
	m, err := openai.New("gpt-6-luna", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	can := model.Describe(m)
	fmt.Println(m.Name(), "sees pictures:", can.Images, "calls tools:", can.Tools)
	// Output: openai/gpt-6-luna sees pictures: true calls tools: true
}
