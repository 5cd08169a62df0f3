package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/agent/mcp"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/internal/config"
)

// readServers reads a file of MCP servers that was named on the command line.
func readServers(cmd *cobra.Command, name string) (*mcp.Config, error) {
	data, err := readSmall(cmd, name)
	if err != nil {
		return nil, err
	}
	servers, err := mcp.Parse(data, os.LookupEnv)
	if err != nil {
		return nil, &badFile{cmd.CommandPath(), name, err}
	}
	return servers, nil
}

// configuredServers are those of the configuration, nil when it names none.
func configuredServers(c *config.Config) (*mcp.Config, error) {
	if c.MCP == "" {
		return nil, nil
	}
	data, err := os.ReadFile(c.MCP)
	if err != nil {
		return nil, fmt.Errorf("reading the MCP servers of the configuration: %w", err)
	}
	servers, err := mcp.Parse(data, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("reading the MCP servers of the configuration: %s: %w", c.MCP, err)
	}
	return servers, nil
}

// openTools connects to the servers when a run begins, for that run alone.
func openTools(servers *mcp.Config, warn func(string)) func(context.Context) ([]tool.Tool, io.Closer, error) {
	return func(ctx context.Context) ([]tool.Tool, io.Closer, error) {
		open, err := mcp.Connect(ctx, servers, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range open.Skipped() {
			warn("left out the tool " + s)
		}
		return open.Tools(), open, nil
	}
}
