package mcp_test

import (
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/agent/mcp"
)

// The file is the one that most programs with MCP share. Values of the
// environment are put in by whoever reads it.
func ExampleParse() {
	file := []byte(`{"mcpServers": {
		"tickets": {"url": "https://tickets.example/mcp", "headers": {"Authorization": "Bearer ${TICKETS_KEY}"}, "allow": ["search"]}
	}}`)
	config, err := mcp.Parse(file, func(name string) (string, bool) { return "k-1", name == "TICKETS_KEY" })
	if err != nil {
		log.Fatal(err)
	}
	server := config.Servers["tickets"]
	fmt.Println(server.Type, server.Headers["Authorization"], server.Allow)
	// Output: http Bearer k-1 [search]
}
