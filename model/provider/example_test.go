package provider_test

import (
	"fmt"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
)

// A program that brings its own keys; without Providers they come from the
// environment.
func ExampleOpen() {
	providers := provider.Known()
	mine := providers["anthropic"]
	mine.Key = "the key"
	providers["anthropic"] = mine
	m, err := provider.Open("anthropic/claude-haiku-5-5", &provider.Options{Providers: providers})
	fmt.Println(m.Name(), err)
	_, err = provider.Open("anthropic", &provider.Options{Providers: providers})
	fmt.Println(err)
	// Output:
	// anthropic/claude-haiku-5-5 <nil>
	// model "anthropic": want vendor/name, such as anthropic/claude-haiku-5-5
}

// Two models of which the second answers when the first cannot.
func ExampleOpenAll() {
	chain, err := provider.OpenAll("anthropic/claude-haiku-5-5,openai/gpt-6-luna", &provider.Options{Providers: map[string]provider.Provider{
		"anthropic": {API: provider.Anthropic, Key: "one key"}, "openai": {API: provider.OpenAI, Key: "another"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	gateway, err := model.NewGateway(chain, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(chain), gateway != nil)
	// Output: 2 true
}
