package reprotest_test

import (
	"testing"

	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/reprotest"
)

// A test of a game's own: two seconds after Play was pressed the space bar does
// something.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestJump(t *testing.T)
		reprotest.Run(t, "http://localhost:8080/", reprotest.Case{
			Before: []record.Step{{Frame: 60, Input: record.Input{Kind: record.InputClick, Selector: "#play"}}},
			Frame:  180,
			Input:  record.Input{Kind: record.InputKey, Key: "Space"},
			Want:   reprotest.Changes,
		})
	}
}
