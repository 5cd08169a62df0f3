package azure_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/model/openai/azure"
)

// On Azure a model is a deployment of a resource.
func Example() {
	m, err := azure.New("our-deployment", "the key", &azure.Options{Endpoint: "https://our-resource.openai.azure.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name())
	// Output: azure/our-deployment
}
