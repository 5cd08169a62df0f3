package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompt gives clients with a list of prompts a way to begin.
func (s *Server) addPrompt() {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "mend_game", Title: "Play a game and mend what is broken",
		Description: "Has playtest play the game, mends what it finds and repeats until it passes",
		Arguments:   []*mcp.PromptArgument{{Name: "game", Description: "the game's folder or address", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := "Have playtest play the game at " + clip(req.Params.Arguments["game"], 500) + " and mend it until it passes. This is how:\n\n" + guide
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	})
}
