package google_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent/computer/google"
	model "github.com/playtest-dev/playtest/model/google"
)

// A driver of a certain vendor; package choose picks one by the model's name.
func ExampleNew() {
	m, err := model.New("gemini-3.5-flash", "the key", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	driver, err := google.New(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(driver.Model().Name())
	// Output: google/gemini-3.5-flash
}
