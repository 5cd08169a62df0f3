package bounds_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/agent/bounds"
)

// The origin of the start page and what is named besides may be visited.
func Example() {
	b, err := bounds.New("https://shop.example/cart", "https://*.pay.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, address := range []string{"https://shop.example/help", "https://eu.pay.example/", "https://elsewhere.example/"} {
		fmt.Println(address, b.Allows(address) == nil)
	}
	// Output:
	// https://shop.example/help true
	// https://eu.pay.example/ true
	// https://elsewhere.example/ false
}
