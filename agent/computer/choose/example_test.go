package choose_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// The driver follows from the model.
func ExampleDriver() {
	m, err := anthropic.New("claude-opus-5-5", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	driver, err := choose.Driver(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(driver.Model().Name())
	_, err = choose.Driver(modeltest.Replies("local/llama", ""))
	fmt.Println(err)
	// Output:
	// anthropic/claude-opus-5-5
	// local/llama: the model cannot do this: computers are used by models of anthropic, openai and google
}
