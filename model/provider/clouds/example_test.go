package clouds_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/model/provider"
	"github.com/playtest-dev/playtest/model/provider/clouds"
)

// Credentials are those of the machine: its environment, profile or role.
func Example() {
	m, err := provider.Open("bedrock/us.anthropic.claude-opus-5-5-v1:0", &provider.Options{
		Providers: map[string]provider.Provider{"bedrock": {API: provider.Bedrock, Region: "eu-central-1"}},
		Openers:   clouds.Openers(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name())
}
