package anthropic_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent/computer/anthropic"
	model "github.com/playtest-dev/playtest/model/anthropic"
)

// A driver of a certain vendor; package choose picks one by the model's name.
func ExampleNew() {
	m, err := model.New("claude-opus-5-5", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	driver, err := anthropic.New(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(driver.Model().Name())
	// Output: anthropic/claude-opus-5-5
}
