package metadata_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/metadata"
)

// What a game's author says, in YAML or JSON.
func ExampleParse() {
	m, err := metadata.Parse([]byte("genre: platformer\nexpectedControls: arrow keys to move, space to jump\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Genre, len(m.Bindings()))
	// Output: platformer 2
}
