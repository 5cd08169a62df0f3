package modeltest_test

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// A model that answers from a list, and keeps what it was asked.
func ExampleReplies() {
	m := modeltest.Replies("test/list", "first", "second")
	for range 2 {
		answer, err := m.Generate(context.Background(), &model.Request{Messages: []model.Message{model.UserText("Go on.")}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Text())
	}
	fmt.Println(len(m.Requests()), "requests")
	// Output:
	// first
	// second
	// 2 requests
}
