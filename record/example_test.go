package record_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/record"
)

// Addresses are checked before a browser is started.
func ExampleValidateURL() {
	for _, address := range []string{"https://example.com/game/", "file:///etc/passwd"} {
		fmt.Println(address, record.ValidateURL(address) == nil)
	}
	// Output:
	// https://example.com/game/ true
	// file:///etc/passwd false
}
