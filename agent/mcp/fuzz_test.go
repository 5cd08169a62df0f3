package mcp_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent/mcp"
)

// A configuration names programs that are started: it is refused, or every
// server in it is a program or an address, and no secret of ours is in a refusal.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${TOKEN}"],"env":{"K":"$TOKEN"}}}}`))
	f.Add([]byte(`{"mcpServers":{"b":{"url":"https://h/${TOKEN}","headers":{"Authorization":"Bearer ${TOKEN}"},"timeout":"30s"}}}`))
	f.Add([]byte(`{"mcpServers":{"c":{"url":"http://${TOKEN}@%zz","timeout":"-1s","type":"carrier pigeon"}}}`))
	f.Add([]byte(`{"mcpServers":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := mcp.Parse(data, func(name string) (string, bool) { return "s3cr3t-value", name == "TOKEN" })
		if err != nil {
			if strings.Contains(err.Error(), "s3cr3t-value") {
				t.Errorf("the refusal repeats a secret: %v", err)
			}
			return
		}
		for name, s := range c.Servers {
			if !s.Disabled && s.Command == "" && s.URL == "" {
				t.Errorf("server %q is nothing", name)
			}
		}
	})
}
