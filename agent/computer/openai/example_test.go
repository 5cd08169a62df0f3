package openai_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent/computer/openai"
	model "github.com/playtest-dev/playtest/model/openai"
)

// A driver of a certain vendor; package choose picks one by the model's name.
func ExampleNew() {
	m, err := model.New("gpt-6-sol", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	driver, err := openai.New(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(driver.Model().Name())
	// Output: openai/gpt-6-sol
}
