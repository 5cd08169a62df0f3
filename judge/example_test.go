package judge_test

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/judge"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func ExampleJudge_Batch() {
	m := modeltest.Replies("test/model", `{"answers": [
		{"number": 2, "evaluation": "NO", "reasoning": "The account ends at the menu."},
		{"number": 1, "evaluation": "YES", "reasoning": "The account says that Play was clicked."}]}`)
	j, err := judge.New(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := j.Batch(context.Background(),
		[]judge.Question{{Text: "Was the game started?"}, {Text: "Was the level finished?"}},
		judge.Evidence{Reasoning: "I clicked Play. The menu came back."})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, got := range b.Judgements {
		fmt.Println(got.Answer, got.Question.Text)
	}
	// Output:
	// YES Was the game started?
	// NO Was the level finished?
}
